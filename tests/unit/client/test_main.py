"""Tests of the whole process: the end when its standard output is missing or closed, and completion in a shell."""

import os
import re
import subprocess
import sys

import pytest

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
    """Run Python with these arguments, and return its exit code and standard error.

    `stdout` is the file descriptor of its standard output; None closes it.
    """
    closed = (lambda: os.close(1)) if stdout is None else None
    done = subprocess.run(
        [sys.executable, *arguments], stdout=stdout, stderr=subprocess.PIPE, preexec_fn=closed, check=False
    )
    return done.returncode, done.stderr.decode()


def test_without_standard_output_the_process_says_so() -> None:
    """Without standard output the process prints exactly one line, to standard error."""
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
    """Ctrl-C during the imports prints no traceback. The imports take most of the time of a short command."""
    assert ended("-c", INTERRUPTED, stdout=subprocess.DEVNULL) == (130, "")


@pytest.mark.parametrize(
    ("shell", "line", "completions"),
    [
        *((shell, "nemuri mem", ["memories", "memory", "memo"]) for shell in ("bash", "zsh", "fish", "powershell")),
        ("bash", "nemuri recall --ki", ["--kind"]),
    ],
)
def test_a_shell_completes_commands_and_options(shell: str, line: str, completions: list[str]) -> None:
    """The process answers the script of a shell with the commands and options that begin like the last word."""
    asked = {
        "_NEMURI_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split()) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_WORD_TO_COMPLETE": line.rsplit(maxsplit=1)[-1],
    }
    done = subprocess.run(
        [sys.executable, "-m", "nemuri"], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    offered = re.findall(r'^(?:_arguments .*\(\()?"?([\w-]+)', done.stdout, re.MULTILINE)
    assert (done.returncode, offered) == (0, completions)
