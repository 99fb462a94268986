"""The archived part of a log, as its readers see it: what the stream gave up is answered from the archive's files.

How far the log is archived stands in its newest `LogArchived`. A process asks for it at most every `REFRESH_SECONDS`.
The stream keeps the archived messages for `LEASE_SECONDS` after that event. So a process that asked less than that ago
knows of everything that the stream has given up: no reader sees a shorter history, and no append is checked against it.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from nemuri_contracts.codec import UndecodableError, decode
from nemuri_contracts.log_archiving import LogArchived
from nemuri_contracts.subjects import Subjects
from nemuri_infra.bus.archive_directory import ArchiveDirectory, ArchiveMissingError
from nemuri_infra.bus.archive_segment import ArchiveError
from nemuri_infra.bus.stored_message import StoredMessage

LEASE_SECONDS: Final = 40.0
"""Seconds for which the stream keeps archived messages after the `LogArchived` that names them."""
REFRESH_SECONDS: Final = 10.0
"""Seconds after which a process asks again how far the log is archived.

A request of the log takes less than the rest of `LEASE_SECONDS`, or is repeated.
"""
_CLOCK: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""A clock that also runs while the machine is suspended."""


class Stream(Protocol):
    """What the archive needs of a log."""

    @property
    def subjects(self) -> Subjects:
        """Return the log's subjects."""
        ...

    async def identity(self) -> str:
        """Return the log's identity."""
        ...

    async def in_stream(self, **wanted: int | str) -> StoredMessage | None:
        """Return a message that the stream has."""
        ...


def now() -> float:
    """Return the seconds of a clock that is never set, also while the machine was suspended."""
    return time.clock_gettime(_CLOCK)


@dataclass(slots=True)
class LogArchive:
    """The archived part of one log. All copies of a `Log` object share it."""

    directory: ArchiveDirectory | None = None
    """The archive's directory; None for a process without one, which can read what is not archived only."""
    _until: int = 0
    _asked_at: float = float("-inf")
    _identity: str = ""
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    @classmethod
    def at(cls, path: Path | None) -> "LogArchive":
        """Return the archived part of a log whose archive is in a directory; None for no directory."""
        return cls(None if path is None else ArchiveDirectory(path))

    async def until(self, stream: Stream, *, fresh: bool = False) -> int:
        """Return the last archived sequence; 0 if nothing is archived. With `fresh`, ask the server in any case."""
        if fresh or self._is_old:
            async with self._asking:
                if fresh or self._is_old:
                    asked_at = now()
                    self._until = max(self._until, await archived_until(stream))
                    self._asked_at = asked_at
        return self._until

    @property
    def _is_old(self) -> bool:
        return now() - self._asked_at > REFRESH_SECONDS

    @property
    def revision(self) -> object:
        """Return a value that changes when the files change, because something was archived or erased."""
        return None if self.directory is None else self.directory.revision()

    @property
    def outdated(self) -> bool:
        """Return whether the stream may have given up messages of which this process does not know."""
        return now() - self._asked_at > LEASE_SECONDS

    async def stored(self, stream: Stream, **wanted: int | str) -> StoredMessage | None:
        """Return a message of the log as `StoredMessage.read` does, from the archive or from the stream.

        Raises `ArchiveError` if the archive is needed and cannot be read.
        """

        while True:
            until = await self.until(stream)
            found = await self._stored(stream, until, wanted)
            if not self.outdated and self._until == until:
                return found

    async def _stored(self, stream: Stream, until: int, wanted: dict[str, int | str]) -> StoredMessage | None:
        sequence, pattern = int(wanted.get("seq", 0)), str(wanted.get("next_by_subj", ""))
        if "last_by_subj" in wanted:
            found = await stream.in_stream(**wanted)
            if not until or (found is not None and found.sequence > until):
                return found
            archive = await self.opened(stream, until)
            return await asyncio.to_thread(archive.last_on, str(wanted["last_by_subj"]), until)
        if sequence > until:
            return await stream.in_stream(**wanted)
        archive = await self.opened(stream, until)
        if not pattern:
            return await asyncio.to_thread(archive.at, sequence)
        archived = await asyncio.to_thread(archive.next_on, pattern, sequence, until)
        return archived or await stream.in_stream(seq=until + 1, next_by_subj=pattern)

    async def expected(self, stream: Stream, sequence: int, pattern: str) -> int | None:
        """Return the revision that the stream has if the log has the expected one: `sequence`, or 0 if the stream gave
        that message up; None if the log has another one.

        Both are the same for a message that is not archived, which the server compares.
        """
        until = await self.until(stream)
        if sequence > until or not until:
            return sequence
        kept = await stream.in_stream(last_by_subj=pattern)
        if kept is not None and kept.sequence > until:
            return None
        archive = await self.opened(stream, until)
        newest = await asyncio.to_thread(archive.last_on, pattern, until)
        if (newest.sequence if newest is not None else 0) != sequence:
            return None
        return kept.sequence if kept is not None else 0

    async def subjects(self, stream: Stream, pattern: str) -> set[str]:
        """Return the subjects of archived messages that match a pattern."""
        if not (until := await self.until(stream)):
            return set()
        archive = await self.opened(stream, until)
        return await asyncio.to_thread(archive.subjects, pattern, until)

    async def count(self, stream: Stream, after: int, only: Sequence[str]) -> int:
        """Return the number of archived messages after a sequence; with `only`, of those on these subjects."""
        if (until := await self.until(stream)) <= after:
            return 0
        archive = await self.opened(stream, until)
        return await asyncio.to_thread(archive.count, only, after, until)

    async def kinds(self, stream: Stream, until: int) -> Counter[str]:
        """Return the number of archived messages up to a sequence, by kind."""
        if not (archived := await self.until(stream)):
            return Counter()
        archive = await self.opened(stream, archived)
        return await asyncio.to_thread(archive.kinds, min(until, archived))

    async def read(
        self, stream: Stream, after: int, until: int, only: Sequence[str]
    ) -> AsyncGenerator[tuple[int, list[StoredMessage]]]:
        """Yield the archived messages after `after` up to `until`, in order, each time with the sequence reached."""
        while after < until:
            archive = await self.opened(stream, until)
            after, messages = await asyncio.to_thread(archive.read, only, after, until)
            yield after, messages

    async def erase(self, stream: Stream, sequences: Sequence[int]) -> int:
        """Delete messages from the archive's files, and return how many there were.

        Call it after the messages were deleted from the stream. Raises `ArchiveError` if the archive is needed and
        cannot be written.
        """
        until = await self.until(stream, fresh=True)
        if any(sequence <= until for sequence in sequences):
            await self.opened(stream, until)
        if self.directory is None or (manifest := await asyncio.to_thread(self.directory.manifest)) is None:
            return 0
        if manifest.log != await stream.identity():
            return 0
        return await asyncio.to_thread(self.directory.erase, sequences)

    async def check(self, stream: Stream) -> None:
        """Raise `ArchiveError` if something is archived and the archive is not at hand."""
        if until := await self.until(stream, fresh=True):
            await self.opened(stream, until)

    async def opened(self, stream: Stream, until: int) -> ArchiveDirectory:
        """Return the archive. Raises `ArchiveMissingError` unless it has the events of this log up to a sequence."""
        where = "this process has no archive" if self.directory is None else f"{self.directory.path} has no archive"
        advice = "set NEMURI_ARCHIVE to the directory of `nemuri log archive`"
        if self.directory is not None and (manifest := self.directory.manifest()) is not None:
            if manifest.log != await self._own(stream):
                where = f"{self.directory.path} is the archive of another log"
            elif manifest.until >= until:
                return self.directory
            else:
                where = f"the archive in {self.directory.path} ends at event {manifest.until}"
        raise ArchiveMissingError(f"the events up to {until} of the log are archived, and {where}; {advice}")

    async def _own(self, stream: Stream) -> str:
        """Return the identity of the log, which is asked for once."""
        self._identity = self._identity or await stream.identity()
        return self._identity


async def archived_until(stream: Stream) -> int:
    """Return the last archived sequence of the log, from its newest `LogArchived`; 0 if nothing is archived.

    Raises `ArchiveError` if that event cannot be read.
    """
    [subject] = stream.subjects.of_kind(LogArchived)
    found = await stream.in_stream(last_by_subj=subject)
    if found is None:
        return 0
    try:
        event = decode(found.data, recorded_at=found.stored_at, sequence=found.sequence)
    except UndecodableError as error:
        raise ArchiveError(f"event {found.sequence}, which says how far the log is archived, is unreadable") from error
    if not isinstance(event, LogArchived) or event.until >= found.sequence or event.log != await stream.identity():
        return 0
    return event.until
