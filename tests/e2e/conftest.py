"""One platform for all tests of the command line, started by the real console script."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.forking import Done, forked

TOGETHER = pytest.mark.xdist_group("command line")
"""Tests that share the one platform, so that no other process starts another for them."""
SCRIPT = Path(sys.executable).parent / "nemuri"
QUESTION = "What do I do with the water before the pasta goes in?"
AGENT = """\
id: cook
role: a cook
description: pasta, water, salt, cooking
perspectives:
  - taste
  - name: craft
    keywords: [boil, heat]
policy:
  expected_tasks_per_day: 1
  fading: tasks
"""
ALONE = """\
id: {name}
role: a hermit
description: nothing that anybody asks for
perspectives:
  - taste
policy:
  expected_tasks_per_day: 1
  fading: tasks
"""
"""An agent that answers nothing but what it alone is asked: for tests that count what an agent did."""
FACTS = ("salt the water before the pasta goes in", "knead bread dough for ten minutes", "rest the steak")


def environment(**more: str) -> dict[str, str]:
    """Ours without anything that leads elsewhere."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("NEMURI_", "OPENAI", "ANTHROPIC"))
    }
    for name in ("NATS_URL", "DATABASE_URL"):
        kept.pop(name, None)
    return kept | more


@dataclass(frozen=True)
class CommandLine:
    """The command line on one data directory."""

    data: Path
    more: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | bytes | Path, **variables: str) -> Done:
        """Run a command to its end; it has the program's imports behind it."""
        command = ["--data", str(self.data), *(os.fsdecode(each) for each in arguments)]
        [done] = forked([command], environment(**self.more, **variables))
        return done

    def afresh(self, *arguments: str | bytes | Path, **variables: str) -> Done:
        """Run the console script to its end: whatever it imports, it imports itself."""
        done = subprocess.run(
            [SCRIPT, "--data", self.data, *arguments],
            env=environment(**self.more, **variables),
            capture_output=True,
            timeout=170,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(), done.stderr.decode())

    def events(self) -> int:
        """How many events the log holds once nobody works on any: much of a task happens after its answer.

        Consumers are looked at one after another, so what goes from one to the next may be overlooked, once.
        """
        ends = list[int]()
        while len(ends) < 2 or ends[-1] != ends[-2]:  # each look is a command; the test's own limit ends it
            seen = self("status", "--json").json
            busy = any(each["pending"] or each["in_work"] for each in seen["consumers"].values())
            ends = [] if busy else [*ends, seen["log"]]
        return int(self("log", "stats", "--json").json["events"])

    def teach(self, name: str, definition: str = ALONE) -> str:
        """Add the agent of this name, that knows the facts."""
        path, lines = self.data / f"{name}.yaml", self.data / f"{name}.jsonl"
        path.write_text(definition.format(name=name), encoding="utf-8")
        assert self("agent", "add", path).code == 0
        lines.write_text("".join(json.dumps({"content": fact, "tags": ["kitchen"]}) + "\n" for fact in FACTS))
        assert self("remember", name, "--file", lines).code == 0
        return name

    def up(self, *options: str) -> subprocess.Popen[str]:
        """Start a platform and return when it is ready."""
        process = subprocess.Popen(
            [SCRIPT, "--data", self.data, "up", *options],
            env=environment(**self.more),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "nemuri runs in" in line, process.communicate()[1]
        return process


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> int:
    """End a platform by a signal and return its exit code."""
    process.send_signal(number)
    process.communicate(timeout=30)
    return process.returncode


@pytest.fixture(scope="session")
def directory() -> Iterator[Path]:
    """A data directory that PostgreSQL's own user can reach; pytest's are closed to it."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def nemuri(directory: Path) -> Iterator[CommandLine]:
    """The command line of a running platform with one agent, the cook, that knows three things."""
    line = CommandLine(directory)
    platform = line.up()
    try:
        line.teach("cook", AGENT)
        yield line
    finally:
        stop(platform)


@pytest.fixture(scope="session")
def task(nemuri: CommandLine) -> str:
    """The id of an answered task."""
    return str(nemuri("ask", QUESTION, "--json").json["task_id"])
