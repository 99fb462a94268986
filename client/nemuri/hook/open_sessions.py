"""Sessions that have not ended, with the turns that were already handed on. One file each.

The hook for the end of a session may never run: the machine can lose power, the assistant can be killed. Then the next
session hands on what is left.
"""

import json
import time
from pathlib import Path
from typing import NamedTuple
from uuid import uuid3

from nemuri.hook.journal import folder
from nemuri.hook.state_files import write_state
from nemuri_domain.affective.transcripts import TURN_NAMESPACE

QUIET_SECONDS = 3600.0
"""Seconds without a change of its transcript after which a session is assumed to have ended."""
FORGOTTEN_SECONDS = 40 * 86_400.0
"""Seconds after which a session without a transcript is dropped. Assistants delete transcripts after thirty days."""


class OpenSession(NamedTuple):
    """A session that has not ended."""

    agent: str
    session: str
    transcript: str
    """Path of the transcript."""
    handed: frozenset[str] | None = frozenset()
    """Ids of the turns that were handed on; None if that is unknown, because the session ended before."""


def load(data: str, agent: str, session: str, transcript: str) -> OpenSession:
    """Return what is known of a session."""
    known = _read(_path(data, agent, session))
    return OpenSession(agent, session, transcript, known.handed if known else None)


def save(data: str, session: OpenSession) -> None:
    """Store the state of a session atomically. Raises `OSError`."""
    told = session._asdict() | {"handed": sorted(session.handed or ())}
    write_state(_path(data, session.agent, session.session), json.dumps(told))


def close(data: str, agent: str, session: str) -> None:
    """Forget a session that has ended."""
    _path(data, agent, session).unlink(missing_ok=True)


def left_behind(data: str, but: str | None = None) -> list[OpenSession]:
    """Return the sessions whose end was missed, except the session `but`. Those without a transcript are forgotten."""
    found = []
    for path in _folder(data).glob("*.json"):
        known = _read(path)
        if known is None or known.session == but:
            continue
        try:
            quiet = time.time() - Path(known.transcript).stat().st_mtime
        except OSError:
            if time.time() - path.stat().st_mtime > FORGOTTEN_SECONDS:
                path.unlink(missing_ok=True)
            continue
        if quiet > QUIET_SECONDS:
            found.append(known)
    return found


def _read(path: Path) -> OpenSession | None:
    """Return the session in a file; None if there is none or the file is damaged."""
    try:
        told = json.loads(path.read_bytes())
        known = OpenSession(told["agent"], told["session"], told["transcript"], frozenset(told["handed"]))
        if all(isinstance(element, str) for element in (*known[:3], *told["handed"])):
            return known
    except (OSError, ValueError, TypeError, KeyError):
        pass
    return None


def _path(data: str, agent: str, session: str) -> Path:
    return _folder(data) / f"{uuid3(TURN_NAMESPACE, f'{agent}/{session}')}.json"


def _folder(data: str) -> Path:
    path = Path(folder(data), "sessions")
    path.mkdir(mode=0o700, exist_ok=True)
    return path
