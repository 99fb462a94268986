"""The first hook of a session in an empty home starts the platform, once, and prepares the memory."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from nemuri_infra.embedded.data_directory import Home
from tests.condition_waits import PATIENCE, wait_until
from tests.e2e.conftest import SCRIPT, environment

TOO_EARLY = ("up: refused: there is no agent 'assistant'", "no answer on nemuri-query.agents", "took longer than")
"""Entries of the journal from before the agent was defined, or while a busy machine was slow to answer. What waits is
handed on later.
"""
pytestmark = [pytest.mark.connected, pytest.mark.xdist_group("command line")]


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home directory that PostgreSQL's own user can reach. What runs in it is stopped afterwards."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    path.chmod(0o711)
    yield path
    for process in psutil.process_iter(["cmdline"]):
        if str(path) in " ".join(process.info["cmdline"] or ()) and "nemuri" in (process.info["cmdline"] or ()):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=PATIENCE)
    shutil.rmtree(path)


def until(condition: Callable[[], bool], data: Path) -> None:
    """Wait for a condition; if it does not come true, say what the hooks wrote."""
    journal = data / "hooks" / "journal"
    wait_until(condition, said=lambda: journal.read_text() if journal.exists() else "nothing in the journal")


def test_the_first_hook_starts_one_platform_and_remembers(home: Path) -> None:
    """Hooks that find no platform start one, however many they are. A turn that ended before it was ready is a memory
    then, and the next prompt brings it up.
    """
    data = home / "data"
    known = environment(HOME=str(home), NEMURI_DATA=str(data), NEMURI_HOOK_START="on")

    def hook(name: str, **said: object) -> str:
        done = subprocess.run(
            [SCRIPT, "hook", name],
            env=known,
            input=json.dumps({"session_id": "s1", "cwd": str(home / "bakery")} | said),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def waking() -> bool:
        found = [each.info["cmdline"] or [] for each in psutil.process_iter(["cmdline"])]
        return any("wake" in each and str(data) in each for each in found)

    transcript = home / "s1.jsonl"
    entries = [
        {"type": "user", "uuid": "u1", "message": {"content": "The login fails since we moved to the new cluster."}},
        {"type": "assistant", "uuid": "a1", "message": {"content": "The token had expired; I renewed it."}},
    ]
    transcript.write_text("\n".join(map(json.dumps, entries)))
    hooks = (
        ("session-start", {"source": "startup"}),
        ("prompt", {"prompt": "hello"}),
        ("stop", {"transcript_path": str(transcript)}),
    )
    with ThreadPoolExecutor() as pool:
        assert [*pool.map(lambda each: hook(each[0], **each[1]), hooks)] == [""] * 3
    asked = {"session_id": "s2", "prompt": "Why did the login fail on the new cluster?"}
    until(lambda: "cluster" in hook("prompt", **asked), data)
    until(lambda: not waking(), data)
    holder = Home(data).holder
    assert holder is not None
    assert holder.pid != os.getpid()
    started = (data / "hooks" / "up.log").read_text()
    assert started.count("nemuri runs in") == 1
    assert "token" not in started
    journal = data / "hooks" / "journal"
    trouble = journal.read_text().splitlines() if journal.exists() else []
    assert [line for line in trouble if not any(early in line for early in TOO_EARLY)] == []
