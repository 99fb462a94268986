"""The summed figures of all schedules that a test session ran, printed at its end."""

from tests.faults.schedule_runner import Outcome, table

OUTCOMES: list[Outcome] = []
"""Outcome of each schedule run in this process."""


def report() -> str:
    """Return the figures as a table; an empty string if no schedule was run."""
    return table(OUTCOMES) if OUTCOMES else ""
