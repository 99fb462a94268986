"""Waiting for a condition of another process."""

import time
from collections.abc import Callable

PATIENCE = 300.0
"""Seconds after which a test gives up waiting. No measure: it is long enough for the slowest and busiest machine."""


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE, said: Callable[[], str] = str) -> None:
    """Wait until a condition is true. Raises `AssertionError` with what `said` returns after `seconds` seconds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, said()
        time.sleep(0.1)
