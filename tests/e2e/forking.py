"""Commands in processes forked from a server process that has already imported the program."""

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from nemuri.cli.command_modules import MODULES
from tests.condition_waits import PATIENCE

IMPORTED = (
    *(f"nemuri.cli.{module}" for module in (*MODULES, "app", "command_tree", "failures")),
    "nemuri.admin.agent_definitions",
    "nemuri.admin.dead_letters",
    "nemuri.admin.log_statistics",
    "nemuri.admin.platform_status",
    "nemuri.admin.principle_lines",
    "nemuri.client.client",
    "nemuri.client.connection",
    "nemuri.files.textbooks",
    "nemuri.hook.entry",
    "nemuri.hook.transcript_import",
    "nemuri.moving.registry",
    "nemuri.operations",
    "nemuri.operations.erasure",
    "nemuri.platform.shutdown",
    "nemuri.platform.workers",
    "nemuri.system_service.definition",
    "nemuri.terminal.output",
    "nemuri_society.cli.society",
)
"""Modules that the fork server imports, also those that commands import when they run. Importing them takes most of a
command's time.
"""
SCRIPT = Path(sys.executable).parent / "nemuri"
CONCURRENT_COMMANDS = 4
_PROCESS_LOCK = Lock()
"""Held while a process is started or its exit code is read.

Starting a process polls all child processes. If two threads read the exit code of one process, the second one gets 255.
"""


@dataclass(frozen=True)
class CommandResult:
    """The outcome of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, parsed as JSON."""
        return json.loads(self.out)


def fork(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Start a process that calls `target` with `arguments`. It is forked from the fork server, which the first call
    starts.
    """
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *IMPORTED])
    process = context.Process(target=target, args=arguments)
    with _PROCESS_LOCK:
        process.start()
    return process


def exit_code(process: ForkServerProcess, seconds: float | None = None) -> int | None:
    """Wait for the end of a process, at most `seconds`, or without limit if that is None.

    Return its exit code (negative if a signal ended it), or None if it still runs.
    """
    wait([process.sentinel], seconds)
    with _PROCESS_LOCK:
        return process.exitcode


def run_forked(commands: Sequence[Sequence[str]], variables: Mapping[str, str]) -> list[CommandResult]:
    """Run commands, `CONCURRENT_COMMANDS` at a time, and return their outcomes in the order of `commands`.

    Raises `TimeoutError` if a command does not end within `PATIENCE` seconds.
    """
    ended = list[CommandResult]()
    for start in range(0, len(commands), CONCURRENT_COMMANDS):
        with TemporaryDirectory() as directory:
            started = []
            for number, arguments in enumerate(commands[start : start + CONCURRENT_COMMANDS]):
                outputs = (Path(directory, f"{number}.out"), Path(directory, f"{number}.err"))
                started.append((fork(run_command, list(arguments), dict(variables), *outputs), *outputs))
            for process, out, err in started:
                ended.append(CommandResult(_code(process), out.read_bytes().decode(), err.read_bytes().decode()))
    return ended


def _code(process: ForkServerProcess) -> int:
    code = exit_code(process, PATIENCE)
    if code is None:
        process.kill()
        exit_code(process)
        raise TimeoutError(f"a command did not end within {PATIENCE:g} s")
    return code


def run_command(arguments: list[str], variables: dict[str, str], out: Path, err: Path) -> None:
    """Run a command in this forked process as the console script does, with its output written to `out` and `err`."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [str(SCRIPT), *arguments]  # `hook install` writes the path in argv[0] into the hooks.
    from nemuri.cli import main

    main()
