"""Times in facts: a date as precise as somebody said it, in the time zone of the speaker."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(.*))?)?)?")
"""A year, a month, a day or a minute in the order of ISO 8601, perhaps with an offset."""
_OFFSET: Final = re.compile(r"\s*(?:Z|([+-])(\d{2}):?(\d{2}))\s*")
_DECEMBER: Final = 12


def zone_of(said_at: datetime | None, name: str | None) -> tzinfo:
    """Return the time zone of a speaker: the one with this name of the IANA database, else the offset of the time at
    which it was said, else UTC.
    """
    if name is not None:
        return ZoneInfo(name)
    offset = said_at.utcoffset() if said_at is not None else None
    return UTC if offset is None else timezone(offset)


def span_of(date: str, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """Return the beginning and the end of a year, month, day or minute, the end excluded; None if it is none of these.

    A day begins and ends at the midnights of the zone, so that it may have 23 or 25 hours.
    """
    match = _DATE.fullmatch(date.strip())
    if match is None:
        return None
    year, month, day, hour, minute, offset = match.groups()
    try:
        if hour is not None:
            found = _zone(offset, zone)
            at = datetime(int(year), int(month), int(day), int(hour), int(minute), tzinfo=found) if found else None
            return (at, at + timedelta(minutes=1)) if at else None
        begin = datetime(int(year), int(month or 1), int(day or 1), tzinfo=zone)
        if day is not None:
            end = (begin + timedelta(days=1)).replace(tzinfo=zone)
        elif month is not None:
            end = begin.replace(year=begin.year + begin.month // _DECEMBER, month=begin.month % _DECEMBER + 1)
        else:
            end = begin.replace(year=begin.year + 1)
    except (ValueError, OverflowError):
        return None
    return begin, end


def held_times(begins: str, ends: str, zone: tzinfo) -> dict[str, datetime | None]:
    """Return since when and until when something holds (`valid_from`, `until`), from the dates that say so. A date that
    cannot be read counts as unknown, and an end before the beginning too.
    """
    first, last = span_of(begins, zone), span_of(ends, zone)
    begin, end = first[0] if first else None, last[1] if last else None
    if begin is not None and end is not None and end <= begin:
        end = None
    return {"valid_from": begin, "until": end}


def _zone(offset: str | None, zone: tzinfo) -> tzinfo | None:
    """Return the zone of a written offset; the given one without an offset, and None for another text."""
    if not (offset or "").strip():
        return zone
    match = _OFFSET.fullmatch(offset or "")
    if match is None:
        return None
    sign, hours, minutes = match.groups()
    if sign is None:
        return UTC
    ahead = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(ahead if sign == "+" else -ahead) if ahead < timedelta(days=1) else None
