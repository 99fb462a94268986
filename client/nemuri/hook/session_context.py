"""What an assistant has in the context of a session already, so that it is not shown again.

One file for each session has one id in a line: of a memory that was shown with its whole text, or of a turn of the
session, from which a memory comes. A lost file does no harm, because memories are only shown once more then.
"""

import os
import time
from collections.abc import Iterable

from nemuri.hook.journal import folder

MAX_IDS = 1_000
"""Maximum number of ids that a query takes; the newest are used."""
FORGOTTEN_SECONDS = 7 * 86_400.0
"""Seconds without a change after which the file of a session is removed."""
NOT_KEPT = ("opencode",)
"""Assistants that have a block in their context with one prompt only."""
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
    lines = "".join(f"{each}\n" for each in ids)
    if not lines or not session:
        return
    descriptor = os.open(_path(data, agent, session), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        os.write(descriptor, lines.encode("ascii"))
    finally:
        os.close(descriptor)


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


def resume(data: str, agent: str, session: str | None) -> None:
    """Take up the context of a session that goes on after its end. Raises `OSError`."""
    path = _path(data, agent, session)
    if os.path.exists(path + _ENDED) and not os.path.exists(path):  # noqa: PTH110
        os.replace(path + _ENDED, path)  # noqa: PTH105


def remove_old(data: str) -> None:
    """Remove the files of sessions that nobody has continued for `FORGOTTEN_SECONDS`. Raises `OSError`."""
    for entry in os.scandir(_folder(data)):
        if time.time() - entry.stat().st_mtime > FORGOTTEN_SECONDS:
            os.unlink(entry.path)  # noqa: PTH108


def _path(data: str, agent: str, session: str | None) -> str:
    name = f"{agent}/{session}".encode().hex()[:_NAME_LIMIT]
    return os.path.join(_folder(data), name)  # noqa: PTH118


def _folder(data: str) -> str:
    path = os.path.join(folder(data), "contexts")  # noqa: PTH118
    os.makedirs(path, mode=0o700, exist_ok=True)  # noqa: PTH103
    return path
