"""The age of a consumer's oldest event is measured without reading it."""

from nemuri_infra.runtime.readiness import OldestEvents


def test_the_age_counts_from_when_the_event_was_first_seen() -> None:
    """The age rises while the same event is the oldest, also if more events come, and by consumer."""
    events = OldestEvents()
    assert events.age("intake", waiting=1, completed=7, now=100.0) == 0
    assert events.age("tutor", waiting=1, completed=7, now=103.0) == 0
    assert events.age("intake", waiting=50, completed=7, now=105.0) == 5
    assert events.age("tutor", waiting=1, completed=7, now=105.0) == 2


def test_a_completed_event_ends_the_age() -> None:
    """The age begins anew when the oldest event is completed, and is 0 while no event waits."""
    events = OldestEvents()
    events.age("intake", waiting=2, completed=7, now=100.0)
    assert events.age("intake", waiting=1, completed=8, now=109.0) == 0
    assert events.age("intake", waiting=0, completed=9, now=200.0) == 0
    assert events.age("intake", waiting=0, completed=9, now=300.0) == 0
    assert events.age("intake", waiting=1, completed=9, now=301.0) == 0
    assert events.age("intake", waiting=1, completed=9, now=303.0) == 2
