"""The command that starts this installation of the program."""

import os
import sys
from pathlib import Path


def program_words() -> tuple[str, ...]:
    """Return the words that start this program from any directory: its script, otherwise the interpreter and module."""
    called = Path(sys.argv[0]).absolute()
    return (
        (str(called),) if called.stem == "nemuri" and os.access(called, os.X_OK) else (sys.executable, "-m", "nemuri")
    )
