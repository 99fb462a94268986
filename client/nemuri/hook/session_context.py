"""The contents of the context of a session, which are not shown again.

One file for each session has one id in a line: of a memory that was shown with its whole text, or of a turn of the
session, from which a memory comes. A lost file does no harm, because memories are only shown once more then.
"""

import json
import os
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from nemuri.hook.journal import folder
from nemuri_domain.affective.sanitize import valid_label

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings

MAX_IDS = 1_000
"""Maximum number of ids that a query takes; the newest are used."""
FORGOTTEN_SECONDS = 7 * 86_400.0
"""Seconds without a change after which the file of a session is removed."""
RESUMED = "resume"
"""Source of the start of a session that has the context of an earlier one."""
REWIND_BYTES = 4_096
"""Number of bytes at the end of a transcript in which the mark of a rewind is looked for."""
_NAME_LIMIT = 200
_ENDED = ".ended"


def known(data: str, agent: str, session: str | None) -> list[str]:
    """Return the ids of what is in the context of a session."""
    try:
        with open(_path(data, agent, session), encoding="ascii") as file:  # noqa: PTH123 - pathlib takes longer
            return file.read().split()[-MAX_IDS:]
    except (OSError, UnicodeError):
        return []


def add(data: str, agent: str, session: str | None, ids: Iterable[str]) -> None:
    """Add ids to the context of a session. Raises `OSError`."""
    lines = "".join(f"{memory_id}\n" for memory_id in ids)
    if not lines or not session:
        return
    descriptor = os.open(_path(data, agent, session), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, lines.encode("ascii"))
    finally:
        os.close(descriptor)


def begin(said: dict[str, Any], where: "HookSettings") -> None:
    """Let the context of a session begin anew, or go on if the session is resumed. Raises `OSError`."""
    session = valid_label(said.get("session_id"))
    if said.get("source") == RESUMED:
        _resume(where.data, where.agent, session)
    else:
        begin_anew(where.data, where.agent, session)
    remove_old(where.data)


def begin_anew(data: str, agent: str, session: str | None) -> None:
    """Forget what was in the context of a session that begins, was compacted or was rewound. Raises `OSError`."""
    for path in (_path(data, agent, session), _path(data, agent, session) + _ENDED):
        if os.path.exists(path):  # noqa: PTH110
            os.unlink(path)  # noqa: PTH108


def end(data: str, agent: str, session: str | None) -> None:
    """Put the context of an ended session aside, until the session is resumed. Raises `OSError`."""
    path = _path(data, agent, session)
    if os.path.exists(path):  # noqa: PTH110
        os.replace(path, path + _ENDED)  # noqa: PTH105


def is_rewound(transcript: object) -> bool:
    """Return True if the last entry of a transcript says that the user has just gone back to an earlier prompt."""
    if not isinstance(transcript, str):
        return False
    try:
        with open(transcript, "rb") as file:  # noqa: PTH123 - pathlib takes longer
            file.seek(max(0, file.seek(0, 2) - REWIND_BYTES))
            last = json.loads(file.read().rstrip().rpartition(b"\n")[2])
    except (OSError, ValueError):
        return False
    return isinstance(last, dict) and last.get("type") == "last-prompt" and bool(last.get("explicit"))


def remove_old(data: str) -> None:
    """Remove the files of sessions that nobody has continued for `FORGOTTEN_SECONDS`. Raises `OSError`."""
    for entry in os.scandir(_folder(data)):
        if time.time() - entry.stat().st_mtime > FORGOTTEN_SECONDS:
            os.unlink(entry.path)  # noqa: PTH108


def _resume(data: str, agent: str, session: str | None) -> None:
    """Take up the context of a session that goes on after its end. Raises `OSError`."""
    path = _path(data, agent, session)
    if os.path.exists(path + _ENDED) and not os.path.exists(path):  # noqa: PTH110
        os.replace(path + _ENDED, path)  # noqa: PTH105


def _path(data: str, agent: str, session: str | None) -> str:
    name = f"{agent}/{session}".encode().hex()[:_NAME_LIMIT]
    return os.path.join(_folder(data), name)  # noqa: PTH118


def _folder(data: str) -> str:
    path = os.path.join(folder(data), "contexts")  # noqa: PTH118
    os.makedirs(path, mode=0o700, exist_ok=True)  # noqa: PTH103
    return path
