"""Tests of the times in facts: dates of different precision, in the time zone of the speaker."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from nemuri_domain.conversations.fact_times import held_times, span_of, zone_of

OSLO = ZoneInfo("Europe/Oslo")


@pytest.mark.parametrize(
    ("date", "begin", "end"),
    [
        ("2026", "2026-01-01T00:00+01:00", "2027-01-01T00:00+01:00"),
        ("2026-12", "2026-12-01T00:00+01:00", "2027-01-01T00:00+01:00"),
        (" 2026-2 ", "2026-02-01T00:00+01:00", "2026-03-01T00:00+01:00"),
        ("2026-05-31", "2026-05-31T00:00+02:00", "2026-06-01T00:00+02:00"),
        ("2026-05-31T14:30", "2026-05-31T14:30+02:00", "2026-05-31T14:31+02:00"),
        ("2026-05-31T14:30:59Z", "2026-05-31T14:30+00:00", "2026-05-31T14:31+00:00"),
        ("2026-05-31 14:30+09:00", "2026-05-31T14:30+09:00", "2026-05-31T14:31+09:00"),
    ],
)
def test_a_date_is_as_long_as_it_is_precise(date: str, begin: str, end: str) -> None:
    """A year, a month, a day and a minute begin and end in the speaker's zone, unless an offset is written."""
    assert span_of(date, OSLO) == (datetime.fromisoformat(begin), datetime.fromisoformat(end))


@pytest.mark.parametrize(
    "date",
    ["", "soon", "2026-13", "2026-02-30", "0000", "9999", "2026-05-31T25:00", "2026-05-31T10:00 or so", "31.5.2026",
     "2026-05-31T10:00+99:00"],
)  # fmt: skip
def test_what_is_no_date_is_none(date: str) -> None:
    """A text in another form, a day that does not exist, and one beyond the calendar are no dates."""
    assert span_of(date, OSLO) is None


@pytest.mark.parametrize(("day", "hours"), [("2026-03-29", 23), ("2026-10-25", 25), ("2026-10-26", 24)])
def test_a_day_may_be_longer_or_shorter(day: str, hours: int) -> None:
    """The days on which daylight saving begins and ends have 23 and 25 hours, from midnight to midnight."""
    span = span_of(day, OSLO)
    assert span is not None
    begin, end = span
    assert (end.astimezone(UTC) - begin.astimezone(UTC)) == timedelta(hours=hours)
    assert (begin.hour, end.hour) == (0, 0)


def test_the_zone_is_the_named_one_or_that_of_the_clock() -> None:
    """Without a name the offset of the time counts, and without a time UTC."""
    said_at = datetime(2026, 5, 3, tzinfo=timezone(timedelta(hours=9)))
    assert zone_of(said_at, "Europe/Oslo") == OSLO
    assert zone_of(said_at, None).utcoffset(said_at) == timedelta(hours=9)
    assert zone_of(None, None) == UTC


def test_what_ends_before_it_begins_has_no_end() -> None:
    """The last day is included; an end before the beginning, and what is no date, count as unknown."""
    held = held_times("2026-05-01", "2026-05-01", UTC)
    assert held == {"valid_from": datetime(2026, 5, 1, tzinfo=UTC), "until": datetime(2026, 5, 2, tzinfo=UTC)}
    assert held_times("2026-05-02", "2026-05-01", UTC) == {
        "valid_from": datetime(2026, 5, 2, tzinfo=UTC),
        "until": None,
    }
    assert held_times("soon", "2026", UTC) == {"valid_from": None, "until": datetime(2027, 1, 1, tzinfo=UTC)}
