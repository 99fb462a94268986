"""Tests of reading log positions that users write."""

from datetime import UTC, datetime, timedelta

import pytest

from nemuri.operations.log_position_parsing import LogPosition, LogPositionError
from nemuri_contracts.event import Event
from tests.unit.domain.strength import stories

NOW = datetime(2026, 5, 31, 12, 30, tzinfo=UTC)


def at(text: str) -> datetime | None:
    """Return the time of the position that a text means; None if it means no time."""
    return LogPosition.read(text, NOW).time


def event(sequence: int) -> Event:
    """Return an event recorded `sequence` minutes after the start of the log."""
    return stories.recorded(stories.defined(), sequence)


def test_a_number_is_a_sequence() -> None:
    """A number means a sequence. The position includes all events up to it."""
    place = LogPosition.read(" 12 ", NOW)
    assert (place.sequence, place.time) == (12, None)
    assert (LogPosition.read("1" * 5_000, NOW).sequence or 0) > 10**18
    assert [place.includes(event(number)) for number in (11, 12, 13)] == [True, True, False]


def test_a_time_is_in_utc_unless_it_has_a_zone() -> None:
    """A time is in UTC unless it has a time zone. A day means its midnight."""
    assert at("2026-05-31") == datetime(2026, 5, 31, tzinfo=UTC)
    assert (
        at("2026-05-31T10:30") == at("2026-05-31 12:30+02:00") == at("2026-05-31T10:30:00Z") == NOW - timedelta(hours=2)
    )
    place = LogPosition("then", time=event(12).at)
    assert [place.includes(event(number)) for number in (11, 12, 13)] == [True, True, False]


@pytest.mark.parametrize(
    ("text", "ago"),
    [("2h", {"hours": 2}), ("90 m", {"minutes": 90}), ("1.5d ago", {"days": 1.5}), ("30s", {"seconds": 30})],
)
def test_a_duration_is_a_time_before_now(text: str, ago: dict[str, float]) -> None:
    """A duration in days, hours, minutes or seconds means the time that long before now."""
    assert at(text) == NOW - timedelta(**ago)


@pytest.mark.parametrize("text", [None, "now"])
def test_no_position_means_the_end_of_the_log(text: str | None) -> None:
    """No position means the end of the log, after all events."""
    place = LogPosition.read(text, NOW)
    assert (place.sequence, place.time) == (None, None)
    assert place.includes(event(10**9))


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
def test_an_invalid_position_is_refused(text: str) -> None:
    """An invalid position is refused with an error that shows the valid forms."""
    with pytest.raises(LogPositionError, match="is not a position in the log: write the number of an event"):
        LogPosition.read(text, NOW)


def test_a_position_in_the_future_is_refused() -> None:
    """A time or a sequence after the end of the log is refused."""
    with pytest.raises(LogPositionError, match="2026-06-01 is in the future: it is 2026-05-31T12:30:00 UTC now"):
        LogPosition.read("2026-06-01", NOW)
