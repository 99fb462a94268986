"""The printed figures list skipped faults with their reasons."""

from collections import Counter

from tests.faults.schedule_runner import Outcome, figures
from tests.faults.schedules import schedules


def test_a_skipped_fault_is_reported_with_its_reason() -> None:
    """A skipped fault is listed with its reason and is not counted as injected."""
    drawn = schedules(1, 50)
    kind, number = Counter(fault.kind for schedule in drawn for fault in schedule.faults).most_common(1)[0]
    outcomes = [Outcome(schedule) for schedule in drawn]
    outcomes[0].skipped = [f"{kind}: there is none"]
    found = figures(outcomes)
    assert found[f"skipped: {kind}: there is none"] == 1
    assert found[f"faults: {kind}"] == number - 1
