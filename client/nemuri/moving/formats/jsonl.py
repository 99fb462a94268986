"""Nemuri's own JSON lines: one memory on each line, with the fields of `remember`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import ConfigDict, ValidationError

from nemuri.files.documents import InputError, read_bounded
from nemuri.moving.foreign_fields import digest
from nemuri.moving.foreign_files import MAX_FILE_BYTES
from nemuri.moving.items import ForeignAgent, ForeignMemory, Item
from nemuri_contracts.agents import Definition
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.codec import validation_message
from nemuri_contracts.event import Label, Value

MAX_LINE_BYTES = 512 * 1024
"""Maximum length of a line in bytes, so that every memory fits into one message."""


class MemoryLine(MemoryContent):
    """A memory on a line."""

    model_config = ConfigDict(extra="forbid")
    key: Label | None = None
    """Name of the memory in its source. By default, it is known by everything that the line says."""
    pinned: bool = False
    """True if it is kept from being archived."""


class AgentLine(Value):
    """The definition of the agent, on the first line."""

    agent: Definition


def read(path: Path) -> Iterator[Item]:
    """Yield the memories in a file of JSON objects, one on each line. Empty lines are skipped.

    Raises `InputError` with file and line for an invalid line.
    """
    data = read_bounded(path, MAX_FILE_BYTES, "; divide it").removeprefix(b"\xef\xbb\xbf")
    lines = [(number, line) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if not lines:
        raise InputError(f"{path}: the file is empty; write one JSON object a line")
    repeated = Counter[str]()
    for number, line in lines:
        yield _item(line, f"{path}:{number}", repeated)


def _item(line: bytes, location: str, repeated: Counter[str]) -> Item:
    if len(line) > MAX_LINE_BYTES:
        raise InputError(
            f"{location}: the line is longer than {MAX_LINE_BYTES // 1024} KB; shorten or split the memory"
        )
    try:
        if line.lstrip().startswith(b'{"agent"'):
            return ForeignAgent(AgentLine.model_validate_json(line).agent)
        return memory_of(MemoryLine.model_validate_json(line), location, repeated)
    except ValidationError as error:
        raise InputError(f"{location}: {validation_message(error)}") from error


def memory_of(line: MemoryLine, location: str, repeated: Counter[str]) -> ForeignMemory:
    """Return the memory of a line. A line that says the same as `repeated` ones before it is another memory."""
    content = MemoryContent.model_validate(line.model_dump(exclude={"key", "pinned"}, exclude_unset=True))
    key = line.key or digest(content.model_dump_json(exclude_defaults=True))
    repeated[key] += 1
    if repeated[key] > 1:
        if line.key is not None:
            raise InputError(f"{location}: the key {line.key!r:.80} stands above too; give each memory its own")
        key = f"{key}#{repeated[key]}"
    return ForeignMemory(key, content, location, pinned=line.pinned)
