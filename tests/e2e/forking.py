"""Many short commands: each in a process of its own, forked from one that has the program's imports behind it."""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from multiprocessing import get_context
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.e2e.conftest import Done

IMPORTED = ("nemuri.face.cli.app", "nemuri.face.cli.failures", "nemuri.face.client", "nemuri.face.operations")
"""What takes most of a command's time, and does nothing but being read."""
AT_ONCE = 4
SECONDS = 60.0
"""What a command may take."""


def forked(commands: Sequence[Sequence[str]], variables: Mapping[str, str]) -> Iterator[Done]:
    """What becomes of each command, in order; raises TimeoutError for one that does not end."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["__main__", *IMPORTED])
    for place in range(0, len(commands), AT_ONCE):
        with TemporaryDirectory() as directory:
            begun = []
            for number, arguments in enumerate(commands[place : place + AT_ONCE]):
                said = (Path(directory, f"{number}.out"), Path(directory, f"{number}.err"))
                process = context.Process(target=_run, args=(list(arguments), dict(variables), *said))
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


def _run(arguments: list[str], variables: dict[str, str], out: Path, err: Path) -> None:
    """The command, in a process of its own, as the console script runs it."""
    for number, path in ((1, out), (2, err)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = ["nemuri", *arguments]
    from nemuri.face.cli import main

    main()
