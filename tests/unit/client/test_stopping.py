"""A stopped worker ends within a limited time."""

import signal
import subprocess
import sys

STUCK = """
import threading
from nemuri.platform.workers import run_until_stopped

async def stuck(stop):
    try:
        print("at work", flush=True)
        await stop.wait()
    finally:
        threading.Event().wait()

run_until_stopped(stuck, within=0.1)
"""


def test_a_blocked_shutdown_is_ended() -> None:
    """A single SIGTERM ends a worker even if its clean-up blocks the event loop."""
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"at work\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 130
        finally:
            process.kill()
