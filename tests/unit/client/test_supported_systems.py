"""Tests of the start on Windows, which has none of the modules of Unix."""

import subprocess
import sys

import pytest

UNIX_MODULES = ("fcntl", "grp", "pwd", "resource", "termios")
WINDOWS = f"""
import asyncio, concurrent.futures.thread, multiprocessing, nats, platformdirs, pydantic, ssl, subprocess, sys, zoneinfo
zoneinfo.ZoneInfo("UTC")  # these have parts for Windows that are not here
sys.modules.update(dict.fromkeys({UNIX_MODULES!r}))  # to import them fails
sys.platform = "win32"
"""
CLIENT = """
import os
os.environ["NATS_URL"] = "nats://127.0.0.1:1"
import nemuri
try:
    with nemuri.connect_sync() as client:
        client.recall("helper", "tea")
except nemuri.ClientError as error:
    print(type(error).__name__, error)
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
    assert done.stderr.startswith("nemuri: the command line and the platform do not run on Windows itself")
    assert "WSL" in done.stderr


def test_a_client_of_a_platform_elsewhere_works() -> None:
    """On Windows a program connects to the address of a platform: here nothing listens there, which the error says."""
    done = on_windows(CLIENT)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("NotConnectedError")
