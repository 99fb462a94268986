"""The platform as a service: what the service file runs, what hooks do meanwhile, and its end."""

import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemuri.system_service.systemd import WRONG_USE
from nemuri_infra.embedded.data_directory import Home
from tests.condition_waits import PATIENCE, wait_until
from tests.e2e.conftest import SCRIPT, CommandLine, environment, stop

pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("command line")]


@pytest.fixture
def service() -> Iterator[CommandLine]:
    """The command line with an empty data directory and an empty home directory. A platform in it is stopped."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-service-")).resolve()
    path.chmod(0o711)
    line = CommandLine(path / "my data", {"HOME": str(path), "XDG_CONFIG_HOME": "", "NEMURI_EMBEDDING_DIMENSION": "64"})
    yield line
    line("down")
    shutil.rmtree(path)


def test_the_service_runs_the_platform_with_its_settings(service: CommandLine) -> None:
    """The command of the installed unit runs the platform with the carried settings. A hook that comes while it starts
    waits for it and starts no other one. `down` ends it, and then there is none to end.
    """
    assert service.run_script("service", "install").code == 0
    unit = Path(service.variables["HOME"]) / ".config/systemd/user/nemuri.service"
    [command] = [line for line in unit.read_text().splitlines() if line.startswith("ExecStart=")]
    words = shlex.split(command.removeprefix("ExecStart="))
    assert words[:4] == [str(SCRIPT), "--data", str(service.data), "up"]
    known = environment(HOME=service.variables["HOME"], NEMURI_HOOK_START="on")
    platform = subprocess.Popen(words, env=known, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        wait_until(lambda: Home(service.data).is_locked)
        assert service.run_script("hook", "wake").code == 0
        assert not (service.data / "hooks" / "up.log").exists()
        assert "platform" in service("service", "status").out
        status = service("status", "--json").json
        assert status["embedding"]["dimension"] == 64
        assert status["database_bytes"] > 0
        assert status["stream_bytes"]["log"] > 0
        assert "size          log " in service("status").out
        done = service("down")
        assert (done.code, done.err) == (0, "")
        assert f"(process {platform.pid})" in done.out
        assert platform.wait(PATIENCE) == 0
    finally:
        stop(platform)
    again = service("down")
    assert (again.code, again.out, again.err) == (1, "", f"nemuri: no platform runs in {service.data}\n")
    assert not Home(service.data).is_locked


@pytest.mark.long
def test_a_hook_leaves_the_start_to_the_service(service: CommandLine) -> None:
    """A hook that comes while the manager waits to start a crashed service again waits too, and starts no platform."""
    assert service.run_script("service", "install").code == 0
    programs = Path(service.variables["HOME"]) / "bin"
    programs.mkdir()
    asked = programs / "asked"
    (programs / "systemctl").write_text(f"#!/bin/sh\ntouch '{asked}'\necho activating\nexit 3\n")
    (programs / "systemctl").chmod(0o755)
    known = environment(**service.variables, NEMURI_HOOK_START="on")
    known |= {"PATH": f"{programs}:{known['PATH']}"}
    hook = subprocess.Popen([SCRIPT, "--data", service.data, "hook", "wake"], env=known)
    try:
        wait_until(asked.exists)
        platform = service.up("--no-window")
        try:
            assert hook.wait(60) == 0
            assert not (service.data / "hooks" / "up.log").exists()
        finally:
            stop(platform)
    finally:
        hook.kill()
        hook.wait()


@pytest.mark.parametrize(
    "content",
    [None, "NEMURI_EMBEDDER\n", "NEMURI_REPLICAS=many\n", "NEMURI_EMBEDDER=none\n", "NEMURI_PROVIDERS=none\n"],
)
def test_wrong_settings_end_the_service_with_one_line(service: CommandLine, content: str | None) -> None:
    """A missing or broken file of settings, or a wrong setting in it, is one line, and no platform starts. The exit
    code is the one after which systemd does not start the service again.
    """
    file = Path(service.variables["HOME"]) / "service.env"
    if content is not None:
        file.write_text(content)
    done = service("up", "--no-window", "--env-file", file)
    assert (done.code, done.out, done.err.count("\n")) == (WRONG_USE, "", 1)
    assert not Home(service.data).is_locked


def test_affect_shows_the_characters_of_each_level(service: CommandLine) -> None:
    """`affect` shows how many characters the memories of each level and the protected ones hold."""
    platform = service.up("--no-window")
    try:
        assert service("hook", "wake").code == 0
        before = service("affect", "assistant", "--json").json
        assert (before["characters"], before["protected_characters"]) == ([0, 0, 0, 0], 0)
        turn = {"cwd": str(service.data), "session_id": "s1", "prompt_response": "done", "prompt": "Rename it."}
        subprocess.run(
            [SCRIPT, "--data", service.data, "hook", "turn", "--assistant", "gemini"],
            env=environment(**service.variables),
            input=json.dumps(turn),
            text=True,
            check=True,
        )
        assert service("affect", "assistant", "remember", "Deploys go out on Tuesdays.").code == 0
        wait_until(lambda: sum(service("affect", "assistant", "--json").json["levels"]) == 1)
        found = service("affect", "assistant", "--json").json
        [memory] = [each for each in found["memories"] if each["protection"] == "none"]
        assert found["characters"] == [len(memory["trigger"] + memory["content"]), 0, 0, 0]
        assert found["protected_characters"] >= len("Deploys go out on Tuesdays.")
    finally:
        stop(platform)
