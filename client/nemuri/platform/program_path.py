"""The command that starts this installation of the program.

Hooks read it at each prompt, so it imports neither `pathlib` nor, mostly, `shlex`: together they take 25 milliseconds.
"""
# ruff: noqa: PTH100, PTH118, PTH119, PTH122 - see above

import os
import sys

_NAME = "nemuri"


def program_words() -> tuple[str, ...]:
    """Return the words that start this program from any directory: its script, otherwise the interpreter and module."""
    called = os.path.abspath(sys.argv[0])
    is_script = os.path.splitext(os.path.basename(called))[0] == _NAME and os.access(called, os.X_OK)
    return (called,) if is_script else (sys.executable, "-m", "nemuri")


def program_command() -> str:
    """Return the command line that starts this program in a shell: its name, if the PATH leads to it."""
    words = program_words()
    named = next((path for path in map(_script_in, os.get_exec_path()) if os.access(path, os.X_OK)), None)
    if words == (named,):
        return _NAME
    import shlex

    return shlex.join(words)


def _script_in(folder: str) -> str:
    return os.path.join(folder, _NAME)
