"""Fixtures for tests of the command line: one shared platform, started by the real console script."""

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

import psutil
import pytest

from tests.condition_waits import PATIENCE
from tests.e2e.forking import CommandResult, run_forked
from tests.integration.embedded.stored_data import processes_in

SHARED_PLATFORM = pytest.mark.xdist_group("command line")
"""Marks tests that share the platform, so that pytest-xdist runs them in one process."""
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
ISOLATED_AGENT = """\
id: {name}
role: a hermit
description: nothing that anybody asks for
perspectives:
  - taste
policy:
  expected_tasks_per_day: 1
  fading: tasks
"""
"""Definition of an agent that no question of another test is routed to, so that a test can count the agent's events."""
FACTS = ("salt the water before the pasta goes in", "knead bread dough for ten minutes", "rest the steak")


def environment(**variables: str) -> dict[str, str]:
    """Return this process's environment plus `variables`, without settings of Nemuri, of providers and of servers.

    Hooks start no platform.
    """
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("NEMURI_", "OPENAI", "ANTHROPIC"))
    }
    for name in ("NATS_URL", "DATABASE_URL"):
        kept.pop(name, None)
    return kept | {"NEMURI_HOOK_START": "off"} | variables


@dataclass(frozen=True)
class CommandLine:
    """The `nemuri` command line, called with one data directory."""

    data: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str | bytes | Path, **variables: str) -> CommandResult:
        """Run a command to its end and return its outcome. Its process is forked from one that has imported the
        program.
        """
        command = ["--data", str(self.data), *(os.fsdecode(argument) for argument in arguments)]
        [done] = run_forked([command], environment(**self.variables, **variables))
        return done

    def run_script(self, *arguments: str | bytes | Path, **variables: str) -> CommandResult:
        """Run the console script to its end and return its outcome. Its new interpreter does all imports itself."""
        done = subprocess.run(
            [SCRIPT, "--data", self.data, *arguments],
            env=environment(**self.variables, **variables),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        return CommandResult(done.returncode, done.stdout.decode(), done.stderr.decode())

    def event_count(self) -> int:
        """Wait until all consumers are idle, and return the number of events on the log.

        Waiting is necessary because many events of a task follow its answer. Consumers are read one after another, so a
        single check can miss an event that passes from one to the next. Therefore two successive checks must be equal.
        """
        ends = list[int]()
        while (
            len(ends) < 2 or ends[-1] != ends[-2]
        ):  # Each check runs a command. The time limit of the test ends the loop.
            seen = self("status", "--json").json
            busy = any(each["pending"] or each["in_work"] for each in seen["consumers"].values())
            ends = [] if busy else [*ends, seen["log"]]
        return int(self("log", "stats", "--json").json["events"])

    def add_agent(self, name: str, definition: str = ISOLATED_AGENT) -> str:
        """Add an agent with this name and with the memories `FACTS`, and return the name."""
        path, lines = self.data / f"{name}.yaml", self.data / f"{name}.jsonl"
        path.write_text(definition.format(name=name), encoding="utf-8")
        assert self("agent", "add", path).code == 0
        lines.write_text("".join(json.dumps({"content": fact, "tags": ["kitchen"]}) + "\n" for fact in FACTS))
        assert self("import", "jsonl", name, lines).code == 0
        return name

    def up(self, *options: str) -> subprocess.Popen[str]:
        """Start a platform and return its process when it is ready."""
        return self.up_with_line(*options)[0]

    def up_with_line(self, *options: str) -> tuple[subprocess.Popen[str], str]:
        """Start a platform, and return its process and the line that it prints when it has started."""
        process = subprocess.Popen(
            [SCRIPT, "--data", self.data, "up", *options],
            env=environment(**self.variables),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "nemuri runs in" in line, process.communicate()[1]
        return process, line


def stop(process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> int:
    """Send a platform a signal, wait for its end, and return its exit code."""
    process.send_signal(number)
    process.communicate(timeout=PATIENCE)
    return process.returncode


@pytest.fixture
def cli() -> Iterator[CommandLine]:
    """The command line with an empty data directory. Asserts afterwards that no process is left."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-alone-")).resolve()
    yield CommandLine(path)
    left = processes_in(path)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=PATIENCE)
    shutil.rmtree(path)
    assert left == [], "processes are left after the test"


@pytest.fixture(scope="session")
def directory() -> Iterator[Path]:
    """A data directory that PostgreSQL's own user can reach, unlike pytest's temporary directories."""
    path = Path(tempfile.mkdtemp(prefix="nemuri-cli-")).resolve()
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="session")
def nemuri(directory: Path) -> Iterator[CommandLine]:
    """The command line of a running platform with one agent, `cook`, that remembers three facts."""
    line = CommandLine(directory)
    platform = line.up()
    try:
        line.add_agent("cook", AGENT)
        yield line
    finally:
        stop(platform)


@pytest.fixture(scope="session")
def task(nemuri: CommandLine) -> str:
    """Id of an answered task."""
    return str(nemuri("ask", QUESTION, "--json").json["task_id"])
