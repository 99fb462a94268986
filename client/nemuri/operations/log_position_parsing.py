"""Positions in the log as users write them: an event's number, or a time."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from nemuri_contracts.event import Event

_UNITS = {"d": "days", "h": "hours", "m": "minutes", "s": "seconds"}
_AGO = re.compile(r"(\d{1,6}(?:\.\d{1,6})?)\s*([dhms])(?:\s+ago)?")
_NUMBER = re.compile(r"[0-9]+")
_DIGITS = 20
"""Maximum digits of an event's number."""
FORMAT_HELP = (
    "the number of an event, a time like 2026-05-31, 2026-05-31T14:30 or 2026-05-31T14:30+02:00 (UTC without a zone)"
)


class LogPositionError(Exception):
    """A text is not a position in the log, or the position is outside this log. The message is one line."""


@dataclass(frozen=True, slots=True)
class LogPosition:
    """A position in the log: after an event, after all events recorded up to a time, or (with neither) at its end."""

    text: str = "now"
    sequence: int | None = None
    time: datetime | None = None

    @classmethod
    def read(cls, text: str | None, now: datetime) -> "LogPosition":
        """Parse a position. Raises `LogPositionError`."""
        if text is None:
            return cls()
        written = text.strip()
        if written == "now":
            return cls()
        if _NUMBER.fullmatch(written):
            return cls(written, sequence=int(written[:_DIGITS]))
        return cls(written, time=_time(written, now))

    def covers(self, sequence: int, at: datetime) -> bool:
        """Return True if the event with a sequence, recorded at a time, lies before or at the position."""
        if self.sequence is not None:
            return sequence <= self.sequence
        return self.time is None or at <= self.time

    def includes(self, event: Event) -> bool:
        """Return True if an event of the log lies before or at the position."""
        return self.covers(event.sequence or 0, event.at)


def read_place(text: str | None) -> LogPosition:
    """Return the position that a text names now; None means the end of the log. Raises `LogPositionError`."""
    return LogPosition.read(text, datetime.now(UTC))


def _time(text: str, now: datetime) -> datetime:
    try:
        if ago := _AGO.fullmatch(text):
            return now - timedelta(**{_UNITS[ago[2]]: float(ago[1])})
        found = datetime.fromisoformat(text)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise LogPositionError(
            f"{text!r:.60} is not a position in the log: write {FORMAT_HELP}, or 2h for two hours ago"
        ) from error
    if found > now:
        raise LogPositionError(f"{text} is in the future: it is {now:%Y-%m-%dT%H:%M:%S} UTC now")
    return found
