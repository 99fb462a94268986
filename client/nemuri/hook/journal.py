"""The journal of the hooks, for errors that the assistant must not see."""

import os
import time

MAX_BYTES = 65_536
"""Size in bytes above which the journal is renamed to `journal.before` and a new one begins."""
LINE = 400


def folder(data: str) -> str:
    """Return the folder `hooks` in a data directory, and create it if needed."""
    path = os.path.join(data, "hooks")  # noqa: PTH118 - pathlib takes longer
    os.makedirs(path, mode=0o700, exist_ok=True)  # noqa: PTH103
    return path


def write_entry(data: str, line: str) -> None:
    """Write a line with the time to the journal. Does nothing if the journal cannot be written."""
    shown = "".join(character if character.isprintable() else " " for character in line)[:LINE]
    told = f"{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())} {shown}\n"
    try:
        path = os.path.join(folder(data), "journal")  # noqa: PTH118
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            if os.fstat(descriptor).st_size > MAX_BYTES:
                os.replace(path, f"{path}.before")  # noqa: PTH105
            os.write(descriptor, told.encode())
        finally:
            os.close(descriptor)
    except OSError:
        return


def recent_entries(data: str, seconds: float = 86_400.0) -> list[str]:
    """Return the entries of the last `seconds` seconds, oldest first, without their times."""
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - seconds))
    try:
        with open(os.path.join(data, "hooks", "journal"), encoding="utf-8", errors="replace") as file:  # noqa: PTH118, PTH123
            entries = [line.rstrip("\n").partition(" ") for line in file]
    except OSError:
        return []
    return [text for at, _, text in entries if at >= since]
