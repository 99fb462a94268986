"""The spool: sessions that are not in the log yet, one file each.

A session is stored here first and uploaded later, so a hook can be killed at any moment. (Assistants give the hook at
the end of a session one and a half seconds.) A file's name is derived from its content, so no process replaces a file
that another process is about to remove.
"""

import json
import time
from pathlib import Path
from typing import Any
from uuid import uuid3

from nemuri.hook.journal import folder
from nemuri.hook.state_files import write_state
from nemuri_domain.affective.transcripts import TURN_NAMESPACE

ABANDONED_SECONDS = 3600.0
"""Seconds after which an incomplete file is assumed to be left by a killed hook."""


class DamagedSessionError(Exception):
    """A file of the spool does not hold a session. The file was renamed to end in `.damaged`."""


def put(data: str, session: dict[str, Any]) -> Path:
    """Store a session atomically, and return its file. The same session is stored once. Raises `OSError`."""
    text = json.dumps(session)
    path = _spool(data) / f"{uuid3(TURN_NAMESPACE, text)}.json"
    write_state(path, text)
    return path


def waiting(data: str) -> list[Path]:
    """Return the files of the waiting sessions, oldest first. Incomplete files of killed hooks are removed."""
    found: list[tuple[float, Path]] = []
    for path in _spool(data).iterdir():
        try:
            at = path.stat().st_mtime
        except FileNotFoundError:  # Another hook removed it first.
            continue
        if path.suffix == ".json":
            found.append((at, path))
        elif path.suffix == ".new" and time.time() - at > ABANDONED_SECONDS:
            path.unlink(missing_ok=True)
    return [path for _, path in sorted(found)]


def get(path: Path) -> dict[str, Any] | None:
    """Return the session in a file; None if the session was uploaded meanwhile. Raises `DamagedSessionError`."""
    try:
        session = json.loads(path.read_bytes())
        if all(isinstance(session[name], str) for name in ("agent", "session", "ended_at")) and all(
            isinstance(turn[name], str) for turn in session["turns"] for name in ("id", "prompt", "reply", "said_at")
        ):
            return dict(session)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError):
        pass
    path.replace(path.with_suffix(".damaged"))
    raise DamagedSessionError(f"{path.name} is not a session; it was moved to {path.stem}.damaged")


def _spool(data: str) -> Path:
    path = Path(folder(data), "spool")
    path.mkdir(mode=0o700, exist_ok=True)
    return path
