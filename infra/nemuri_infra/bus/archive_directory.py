"""The directory with the archive of a log: segments and a manifest. It answers like the stream, without a server."""

import os
import sys
import threading
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from cachetools import LRUCache

from nemuri_infra.bus.archive_manifest import ArchiveManifest, read_manifest, version_of, write_manifest
from nemuri_infra.bus.archive_segment import SUFFIX, ArchiveError, Segment, SegmentEntry, SegmentWriter, wipe
from nemuri_infra.bus.stored_message import StoredMessage

if sys.platform != "win32":  # There no process archives or erases, so nothing is ever locked.
    import fcntl

MAX_BLOCKS = 64
"""Maximum number of blocks, each of `BLOCK_BYTES`, that one process keeps in memory."""
MAX_INDEXES = 8
"""Maximum number of segments whose index one process keeps in memory."""
T = TypeVar("T")


class ArchiveMissingError(ArchiveError):
    """Events are needed that were archived, and the archive is not at hand."""


@dataclass(slots=True)
class ArchiveDirectory:
    """The archive of a log. All methods read files, so an event loop calls them in a thread.

    Another process may replace segments at any time, because something is erased. So every call looks whether the
    manifest has changed, and is repeated if it changed meanwhile. Nothing erased is answered from memory.
    """

    path: Path
    _version: tuple[int, int, int] | None = None
    _manifest: ArchiveManifest | None = None
    _segments: list[Segment] = field(default_factory=list)
    _blocks: LRUCache[tuple[str, int], tuple[StoredMessage, ...]] = field(default_factory=lambda: LRUCache(MAX_BLOCKS))
    _opened: LRUCache[str, Segment] = field(default_factory=lambda: LRUCache(MAX_INDEXES))
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def manifest(self) -> ArchiveManifest | None:
        """Return the present manifest; None if there is none. Raises `ArchiveError` if it is damaged."""
        with self._lock:
            if (version := version_of(self.path)) != self._version or version is None:
                self._load(version)
            return self._manifest

    def revision(self) -> object:
        """Return a value that changes with every change of the archive."""
        return version_of(self.path)

    def _load(self, version: tuple[int, int, int] | None) -> None:
        manifest = read_manifest(self.path)
        known = {segment.entry: segment for segment in self._segments}
        entries = manifest.segments if manifest is not None else ()
        self._segments = [known.get(entry) or Segment(self.path, entry) for entry in entries]
        self._blocks.clear()
        self._manifest, self._version = manifest, version

    def _read(self, read: Callable[[], T]) -> T:
        """Return what `read` returns on the present segments. Repeat it if they were replaced meanwhile."""
        with self._lock:
            while True:
                self.manifest()
                try:
                    found = read()
                except ArchiveError:
                    if version_of(self.path) == self._version:
                        raise
                    continue
                if version_of(self.path) == self._version:
                    return found

    def at(self, sequence: int) -> StoredMessage | None:
        """Return the message with a sequence; None if there is none."""
        return self._read(lambda: self._at(sequence))

    def next_on(self, pattern: str, beginning: int, until: int) -> StoredMessage | None:
        """Return the first message from `beginning` to `until`, inclusive, that matches a pattern; None for none."""
        return self._read(lambda: self._next_on(pattern, beginning, until))

    def last_on(self, pattern: str, until: int) -> StoredMessage | None:
        """Return the last message up to `until`, inclusive, that matches a pattern; None if there is none."""
        return self._read(lambda: self._last_on(pattern, until))

    def count(self, patterns: Sequence[str], after: int, until: int) -> int:
        """Return the number of messages after `after` up to `until` that match one of the patterns, or of all."""
        return self._read(lambda: sum(len(some) for _, some in self._matching(patterns, after, until)))

    def sequences(self, after: int, until: int) -> list[int]:
        """Return the sequences of the messages after `after` up to `until`."""
        return self._read(lambda: [number for _, some in self._matching((), after, until) for number in some])

    def backwards(self, until: int) -> Iterator[StoredMessage]:
        """Yield the messages up to a sequence, the last one first. The archive must not change meanwhile."""
        for segment in reversed(self._segments):
            if segment.entry.after < until and segment.entry.messages:
                for number in reversed(range(self._used(segment).block_count)):
                    yield from (message for message in reversed(segment.block(number)) if message.sequence <= until)

    def subjects(self, pattern: str, until: int) -> set[str]:
        """Return the subjects that match a pattern of all messages up to `until`."""
        return self._read(lambda: self._subjects(pattern, until))

    def kinds(self, until: int) -> Counter[str]:
        """Return the number of messages up to a sequence by the last token of their subjects, the kind."""
        return self._read(lambda: self._kinds(until))

    def read(self, patterns: Sequence[str], after: int, until: int) -> tuple[int, list[StoredMessage]]:
        """Return the messages after `after` up to `until` that match one of the patterns, or all without patterns.

        One call returns those of one block at most. Also returns the sequence up to which it has looked.
        """
        return self._read(lambda: self._block_after(patterns, after, until))

    def _at(self, sequence: int) -> StoredMessage | None:
        segment = self._segment_of(sequence)
        if segment is None:
            return None
        found = self._block(segment, self._used(segment).block_of(sequence))
        place = bisect_left(found, sequence, key=lambda message: message.sequence)
        return found[place] if place < len(found) and found[place].sequence == sequence else None

    def _segment_of(self, sequence: int) -> Segment | None:
        number = bisect_left(self._segments, sequence, key=lambda segment: segment.entry.until)
        found = self._segments[number] if number < len(self._segments) else None
        return found if found is not None and found.entry.messages else None

    def _next_on(self, pattern: str, beginning: int, until: int) -> StoredMessage | None:
        for _, some in self._matching([pattern], beginning - 1, until):
            return self._at(some[0])
        return None

    def _last_on(self, pattern: str, until: int) -> StoredMessage | None:
        for _, some in self._matching([pattern], 0, until, backwards=True):
            return self._at(some[-1])
        return None

    def _matching(
        self, patterns: Sequence[str], after: int, until: int, *, backwards: bool = False
    ) -> Iterator[tuple[Segment, Sequence[int]]]:
        """Yield the segments with matching messages after `after` up to `until`, and the sequences of these."""
        concerned = [
            segment
            for segment in self._segments
            if segment.entry.until > after and segment.entry.after < until and segment.entry.messages
        ]
        for segment in reversed(concerned) if backwards else concerned:
            some = self._sequences(segment, patterns or (">",))
            chosen = some[bisect_right(some, after) : bisect_right(some, until)]
            if chosen:
                yield segment, chosen

    def _sequences(self, segment: Segment, patterns: Sequence[str]) -> Sequence[int]:
        possible = [pattern for pattern in patterns if segment.may_match(pattern)]
        if not possible:
            return ()
        found = [self._used(segment).sequences(pattern) for pattern in possible]
        return found[0] if len(found) == 1 else sorted({number for some in found for number in some})

    def _subjects(self, pattern: str, until: int) -> set[str]:
        found = set[str]()
        for segment, some in self._matching([pattern], 0, until):
            wanted = set(some)
            found |= {name for name, all_on in self._used(segment).by_subject() if not wanted.isdisjoint(all_on)}
        return found

    def _kinds(self, until: int) -> Counter[str]:
        found: Counter[str] = Counter()
        for segment, _ in self._matching((), 0, until):
            for name, some in self._used(segment).by_subject():
                found[name.rpartition(".")[2]] += bisect_right(some, until)
        return found

    def _block_after(self, patterns: Sequence[str], after: int, until: int) -> tuple[int, list[StoredMessage]]:
        for segment, some in self._matching(patterns, after, until):
            number = self._used(segment).block_of(some[0])
            messages = self._block(segment, number)
            end = messages[-1].sequence
            wanted = set(some[: bisect_right(some, end)])
            return min(end, until), [message for message in messages if message.sequence in wanted]
        return until, []

    def _block(self, segment: Segment, number: int) -> tuple[StoredMessage, ...]:
        key = (segment.entry.file, number)
        if (known := self._blocks.get(key)) is None:
            known = self._blocks[key] = segment.block(number)
        return known

    def _used(self, segment: Segment) -> Segment:
        """Return a segment whose index is about to be read, and close the one that was not used for longest."""
        if segment.entry.file not in self._opened and len(self._opened) == MAX_INDEXES:
            self._opened.popitem()[1].close()
        self._opened[segment.entry.file] = segment
        return segment

    def erase(self, sequences: Iterable[int]) -> int:
        """Delete messages from the files, and return how many there were.

        Each segment concerned is written anew before the manifest names it. Then the old file is overwritten and
        deleted. After an interruption, `remove_strays` does the rest.
        """
        gone = sorted(set(sequences))
        with self._lock, self.writing():
            manifest = self.manifest()
            if manifest is None:
                return 0
            found = 0
            entries = list[SegmentEntry]()
            for segment in self._segments:
                entry = segment.entry
                some = set(gone[bisect_right(gone, entry.after) : bisect_right(gone, entry.until)])
                some &= set(self._used(segment).sequences(">")) if some else set()
                found += len(some)
                entries.append(self._without(segment, some) if some else entry)
            if found:
                write_manifest(self.path, manifest.with_segments(tuple(entries)))
            self.remove_strays()
            return found

    def _without(self, segment: Segment, gone: set[int]) -> SegmentEntry:
        with closing(SegmentWriter(self.path, segment.entry.after)) as writer:
            for message in segment.all():
                if message.sequence not in gone:
                    writer.add(message)
            return writer.complete(segment.entry.until)

    def replace(self, manifest: ArchiveManifest) -> None:
        """Let a manifest take the place of the present one, and remove the segments that it does not name."""
        write_manifest(self.path, manifest)
        self.remove_strays()

    def remove_strays(self) -> None:
        """Overwrite and delete segments and unfinished files that the manifest does not name."""
        manifest = self.manifest()
        named = {entry.file for entry in manifest.segments} if manifest is not None else set()
        for path in [*self.path.glob(f"*{SUFFIX}"), *self.path.glob("*.unfinished")]:
            if path.name not in named:
                wipe(path)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Lock out other writers during the context. Raises `ArchiveError` if the directory cannot be written.

        Waits while another process writes.
        """
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise ArchiveError(f"the archive {self.path} cannot be written: {error.strerror}") from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        except OSError as error:
            raise ArchiveError(f"the archive {self.path} cannot be written: {error.strerror}") from error
        finally:
            os.close(descriptor)
