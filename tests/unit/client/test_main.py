"""How the process ends when it is cut off from its terminal."""

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
    """Exit code and standard error of Python with these arguments and this standard output; None: a closed one."""
    closed = (lambda: os.close(1)) if stdout is None else None
    done = subprocess.run(
        [sys.executable, *arguments], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=closed, check=False
    )
    return done.returncode, done.stderr.decode()


def test_without_standard_output_it_says_so() -> None:
    """In one line, and nothing else."""
    assert ended("-m", "nemuri", "--version", stdout=None) == (1, "nemuri: standard output is closed\n")


def test_when_nobody_reads_on_it_ends_quietly() -> None:
    """As programs do before `| head`."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        assert ended("-m", "nemuri", "--version", stdout=writing) == (1, "")
    finally:
        os.close(writing)


def test_an_interruption_of_its_start_is_quiet() -> None:
    """Importing takes most of the time of a short command."""
    assert ended("-c", INTERRUPTED, stdout=subprocess.DEVNULL) == (130, "")
