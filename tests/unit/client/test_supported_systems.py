"""Tests of the start on Windows, which has none of the modules of Unix."""

import subprocess
import sys

import pytest

UNIX_MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
WINDOWS = f"""
import sys
sys.modules.update(dict.fromkeys({UNIX_MODULES!r}))  # to import them fails
sys.platform = "win32"
"""


def on_windows(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program that begins as if it were on Windows."""
    return subprocess.run(
        [sys.executable, "-c", WINDOWS + program, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("arguments", [("up",), ("hook", "prompt"), ("hook", "install", "--write"), ("--help",)])
def test_every_command_says_in_one_sentence_that_windows_is_not_supported(arguments: tuple[str, ...]) -> None:
    """On Windows every command ends with one line that names WSL, and with exit code 1."""
    done = on_windows("from nemuri.cli import main; main()", *arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith("nemuri: Windows itself is not supported")
    assert "WSL" in done.stderr


def test_the_library_says_so_too() -> None:
    """On Windows a public name of the library cannot be imported, for the same reason."""
    done = on_windows("import nemuri\ntry:\n    nemuri.connect\nexcept ImportError as error:\n    print(error)")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("Windows itself is not supported")
