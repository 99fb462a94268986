"""Commands in processes of their own, forked from one that has the program's imports behind it."""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

IMPORTED = (
    "nemuri.face.cli.app",
    "nemuri.face.cli.failures",
    "nemuri.face.client",
    "nemuri.face.operations",
    "nemuri.face.workers",
)
"""What takes most of a command's time, and does nothing but being read."""
SCRIPT = Path(sys.executable).parent / "nemuri"
AT_ONCE = 4
SECONDS = 120.0
"""What a command may take."""


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


def server() -> ForkServerContext:
    """From which processes are forked; there is one, begun by the first of them."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *IMPORTED])
    return context


def forked(commands: Sequence[Sequence[str]], variables: Mapping[str, str]) -> Iterator[Done]:
    """What becomes of each command, in order; raises TimeoutError for one that does not end."""
    context = server()
    for place in range(0, len(commands), AT_ONCE):
        with TemporaryDirectory() as directory:
            begun = []
            for number, arguments in enumerate(commands[place : place + AT_ONCE]):
                said = (Path(directory, f"{number}.out"), Path(directory, f"{number}.err"))
                process = context.Process(target=become, args=(list(arguments), dict(variables), *said))
                process.start()
                begun.append((process, *said))
            for process, out, err in begun:
                yield Done(_code(process), out.read_bytes().decode(), err.read_bytes().decode())


def _code(process: ForkServerProcess) -> int:
    process.join(SECONDS)
    if process.exitcode is None:
        process.kill()
        process.join()
        raise TimeoutError(f"a command did not end within {SECONDS:g} s")
    return process.exitcode


def become(arguments: list[str], variables: dict[str, str], out: Path, err: Path) -> None:
    """The command, in a process of its own, as the console script runs it."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = [str(SCRIPT), *arguments]  # hooks are installed as the program that was called
    from nemuri.face.cli import main

    main()
