"""Tests of the exit of the process when its standard output is missing or closed."""

import os
import subprocess
import sys

INTERRUPTED = """
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from nemuri.cli import main
main()
"""


def ended(*arguments: str, stdout: int | None) -> tuple[int, str]:
    """Return the exit code and the standard error of Python with these arguments and this standard output; None closes
    it.
    """
    closed = (lambda: os.close(1)) if stdout is None else None
    done = subprocess.run(
        [sys.executable, *arguments], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=closed, check=False
    )
    return done.returncode, done.stderr.decode()


def test_without_standard_output_the_process_says_so() -> None:
    """The process prints one line to standard error and nothing else."""
    assert ended("-m", "nemuri", "--version", stdout=None) == (1, "nemuri: standard output is closed\n")


def test_a_closed_pipe_ends_the_process_quietly() -> None:
    """The process ends without a message when its reader, such as `head`, closes the pipe."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended("-m", "nemuri", "--version", stdout=writing) == (1, "")
    finally:
        os.close(writing)


def test_an_interrupt_during_the_start_is_quiet() -> None:
    """Ctrl-C during the imports, which take most of a short command, prints no traceback."""
    assert ended("-c", INTERRUPTED, stdout=subprocess.DEVNULL) == (130, "")
