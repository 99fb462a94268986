"""A segment of the log's archive: one file with the messages of a range of sequences, and an index of their subjects.

The file is a series of gzip members, so `zcat` shows it. Each line is a JSON object. The lines of the first members,
the blocks, are messages: `sequence`, `subject`, `stored_at`, `headers` and `data`, or `base64` for data that is not
UTF-8.
The last two members hold one line each: the sequences by subject with the places of the blocks, and the keys.

A key is a hash of one token of a subject with its place, or of the last two tokens. If a literal token of a pattern has
no key in a segment, no message of the segment matches. So most segments are ruled out without reading their index.
"""

import gzip
import os
import zlib
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from cachetools import LRUCache
from pydantic import BaseModel, ConfigDict, Field

from nemuri_infra.bus.archived_message import keys_of, line_of, message_in
from nemuri_infra.bus.stored_message import StoredMessage
from nemuri_infra.bus.subject_patterns import expression, is_pattern
from nemuri_infra.process.disk_sync import sync_directory

BLOCK_BYTES = 256 * 1024
"""Bytes of messages, uncompressed, after which a block ends. A message is read with its whole block."""
COMPRESSION = 6
"""Level of zlib."""
MAX_PATTERNS = 256
"""Maximum number of patterns whose sequences a segment keeps in memory."""
SUFFIX = ".jsonl.gz"
_GZIP = 31
"""The `wbits` of zlib for one gzip member, whose checksum it compares."""


class ArchiveError(Exception):
    """The archive of the log cannot be used. The message is one line."""


class SegmentEntry(BaseModel):
    """The description of a segment in the manifest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(pattern=r"^[0-9]+-[0-9]+-[0-9a-f]{16}\.jsonl\.gz$")
    """Name of the file: first and last sequence of its range, and the beginning of its SHA-256."""
    after: int = Field(ge=0)
    """Sequence after which the range begins."""
    until: int = Field(ge=1)
    """Last sequence of the range, inclusive. The log may have no message with it."""
    messages: int = Field(ge=0)
    bytes: int = Field(ge=1)
    """Size of the file."""
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    index_at: int = Field(ge=0)
    """Offset of the index in the file."""
    keys_at: int = Field(ge=0)
    """Offset of the keys in the file."""


class Block(NamedTuple):
    """The place of a block in its file."""

    offset: int
    length: int
    first: int
    """Sequence of the block's first message."""


@dataclass(slots=True)
class SegmentWriter:
    """Writes a segment. The messages must be added in the order of their sequences."""

    directory: Path
    after: int
    blocks: list[Block] = field(default_factory=list)
    subjects: dict[str, list[int]] = field(default_factory=dict)
    size: int = 0
    """Bytes of all messages so far, uncompressed."""
    messages: int = 0
    _lines: bytearray = field(default_factory=bytearray)
    _first: int = 0
    _written: int = 0
    _digest: Any = field(default_factory=sha256)
    _content: Any = field(default_factory=sha256)
    _file: Any = None

    @property
    def _unfinished(self) -> Path:
        return self.directory / f"{self.after + 1}.unfinished"

    def add(self, message: StoredMessage) -> None:
        """Add a message."""
        self._first = self._first or message.sequence
        line = line_of(message)
        self._content.update(line)
        self._lines += line
        self.size += len(line)
        self.messages += 1
        self.subjects.setdefault(message.subject, []).append(message.sequence)
        if len(self._lines) >= BLOCK_BYTES:
            self._end_block()

    @property
    def content(self) -> str:
        """Return the SHA-256 of all messages so far, uncompressed."""
        return str(self._content.hexdigest())

    def complete(self, until: int) -> SegmentEntry:
        """Write the index, sync the file to disk, give it its name, and return its description."""
        self._end_block()
        index_at = self._write(
            orjson.dumps({"blocks": list(map(tuple, self.blocks)), "subjects": dict(sorted(self.subjects.items()))})
        )
        keys_at = self._write(orjson.dumps({"keys": sorted({key for name in self.subjects for key in keys_of(name)})}))
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        digest = self._digest.hexdigest()
        name = f"{self.after + 1}-{until}-{digest[:16]}{SUFFIX}"
        self._unfinished.replace(self.directory / name)
        sync_directory(self.directory)
        return SegmentEntry(
            file=name, after=self.after, until=until, messages=self.messages, bytes=self._written, sha256=digest,
            index_at=index_at, keys_at=keys_at,
        )  # fmt: skip

    def close(self) -> None:
        """Close the file of an incomplete segment, which keeps its unfinished name."""
        if self._file is not None:
            self._file.close()

    def _end_block(self) -> None:
        if self._lines:
            offset = self._write(bytes(self._lines))
            self.blocks.append(Block(offset, self._written - offset, self._first))
            self._lines.clear()
            self._first = 0

    def _write(self, lines: bytes) -> int:
        """Write one gzip member, and return its offset."""
        if self._file is None:
            descriptor = os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            self._file = os.fdopen(descriptor, "wb")
        lines = lines if lines.endswith(b"\n") else lines + b"\n"
        packed, offset = gzip.compress(lines, COMPRESSION, mtime=0), self._written
        self._file.write(packed)
        self._digest.update(packed)
        self._written += len(packed)
        return offset


@dataclass(slots=True)
class _Index:
    blocks: list[Block]
    subjects: dict[str, list[int]]
    matching: LRUCache[str, Sequence[int]] = field(default_factory=lambda: LRUCache(MAX_PATTERNS))

    def on(self, pattern: str) -> Sequence[int]:
        """Return the sequences on the subjects that match a pattern, in ascending order."""
        if not is_pattern(pattern):
            return self.subjects.get(pattern, [])
        if (known := self.matching.get(pattern)) is None:
            matches = expression(pattern).fullmatch
            found = sorted(number for name, some in self.subjects.items() if matches(name) for number in some)
            known = self.matching[pattern] = array("Q", found)
        return known


@dataclass(slots=True)
class Segment:
    """A segment that is read. Methods raise `ArchiveError` if its file is missing or damaged."""

    directory: Path
    entry: SegmentEntry
    _key_list: "array[int] | None" = None
    _index: _Index | None = None
    _checked: bool = False

    @property
    def path(self) -> Path:
        """Return the path of the file."""
        return self.directory / self.entry.file

    def may_match(self, pattern: str) -> bool:
        """Return False if no message of the segment can match a pattern."""
        if self._key_list is None:
            self._key_list = array("Q", self._object(self.entry.keys_at, self.entry.bytes)["keys"])
        keys = self._key_list
        return all((place := bisect_left(keys, key)) < len(keys) and keys[place] == key for key in keys_of(pattern))

    def sequences(self, pattern: str) -> Sequence[int]:
        """Return the sequences of the messages whose subjects match a pattern, in ascending order."""
        return self._open().on(pattern) if self.may_match(pattern) else ()

    def by_subject(self) -> Iterable[tuple[str, list[int]]]:
        """Return each subject with the sequences of its messages."""
        return self._open().subjects.items()

    def block_of(self, sequence: int) -> int:
        """Return the number of the block that has the message with a sequence, if the segment has it."""
        return max(0, bisect_right(self._open().blocks, sequence, key=lambda block: block.first) - 1)

    @property
    def block_count(self) -> int:
        """Return the number of blocks."""
        return len(self._open().blocks)

    def block(self, number: int) -> tuple[StoredMessage, ...]:
        """Return the messages of a block, in order."""
        offset, length, _ = self._open().blocks[number]
        try:
            return tuple(map(message_in, self._lines(offset, offset + length)))
        except (ValueError, KeyError, TypeError) as error:
            raise self._damaged(error) from error

    def all(self) -> Iterator[StoredMessage]:
        """Yield all messages, in order."""
        for number in range(self.block_count):
            yield from self.block(number)

    def content(self) -> str:
        """Return the SHA-256 of all messages, uncompressed."""
        digest = sha256()
        for message in self.all():
            digest.update(line_of(message))
        return digest.hexdigest()

    def check(self) -> None:
        """Raise `ArchiveError` unless the file has the described size and SHA-256."""
        try:
            digest = sha256(self.path.read_bytes()).hexdigest()
        except OSError as error:
            raise ArchiveError(f"{self.path} cannot be read: {error.strerror}") from error
        if digest != self.entry.sha256:
            raise ArchiveError(f"{self.path} is damaged: its SHA-256 is not that of the manifest")
        self._checked = True

    def _open(self) -> _Index:
        """Return the index. The first call compares the SHA-256 of the file."""
        if not self._checked:
            self.check()
        if self._index is None:
            found = self._object(self.entry.index_at, self.entry.keys_at)
            self._index = _Index([Block(*block) for block in found["blocks"]], found["subjects"])
        return self._index

    def close(self) -> None:
        """Forget the index, which takes memory. It is read again when it is needed."""
        self._index = None

    def _object(self, start: int, end: int) -> dict[str, Any]:
        try:
            [line] = self._lines(start, end)
            found: dict[str, Any] = orjson.loads(line)
        except ValueError as error:
            raise self._damaged(error) from error
        return found

    def _lines(self, start: int, end: int) -> list[bytes]:
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return zlib.decompress(file.read(end - start), _GZIP).splitlines()
        except OSError as error:
            raise ArchiveError(f"{self.path} cannot be read: {error.strerror}") from error
        except zlib.error as error:
            raise self._damaged(error) from error

    def _damaged(self, error: Exception) -> ArchiveError:
        return ArchiveError(f"{self.path} is damaged: {error}")


def wipe(path: Path) -> None:
    """Overwrite the bytes of a file with zeros, sync them to disk, and delete the file."""
    with suppress(FileNotFoundError):
        with path.open("r+b") as file:
            left = path.stat().st_size
            while left > 0:
                left -= file.write(bytes(min(left, BLOCK_BYTES)))
            file.flush()
            os.fsync(file.fileno())
        path.unlink()
