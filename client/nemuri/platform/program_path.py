"""The command that starts this installation of the program."""

import os
import shlex
import sys
from pathlib import Path

_NAME = "nemuri"


def program_words() -> tuple[str, ...]:
    """Return the words that start this program from any directory: its script, otherwise the interpreter and module."""
    called = Path(sys.argv[0]).absolute()
    return (str(called),) if called.stem == _NAME and os.access(called, os.X_OK) else (sys.executable, "-m", "nemuri")


def program_command() -> str:
    """Return the command line that starts this program in a shell: its name, if the PATH leads to it."""
    words = program_words()
    named = next((each for each in map(_script_in, os.get_exec_path()) if os.access(each, os.X_OK)), None)
    return _NAME if words == (named,) else shlex.join(words)


def _script_in(folder: str) -> str:
    return os.path.join(folder, _NAME)  # noqa: PTH118 - pathlib takes longer
