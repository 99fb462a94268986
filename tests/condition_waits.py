"""Waiting for a condition of another process."""

import time
from collections.abc import Callable


def wait_until(condition: Callable[[], bool], seconds: float = 60.0, said: Callable[[], str] = str) -> None:
    """Wait until a condition is true. Raises `AssertionError` with what `said` returns after `seconds` seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, said()
        time.sleep(0.1)
