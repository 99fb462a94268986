"""Tests of `nemuri service`, with a service manager that only writes down what it is asked."""

import contextlib
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from pwd import getpwuid

import pytest

from nemuri.cli import main
from nemuri.system_service.definition import MARK
from nemuri.system_service.installation import is_served
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.process.environment_file import read_environment

Run = Callable[..., tuple[object, str, str]]
UNIT = Path(".config/systemd/user/nemuri.service")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory on Linux, with no service manager on the PATH."""
    for name in ("NATS_URL", "DATABASE_URL", "XDG_CONFIG_HOME", "NEMURI_DATA", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr("nemuri.system_service.systemd.LINGERING", tmp_path / "linger")
    return tmp_path


@pytest.fixture
def run(home: Path) -> Run:
    """Return a function that runs `nemuri service` in this process, and returns its exit code and outputs."""

    def call(*words: str, data: Path | None = None) -> tuple[object, str, str]:
        out, err, before = io.StringIO(), io.StringIO(), sys.argv
        sys.argv = ["nemuri", "--data", str(data or home / "my data"), "service", *words]
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), pytest.raises(SystemExit) as ended:
                main()
        finally:
            sys.argv = before
        return ended.value.code, out.getvalue(), err.getvalue()

    return call


def manager(home: Path, name: str = "systemctl", *, code: int = 0, says: str = "") -> Path:
    """Put a program on the PATH that writes its arguments into a file, and return the path of this file."""
    program, calls = home / "bin" / name, home / "calls"
    program.parent.mkdir(exist_ok=True)
    program.write_text(f'#!/bin/sh\necho "{name} $*" >> "{calls}"\necho "{says}"\nexit {code}\n')
    program.chmod(0o755)
    return calls


def test_a_unit_is_written_once(home: Path, run: Run) -> None:
    """The unit is written with the commands that start it. A second installation changes nothing, another data
    directory updates it, and removal leaves only the settings.
    """
    code, out, err = run("install")
    assert (code, err) == (0, "")
    assert f"{home / UNIT}: written" in out
    assert "systemctl --user enable --now nemuri.service" in out
    assert "loginctl enable-linger" in out
    written = (home / UNIT).read_text()
    assert MARK in written
    assert (home / UNIT).stat().st_mode & 0o077 == 0
    assert f"{home / UNIT}: nothing changed" in run("install")[1]
    assert (home / UNIT).read_text() == written
    assert f"{home / UNIT}: updated" in run("install", data=home / "other")[1]
    assert run("uninstall")[1].endswith(f"{home / UNIT}: removed\n")
    assert not (home / UNIT).exists()
    assert run("uninstall")[:2] == (0, f"{home / UNIT}: nothing changed\n")
    assert (home / "my data" / "service.env").exists()


def test_a_dry_run_only_prints_the_unit(home: Path, run: Run) -> None:
    """`--dry-run` prints what would be written and writes nothing."""
    code, out, err = run("install", "--dry-run")
    assert (code, err) == (0, "")
    assert sorted(home.iterdir()) == []
    run("install")
    assert (home / UNIT).read_text() == out


def test_settings_are_carried_on_privately(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of the environment get into a file that only the user can read, not into the unit. The user's changes
    to it stay.
    """
    certificate = home / "certificate.pem"
    monkeypatch.chdir(home)
    for name, value in (
        ("OPENAI_API_KEY", "sk-secret"), ("NEMURI_EMBEDDER", "built-in"), ("NEMURI_NATS_CA", certificate.name),
        ("NEMURI_HOOK_AGENT", "ann"), ("UNRELATED", "x"), ("OTEL_SERVICE_NAME", "n"),
    ):  # fmt: skip
        monkeypatch.setenv(name, value)
    _, out, _ = run("install")
    file = home / "my data" / "service.env"
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_environment(file) == {
        "OPENAI_API_KEY": "sk-secret", "NEMURI_EMBEDDER": "built-in", "NEMURI_NATS_CA": str(certificate),
        "OTEL_SERVICE_NAME": "n",
    }  # fmt: skip
    assert "OPENAI_API_KEY" in out
    assert "sk-secret" not in out + (home / UNIT).read_text()
    file.write_text("NEMURI_LOG_LEVEL=debug\n")
    assert f"{file}: kept" in run("install")[1]
    assert file.read_text() == "NEMURI_LOG_LEVEL=debug\n"


def test_the_file_of_another_program_stays(home: Path, run: Run) -> None:
    """A unit that Nemuri did not write is neither replaced nor removed. `--force` replaces it."""
    (home / UNIT).parent.mkdir(parents=True)
    (home / UNIT).write_text("[Service]\nExecStart=/bin/true\n")
    for words in (("install",), ("uninstall",)):
        code, out, err = run(*words)
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert "was not written by nemuri" in err
    assert (home / UNIT).read_text() == "[Service]\nExecStart=/bin/true\n"
    assert not (home / "my data").exists()
    assert run("status")[0] == 1
    assert run("install", "--force")[0] == 0
    assert MARK in (home / UNIT).read_text()


def test_a_masked_unit_stays(home: Path, run: Run) -> None:
    """A unit that the user has masked, by a link to /dev/null, is not replaced."""
    (home / UNIT).parent.mkdir(parents=True)
    (home / UNIT).symlink_to("/dev/null")
    assert run("install")[0] == 1
    assert (home / UNIT).is_symlink()


def test_bad_input_is_one_line_and_changes_nothing(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A data directory that is a file, a path with a line break, a broken setting, `--system` without root, `--start`
    without a manager, and an unknown system are one line each, and nothing is written before.
    """
    (home / "file").write_text("")
    refusals = [run("install", data=home / "file"), run("install", data=home / "a\nb")]
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    refusals.append(run("install", "--system"))
    monkeypatch.setenv("NEMURI_REPLICAS", "many")
    refusals.append(run("install"))
    monkeypatch.delenv("NEMURI_REPLICAS")
    monkeypatch.setenv("NEMURI_PROJECT", "a\nb")
    refusals.append(run("install"))
    monkeypatch.delenv("NEMURI_PROJECT")
    refusals.append(run("install", "--start"))
    monkeypatch.setattr(sys, "platform", "freebsd14")
    refusals.append(run("install"))
    monkeypatch.setattr(sys, "platform", "darwin")
    refusals.append(run("install", "--system"))
    for code, out, err in refusals:
        assert code in {1, 2}
        assert (out, err.count("\n"), "unexpected" in err) == ("", 1, False), err
    assert [path.name for path in home.iterdir()] == ["file"]


def test_start_runs_the_commands(home: Path, run: Run) -> None:
    """`--start` enables and starts the unit. After a change a running service is restarted, and removal disables it."""
    manager(home, "loginctl")
    calls = manager(home, code=3, says="inactive")
    code, _, err = run("install", "--start")
    assert code == 1
    assert "`systemctl --user daemon-reload` failed: inactive" in err
    manager(home, says="active")
    calls.unlink()
    code, out, _ = run("install", "--start", data=home / "other")
    assert code == 0
    assert "the service is started" in out
    assert calls.read_text().splitlines() == [
        "systemctl --user is-active nemuri.service",
        "systemctl --user daemon-reload",
        "systemctl --user enable --now nemuri.service",
        "systemctl --user restart nemuri.service",
        "loginctl enable-linger",
    ]
    assert run("status")[0] == 0
    link = home / UNIT.parent / "default.target.wants" / UNIT.name
    link.parent.mkdir()
    link.symlink_to(home / UNIT)
    assert run("uninstall")[0] == 0
    assert "systemctl --user disable --now nemuri.service" in calls.read_text()
    assert not link.is_symlink()


def test_start_says_that_the_service_ends_with_the_login(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a user may not run services without a login, the service is started, and one line says how long it runs.
    Where root has allowed it, nothing is asked.
    """
    manager(home, says="active")
    manager(home, "loginctl", code=1, says="Could not enable linger: Access denied")
    code, out, err = run("install", "--start")
    assert code == 1
    assert "the service is started" in out
    assert err.count("\n") == 1
    assert "Access denied; until root runs it for your user, the service ends when you log out" in err
    monkeypatch.setattr("nemuri.system_service.systemd.LINGERING", home)
    (home / getpwuid(os.getuid()).pw_name).touch()
    assert run("install", "--start")[0] == 0
    assert "enable-linger" not in run("install")[1]


def test_a_failure_goes_with_the_service(home: Path, run: Run) -> None:
    """systemd is told to forget the failure of a service that is removed."""
    calls = manager(home, code=3, says="failed")
    run("install")
    assert run("uninstall")[0] == 0
    assert calls.read_text().splitlines()[-2:] == [
        "systemctl --user daemon-reload",
        "systemctl --user reset-failed nemuri.service",
    ]


def test_start_refuses_a_directory_in_use(home: Path, run: Run) -> None:
    """`--start` says that a platform which is not the service must end first. Nothing is written then."""
    manager(home, code=3, says="inactive")
    with Home(home / "my data").lock():
        code, out, err = run("install", "--start")
        assert (code, out) == (1, "")
        assert "end it with `nemuri down` first" in err
        assert not (home / UNIT).exists()
        assert "runs in" in run("status")[1]


@pytest.mark.parametrize("state", ["active", "activating", "deactivating"])
def test_a_service_serves_its_data_directory(home: Path, run: Run, state: str) -> None:
    """A service that runs, starts, or waits for its next start serves its data directory and no other one."""
    data = home / 'my $HOME 100% "data"'
    manager(home, says=state)
    assert not is_served(data)
    run("install", data=data)
    assert is_served(data)
    assert not is_served(home / "my")
    for ended in ("inactive", "failed", "unknown"):
        manager(home, code=3, says=ended)
        assert not is_served(data)
    (home / "bin" / "systemctl").unlink()
    assert not is_served(data)


def test_an_agent_is_written_on_macos(home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """On macOS a launchd agent is written, shown and removed."""
    monkeypatch.setattr(sys, "platform", "darwin")
    path = home / "Library" / "LaunchAgents" / "nemuri.platform.plist"
    assert "launchctl bootstrap gui/" in run("install")[1]
    assert MARK in path.read_text()
    assert f"{path}: installed" in run("status")[1]
    assert f"{path}: removed" in run("uninstall")[1]
    assert not path.exists()
