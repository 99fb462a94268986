"""Places in the log as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from nemuri.operations.log_positions import LogPosition, LogPositionError
from nemuri_contracts.event import Event
from tests.unit.domain.strength import stories

NOW = datetime(2026, 5, 31, 12, 30, tzinfo=UTC)


def at(text: str) -> datetime | None:
    """The time that is meant."""
    return LogPosition.read(text, NOW).time


def event(sequence: int) -> Event:
    """An event of the log, recorded so many minutes after the beginning."""
    return stories.recorded(stories.defined(), sequence)


def test_a_number_is_that_of_an_event() -> None:
    """Everything up to that event lies before the place."""
    place = LogPosition.read(" 12 ", NOW)
    assert (place.sequence, place.time) == (12, None)
    assert (LogPosition.read("1" * 5_000, NOW).sequence or 0) > 10**18
    assert [place.holds(event(number)) for number in (11, 12, 13)] == [True, True, False]


def test_a_time_is_in_utc_unless_it_has_a_zone() -> None:
    """A day begins at midnight."""
    assert at("2026-05-31") == datetime(2026, 5, 31, tzinfo=UTC)
    assert (
        at("2026-05-31T10:30") == at("2026-05-31 12:30+02:00") == at("2026-05-31T10:30:00Z") == NOW - timedelta(hours=2)
    )
    place = LogPosition("then", time=event(12).at)
    assert [place.holds(event(number)) for number in (11, 12, 13)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "ago"),
    [("2h", {"hours": 2}), ("90 m", {"minutes": 90}), ("1.5d ago", {"days": 1.5}), ("30s", {"seconds": 30})],
)
def test_a_stretch_of_time_is_that_long_ago(text: str, ago: dict[str, float]) -> None:
    """In days, hours, minutes or seconds."""
    assert at(text) == NOW - timedelta(**ago)


@pytest.mark.parametrize("text", [None, "now"])
def test_without_a_place_it_is_the_end(text: str | None) -> None:
    """Which everything lies before."""
    place = LogPosition.read(text, NOW)
    assert (place.sequence, place.time) == (None, None)
    assert place.holds(event(10**9))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "-1",
        "1.5",
        "yesterday",
        "2026-13-01",
        "2026-05-31T25:00",
        "999999d",
        "0001-01-01T00:00+14:00",
        "²",
    ],
)
def test_what_is_no_place_is_refused(text: str) -> None:
    """With how one is written."""
    with pytest.raises(LogPositionError, match="is not a position in the log: write the number of an event"):
        LogPosition.read(text, NOW)


def test_what_is_still_to_come_is_refused() -> None:
    """Nobody knows it yet."""
    with pytest.raises(LogPositionError, match="2026-06-01 is in the future: it is 2026-05-31T12:30:00 UTC now"):
        LogPosition.read("2026-06-01", NOW)
