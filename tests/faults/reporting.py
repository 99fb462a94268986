"""The figures of the schedules that a session of tests ran, for whoever reads its end."""

from tests.faults.running import Outcome, table

OUTCOMES: list[Outcome] = []
"""What became of each schedule, in this process."""


def report() -> str:
    """The figures; empty where no schedule was run."""
    return table(OUTCOMES) if OUTCOMES else ""
