"""Tests of the service files: systemd and launchd read from them exactly the words that are to be run."""

import plistlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.system_service.definition import MARK, ServiceDefinition, ServiceError
from nemuri.system_service.launchd import LABEL, LaunchdAgent
from nemuri.system_service.systemd import SystemdUnit

ODD = (
    "a b",
    "per%cent %h",
    "$HOME ${A} $$",
    "semi;colon",
    "it's",
    'a "quote"',
    "back\\slash \\n",
    "眠り\u3000x",
    "#;!@-",
)
NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="/\ufffe\uffff"))
_WORD = re.compile(r'"((?:[^"\\]|\\.)*)"(?: |$)')


def definition(data: str = "/data", program: str = "/usr/bin/nemuri") -> ServiceDefinition:
    """Return a service of this data directory."""
    return ServiceDefinition((program,), Path(data))


def fields(unit: str) -> dict[str, str]:
    """Return the fields of a unit. No name occurs twice."""
    pairs = [
        (line.partition("=")[0], line.partition("=")[2])
        for line in unit.splitlines()
        if "=" in line and not line.startswith("#")
    ]
    assert len({name for name, _ in pairs}) == len(pairs)
    return dict(pairs)


def words(line: str) -> list[str]:
    """Return the words of a command as systemd reads it (systemd.service(5), "Command lines"): quotes and escapes, then
    `%` sequences, then variables in all words but the first. Fails for a sequence or variable that is not escaped.
    """
    found = [re.sub(r"\\(.)", r"\1", each) for each in _WORD.findall(line)]
    assert len(_WORD.sub("", line)) == 0
    for each in found:
        assert "%" not in each.replace("%%", "")
    plain = [each.replace("%%", "%") for each in found]
    for each in plain[1:]:
        assert "$" not in each.replace("$$", "")
    return [plain[0], *(each.replace("$$", "$") for each in plain[1:])]


@pytest.mark.parametrize("system", [False, True])
@given(st.lists(NAMES, min_size=1, max_size=3))
def test_systemd_reads_the_words_of_any_path(system: bool, names: list[str]) -> None:
    """A unit runs the program with the data directory, whatever characters its path has."""
    service = definition("/" + "/".join(names))
    found = fields(SystemdUnit(system=system).content(service))
    assert tuple(words(found["ExecStart"])) == service.command
    assert service.command[1:4] == ("--data", str(service.data), "up")
    unit = SystemdUnit(system=system)
    assert unit.serves(unit.content(service), service.data)
    assert not unit.serves(unit.content(service), service.data / "more")


@given(st.lists(NAMES, min_size=1, max_size=3))
def test_launchd_reads_the_words_of_any_path(names: list[str]) -> None:
    """A property list that is read again has the words, whatever characters the path has."""
    service = definition("/" + "/".join(names))
    text = LaunchdAgent(user=501).content(service)
    found = plistlib.loads(text.encode())
    assert tuple(found["ProgramArguments"]) == service.command
    assert found["StandardErrorPath"] == str(service.log_file)
    assert text.count(MARK) == 1
    assert LaunchdAgent(user=501).serves(text, service.data)
    assert not LaunchdAgent(user=501).serves(text, service.data / "more")


@pytest.mark.parametrize("content", ["", "plist", "<plist/>", '<plist version="1.0"><dict/></plist>'])
def test_a_broken_file_serves_nothing(content: str) -> None:
    """A file that is no unit and no property list serves no data directory."""
    assert not SystemdUnit().serves(content, Path("/data"))
    assert not LaunchdAgent(user=501).serves(content, Path("/data"))


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "\x7f", "\udcff", "\uffff"])
def test_a_path_that_no_service_file_can_hold_is_refused(name: str) -> None:
    """A path with control characters or invalid Unicode is refused in one line of ASCII."""
    with pytest.raises(ServiceError, match="cannot hold") as refused:
        definition(f"/{name}")
    assert str(refused.value).isascii()
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("name", ["it's", 'a"b', "a\\b"])
def test_a_program_that_systemd_cannot_start_is_refused(name: str) -> None:
    """A program whose path has quotes or backslashes is refused for systemd, not for launchd."""
    service = definition(program=f"/{name}/nemuri")
    with pytest.raises(ServiceError, match="systemd cannot start"):
        SystemdUnit().content(service)
    assert plistlib.loads(LaunchdAgent(user=501).content(service).encode())["ProgramArguments"][0] == f"/{name}/nemuri"


def test_a_failed_platform_is_started_again_and_a_stopped_one_is_not() -> None:
    """Both managers restart a platform that failed, not one that ended with success, and give it time to stop."""
    unit = fields(SystemdUnit().content(definition()))
    assert (unit["Restart"], unit["KillMode"], unit["WantedBy"]) == ("on-failure", "mixed", "default.target")
    assert int(unit["TimeoutStopSec"]) == 120
    agent = plistlib.loads(LaunchdAgent(user=501).content(definition()).encode())
    assert (agent["KeepAlive"], agent["RunAtLoad"]) == ({"SuccessfulExit": False}, True)
    assert (agent["Label"], agent["ExitTimeOut"]) == (LABEL, 120)
    system = fields(SystemdUnit(system=True).content(definition()))
    assert (system["User"], system["WantedBy"]) == ("root", "multi-user.target")


def test_files_are_where_the_managers_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The unit is in the user's configuration directory, the agent in the user's library."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for named, folder in (("", tmp_path / ".config"), ("relative", tmp_path / ".config"), ("/x", Path("/x"))):
        monkeypatch.setenv("XDG_CONFIG_HOME", named)
        assert SystemdUnit().path == folder / "systemd" / "user" / "nemuri.service"
    assert SystemdUnit(system=True).path == Path("/etc/systemd/system/nemuri.service")
    assert LaunchdAgent().path == tmp_path / "Library" / "LaunchAgents" / f"{LABEL}.plist"


@pytest.mark.parametrize("name", ODD)
def test_systemd_accepts_the_unit(name: str, tmp_path: Path) -> None:
    """`systemd-analyze verify` finds no fault in the unit, for a data directory and a program with odd names."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    plain = re.sub(r"""["'\\]""", "", name)
    program, unit = tmp_path / plain / "nemuri", tmp_path / "nemuri.service"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit.write_text(SystemdUnit().content(definition(str(tmp_path / name), str(program))), encoding="utf-8")
    done = subprocess.run(
        [analyze, "--user", "--man=no", "verify", unit],
        env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_commands_of_launchd_follow_its_state() -> None:
    """An agent is loaded, loaded again after a change, and left alone while it runs unchanged."""
    agent = LaunchdAgent(user=501)
    load = ("launchctl", "bootstrap", "gui/501", str(agent.path))
    end = ("launchctl", "bootout", f"gui/501/{LABEL}")
    assert [*agent.start_commands(changed=True, active=False)] == [load]
    assert [*agent.start_commands(changed=True, active=True)] == [end, load]
    assert [*agent.start_commands(changed=False, active=True)] == []
    assert [*agent.stop_commands(active=True)] == [end]
    assert [*agent.stop_commands(active=False)] == []
    assert agent.state("", 113) == "inactive"
    assert agent.state("\tstate = running\n", 0) == "active"
    assert agent.state("\tstate = spawn scheduled\n", 0) == "loaded"
