"""Memories as people write them: JSON lines, checked as a whole before anything is appended."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from nemuri.files.documents import InputError, read_bounded
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.codec import complaint

LARGEST = 64 * 1024 * 1024
"""Bytes of a file."""
LARGEST_LINE = 512 * 1024
"""Bytes of a line, so that every memory passes as one message."""


def read_memories(path: Path, scope: Callable[[], Scope] = Scope) -> dict[str, MemoryContent]:
    """The memories in a file of JSON objects, one a line: content, tags, learnings, scope, said_by, said_at.

    Each by its place, file and line. Empty lines are skipped; `scope` says where what names no scope is valid, and is
    asked only then. Raises `InputError`, with file and line, for a line that is no memory.
    """
    content = read_bounded(path, LARGEST, "; split it")
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    places = {f"{path}:{number}": line for number, line in enumerate(lines, 1) if line.strip()}
    found = {place: _memory(line, place) for place, line in places.items()}
    if not found:
        raise InputError(f"{path}: the file is empty; write one JSON object a line")
    if all("scope" in each.model_fields_set for each in found.values()):
        return found
    default = scope()
    return {
        place: each if "scope" in each.model_fields_set else each.model_copy(update={"scope": default})
        for place, each in found.items()
    }


def _memory(line: bytes, place: str) -> MemoryContent:
    if len(line) > LARGEST_LINE:
        raise InputError(f"{place}: the line is longer than {LARGEST_LINE // 1024} KB; shorten or split the memory")
    try:
        return MemoryContent.model_validate_json(line)
    except ValidationError as error:
        raise InputError(f"{place}: {complaint(error)}") from error
