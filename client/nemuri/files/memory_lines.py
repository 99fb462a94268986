"""Reader for memories in JSON Lines files, which are checked completely before anything is appended."""

from collections.abc import Callable
from pathlib import Path

from pydantic import ValidationError

from nemuri.files.documents import InputError, read_bounded
from nemuri_contracts.client_events import MemoryContent, Scope
from nemuri_contracts.codec import validation_message

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Maximum size of a file in bytes."""
MAX_LINE_BYTES = 512 * 1024
"""Maximum length of a line in bytes, so that every memory fits into one message."""


def read_memories(path: Path, scope: Callable[[], Scope] = Scope) -> dict[str, MemoryContent]:
    """Return the memories in a file of JSON objects, one on each line: content, tags, learnings, scope, said_by,
    said_at, turn.

    The keys of the result are file and line. Empty lines are skipped. A memory without a scope gets the result of
    `scope`, which is called at most once. Raises `InputError` with file and line for an invalid line.
    """
    content = read_bounded(path, MAX_FILE_BYTES, "; split it")
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    places = {f"{path}:{number}": line for number, line in enumerate(lines, 1) if line.strip()}
    found = {location: _memory(line, location) for location, line in places.items()}
    if not found:
        raise InputError(f"{path}: the file is empty; write one JSON object a line")
    if all("scope" in line.model_fields_set for line in found.values()):
        return found
    default = scope()
    return {
        location: line if "scope" in line.model_fields_set else line.model_copy(update={"scope": default})
        for location, line in found.items()
    }


def _memory(line: bytes, location: str) -> MemoryContent:
    if len(line) > MAX_LINE_BYTES:
        raise InputError(
            f"{location}: the line is longer than {MAX_LINE_BYTES // 1024} KB; shorten or split the memory"
        )
    try:
        return MemoryContent.model_validate_json(line)
    except ValidationError as error:
        raise InputError(f"{location}: {validation_message(error)}") from error
