"""Commands in processes of their own, forked from one that has the program's imports behind it."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import wait
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

IMPORTED = (
    "nemuri.cli.app",
    "nemuri.cli.failures",
    "nemuri.client.client",
    "nemuri.operations",
    "nemuri.platform.workers",
)
"""What takes most of a command's time, and does nothing but being read."""
SCRIPT = Path(sys.executable).parent / "nemuri"
AT_ONCE = 4
SECONDS = 170.0
"""What a command may take."""
_ONE_THREAD = Lock()
"""Whoever starts a process looks at all others too; of two threads that read one's exit code, the later is told 255."""


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, read as JSON."""
        return json.loads(self.out)


def fork(target: Callable[..., None], *arguments: object) -> ForkServerProcess:
    """Start a process; what it is forked from is one for all, begun by the first of them."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *IMPORTED])
    process = context.Process(target=target, args=arguments)
    with _ONE_THREAD:
        process.start()
    return process


def exit_code(process: ForkServerProcess, seconds: float | None = None) -> int | None:
    """Wait for the end of a process, for ever or so long; return its code (negative: the signal), or None."""
    wait([process.sentinel], seconds)
    with _ONE_THREAD:
        return process.exitcode


def forked(commands: Sequence[Sequence[str]], variables: Mapping[str, str]) -> Iterator[Done]:
    """What becomes of each command, in order; raises TimeoutError for one that does not end."""
    for place in range(0, len(commands), AT_ONCE):
        with TemporaryDirectory() as directory:
            begun = []
            for number, arguments in enumerate(commands[place : place + AT_ONCE]):
                said = (Path(directory, f"{number}.out"), Path(directory, f"{number}.err"))
                begun.append((fork(become, list(arguments), dict(variables), *said), *said))
            for process, out, err in begun:
                yield Done(_code(process), out.read_bytes().decode(), err.read_bytes().decode())


def _code(process: ForkServerProcess) -> int:
    code = exit_code(process, SECONDS)
    if code is None:
        process.kill()
        exit_code(process)
        raise TimeoutError(f"a command did not end within {SECONDS:g} s")
    return code


def become(arguments: list[str], variables: dict[str, str], out: Path, err: Path) -> None:
    """The command, in a process of its own, as the console script runs it."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [str(SCRIPT), *arguments]  # hooks are installed as the program that was called
    from nemuri.cli import main

    main()
