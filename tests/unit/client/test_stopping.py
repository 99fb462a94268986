"""A worker that is told to stop is gone after a while, whatever it does."""

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


def test_what_does_not_come_to_an_end_is_ended() -> None:
    """Tidying up that blocks the whole loop: one SIGTERM is enough."""
    with subprocess.Popen([sys.executable, "-c", STUCK], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"at work\n"
            process.send_signal(signal.SIGTERM)
            assert process.wait(60) == 130
        finally:
            process.kill()
