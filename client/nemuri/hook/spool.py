"""Sessions that the log has not taken in yet, a file for each.

A session is put here first and offered afterwards, so that a hook may be killed at any moment: assistants give the
end of a session a second and a half. A file's name follows from its content, and so nobody ever replaces what another
one is about to take away.
"""

import json
import os
import time
from pathlib import Path
from typing import Any
from uuid import uuid3

from nemuri.hook.journal import folder
from nemuri_domain.affective.transcripts import TURNS

ABANDONED = 3600.0
"""Seconds after which a file that was never completed is taken for a killed hook's."""


class Damaged(Exception):  # noqa: N818 - said as the fact that it is
    """A file of the spool is no session; it was put aside."""


def put(data: str, session: dict[str, Any]) -> Path:
    """Keep a session, on disk and whole or not at all; the same one is kept once. Raises `OSError`."""
    text = json.dumps(session)
    path = _spool(data) / f"{uuid3(TURNS, text)}.json"
    fresh = path.with_suffix(f".{os.getpid()}.new")
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    return path


def waiting(data: str) -> list[Path]:
    """The files of the sessions that wait, those that wait longest first; clears what killed hooks left."""
    found: list[tuple[float, Path]] = []
    for path in _spool(data).iterdir():
        try:
            at = path.stat().st_mtime
        except FileNotFoundError:  # another hook was quicker
            continue
        if path.suffix == ".json":
            found.append((at, path))
        elif path.suffix == ".new" and time.time() - at > ABANDONED:
            path.unlink(missing_ok=True)
    return [path for _, path in sorted(found)]


def get(path: Path) -> dict[str, Any] | None:
    """The session in a file; None where it was taken in by now. Raises `Damaged`."""
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
    raise Damaged(f"{path.name} is no session; it is put aside as {path.stem}.damaged")


def _spool(data: str) -> Path:
    path = Path(folder(data), "spool")
    path.mkdir(mode=0o700, exist_ok=True)
    return path
