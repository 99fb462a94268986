"""Pauses of the memory, chosen by the user. In a pause the hooks neither recall nor remember.

Finished pauses stay in the file, so that turns of a pause are not remembered when their session ends after it.
"""

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nemuri.hook.journal import folder
from nemuri.hook.state_files import write_state

MAX_PAUSES = 200


class Pause(NamedTuple):
    """A time in which nothing is remembered."""

    start: datetime
    end: datetime | None
    """End of the pause; None while it lasts."""

    def contains(self, at: datetime) -> bool:
        """Return True if a time lies in the pause."""
        return self.start <= at and (self.end is None or at < self.end)


def pauses(data: str) -> list[Pause]:
    """Return all pauses, oldest first. A damaged file counts as a pause that lasts, so that nothing is remembered
    against the user's will.
    """
    try:
        with open(_path(data), "rb") as file:  # noqa: PTH123 - pathlib takes longer
            found = json.load(file)
        return [Pause(_time(start), _time(end) if end else None) for start, end in found]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError):
        return [Pause(datetime.fromtimestamp(0, UTC), None)]


def is_paused(data: str) -> bool:
    """Return True if the memory is paused now."""
    now = datetime.now(UTC)
    return any(period.contains(now) for period in pauses(data))


def pause(data: str, until: datetime | None = None) -> None:
    """Begin a pause that lasts until a time, or until `resume`. A present pause is replaced."""
    now = datetime.now(UTC)
    _write(data, [*_ended(pauses(data), now), Pause(now, until)])


def resume(data: str) -> bool:
    """End the present pause, and return True if there was one."""
    before, now = pauses(data), datetime.now(UTC)
    after = _ended(before, now)
    if after != before:
        _write(data, after)
    return after != before


def _ended(some: list[Pause], now: datetime) -> list[Pause]:
    return [period._replace(end=now) if period.contains(now) else period for period in some]


def _write(data: str, some: list[Pause]) -> None:
    told = [[period.start.isoformat(), period.end.isoformat() if period.end else None] for period in some[-MAX_PAUSES:]]
    folder(data)
    write_state(Path(_path(data)), json.dumps(told))


def _path(data: str) -> str:
    return os.path.join(data, "hooks", "pauses.json")  # noqa: PTH118


def _time(told: str) -> datetime:
    at = datetime.fromisoformat(told)
    return at if at.tzinfo else at.replace(tzinfo=UTC)
