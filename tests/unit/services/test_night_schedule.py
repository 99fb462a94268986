"""Tests of when a nightly job of an affective memory is due."""

from datetime import UTC, date, datetime, timedelta

from nemuri_domain.affective.aggregate import AffectAgent
from nemuri_services.affective_nightly.night_schedule import due_night

MONDAY = datetime(2026, 6, 1, 12, tzinfo=UTC)
DAY = timedelta(days=1)


def agent(last: date | None = None) -> AffectAgent:
    """Return an agent that was defined on Monday at noon, with the date of its last night."""
    return AffectAgent(agent_id="diary", defined_at=MONDAY, last_night=last)


def test_nights_count_from_the_definition() -> None:
    """Turns that were said before the definition, as those of an import, are as old as they were at the definition."""
    for said in (None, MONDAY - 40 * DAY):
        found = due_night(agent(), MONDAY + 3 * DAY, UTC, said)
        assert found is not None
        assert found.nights == 3


def test_a_clock_that_was_advanced_before_the_first_turn_ages_nothing() -> None:
    """The first turn of an agent that was defined after the clock was advanced ages by the days since that turn."""
    ahead = MONDAY + 24 * DAY
    assert due_night(agent(), ahead, UTC, ahead) is None
    found = due_night(agent(), ahead + DAY, UTC, ahead)
    assert found is not None
    assert found.nights == 1


def test_later_nights_count_from_the_last_one() -> None:
    """After the first night all days since the last one count."""
    found = due_night(agent(last=MONDAY.date() + DAY), MONDAY + 4 * DAY, UTC, MONDAY)
    assert found is not None
    assert found.nights == 3
