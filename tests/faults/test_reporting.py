"""The figures say what was not tried, and why."""

from collections import Counter

from tests.faults.running import Outcome, figures
from tests.faults.schedules import schedules


def test_what_was_skipped_is_named_with_its_reason() -> None:
    """It counts as no fault that was survived."""
    drawn = schedules(1, 50)
    kind, number = Counter(fault.kind for each in drawn for fault in each.faults).most_common(1)[0]
    outcomes = [Outcome(each) for each in drawn]
    outcomes[0].skipped = [f"{kind}: there is none"]
    found = figures(outcomes)
    assert found[f"skipped: {kind}: there is none"] == 1
    assert found[f"faults: {kind}"] == number - 1
