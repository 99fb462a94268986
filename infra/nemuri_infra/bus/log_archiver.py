"""The archiver copies the beginning of the log to files, announces that on the log, and lets the stream give it up.

Every step can be repeated after an interruption. What was copied but not announced is copied anew. What was announced
but not given up is given up by the next run.
"""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Iterable
from contextlib import aclosing, closing
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

import orjson
from nats.js.errors import APIError

from nemuri_contracts.event import derive
from nemuri_contracts.log_archiving import LogArchived
from nemuri_infra.bus.archive_directory import ArchiveDirectory
from nemuri_infra.bus.archive_manifest import ArchiveManifest
from nemuri_infra.bus.archive_segment import ArchiveError, Segment, SegmentEntry, SegmentWriter
from nemuri_infra.bus.event_log import ANSWER_SECONDS, Log
from nemuri_infra.bus.log_archive import LEASE_SECONDS
from nemuri_infra.bus.log_windows import count_in_stream
from nemuri_infra.bus.message_deletion import delete_message
from nemuri_infra.bus.stored_message import StoredMessage

SEGMENT_BYTES: Final = 16 * 1024 * 1024
"""Bytes of messages, uncompressed, after which a segment ends."""
CONCURRENT_DELETIONS: Final = 256
"""Number of messages that the stream gives up at the same time."""
SERVER_FILE_BYTES: Final = 8 * 1024 * 1024
"""Maximum size of a file in which the server keeps messages of a stream, except for the last message in it."""
COPY_ATTEMPTS: Final = 3
"""Number of times that the log is copied, if messages were deleted from it meanwhile."""
Advance = Callable[[int, int], None]


@dataclass(slots=True)
class _Copy:
    """The copy of a part of the log in segments."""

    directory: ArchiveDirectory
    after: int
    entries: list[SegmentEntry] = field(default_factory=list)
    _writer: SegmentWriter | None = None

    def add(self, messages: Iterable[StoredMessage]) -> None:
        """Add messages, in order."""
        for message in messages:
            self._writer = self._writer or SegmentWriter(self.directory.path, self.after)
            self._writer.add(message)
            if self._writer.size >= SEGMENT_BYTES:
                self.complete(message.sequence)

    def close(self) -> None:
        """Give up a segment that is not complete."""
        if self._writer is not None:
            self._writer.close()

    def complete(self, until: int) -> None:
        """Complete the present segment. It is read back before it counts."""
        if until > self.after:
            writer = self._writer or SegmentWriter(self.directory.path, self.after)
            entry = writer.complete(until)
            written = Segment(self.directory.path, entry)
            if written.content() != writer.content:
                raise ArchiveError(f"{written.path} does not hold what was written; check the disk")
            self.entries.append(entry)
            self.after, self._writer = until, None


async def copy_to_archive(log: Log, until: int, advance: Advance) -> ArchiveManifest:
    """Copy the messages up to the sequence `until` to the archive's files, and return the manifest.

    The archive must be locked against erasures. Raises `ArchiveError` if the directory cannot be used, and one of
    `READER_ERRORS` if reading is interrupted.
    """
    directory = directory_of(log)
    beginning = await log.archive.until(log, fresh=True)
    with directory.writing():
        manifest = await _announced(log, directory, beginning)
        for _ in range(COPY_ATTEMPTS):
            await asyncio.to_thread(directory.replace, manifest)
            copy = _Copy(directory, beginning)
            with closing(copy):
                async with aclosing(log.stream_messages(beginning, until)) as stretches:
                    async for reached, messages in stretches:
                        await asyncio.to_thread(copy.add, messages)
                        advance(reached - beginning, until - beginning)
                await asyncio.to_thread(copy.complete, until)
            copied = sum(entry.messages for entry in copy.entries)
            present = await count_in_stream(log, beginning) - await count_in_stream(log, until)
            if copied == present:
                manifest = manifest.with_segments((*manifest.segments, *copy.entries))
                await asyncio.to_thread(directory.replace, manifest)
                return manifest
    raise ArchiveError("messages were deleted from the log while it was copied; run this again")


async def _announced(log: Log, directory: ArchiveDirectory, until: int) -> ArchiveManifest:
    """Return the manifest with the segments that are announced on the log, which end with the sequence `until`."""
    if until:
        await log.archive.opened(log, until)
    identity, manifest = await log.identity(), directory.manifest()
    if manifest is None:
        return ArchiveManifest(namespace=log.subjects.namespace, log=identity)
    if manifest.log != identity:
        raise ArchiveError(
            f"{directory.path} is the archive of another log; move it away, or choose another NEMURI_ARCHIVE"
        )
    return manifest.up_to(until)


async def announce(log: Log, manifest: ArchiveManifest) -> None:
    """Append that the log is archived up to the end of the manifest. Raises `ConflictError` if another run did so."""
    [subject] = log.subjects.of_kind(LogArchived)
    before = await log.newest_on(subject)
    event = LogArchived(
        event_id=derive(f"{manifest.log} {manifest.until}", LogArchived.kind_of()),
        log=manifest.log,
        until=manifest.until,
        messages=sum(entry.messages for entry in manifest.segments),
        archive_bytes=sum(entry.bytes for entry in manifest.segments),
    )
    await log.append(event, expected=before.sequence)


async def give_up_archived(log: Log, advance: Advance, *, lease: float = LEASE_SECONDS) -> int:
    """Let the stream give up everything that is archived, and return the number of messages.

    Waits until `lease` seconds have passed since the last announcement, after which every process knows of it.
    """
    until = await log.archive.until(log, fresh=True)
    if not until:
        return 0
    directory = await log.archive.opened(log, until)
    [subject] = log.subjects.of_kind(LogArchived)
    announced = await log.stored_at((await log.newest_on(subject)).sequence)
    if announced is not None:
        age = await log.server_time() - announced.stored_at
        # Nothing tells when the last process has asked again: each may rely on its answer for this long.
        await asyncio.sleep(max(0.0, (timedelta(seconds=lease) - age).total_seconds()))
    first = int((await log.stream.stream_info(log.subjects.stream)).state.first_seq)
    archived = await asyncio.to_thread(directory.sequences, first - 1, until)
    erased = await asyncio.to_thread(_end_of_block, directory, until)
    first_erased = bisect_left(archived, erased)
    whole, last = archived[:first_erased], archived[first_erased:]
    for start in range(0, len(whole), CONCURRENT_DELETIONS):
        some = whole[start : start + CONCURRENT_DELETIONS]
        await asyncio.gather(*(_release(log, sequence) for sequence in some))
        advance(start + len(some), len(archived))
    for number, sequence in enumerate(last, len(whole) + 1):
        await delete_message(log.stream, log.subjects.stream, sequence)
        advance(number, len(archived))
    return len(archived)


def _end_of_block(directory: ArchiveDirectory, until: int) -> int:
    """Return the first of the archived messages that may lie in one file of the server with messages that stay.

    The server deletes a file once it has given up all of its messages. In a file that stays, only an erased message is
    overwritten.
    """
    size, first = 0, until + 1
    for message in directory.backwards(until):
        if size > SERVER_FILE_BYTES:
            break
        first, size = message.sequence, size + len(message.data) + len(message.subject)
    return first


async def check_may_give_up(log: Log) -> None:
    """Raise an error of the NATS client if this user may not delete messages of the log's stream. Deletes none."""
    await _delete(log, 0)


async def _release(log: Log, sequence: int) -> None:
    """Let the log's stream give up a message, without overwriting its bytes. Does nothing if it has done so already.

    Raises `APIError` if that is denied.
    """
    answer = await _delete(log, sequence)
    if "error" in answer and await log.in_stream(seq=sequence) is not None:
        APIError.from_error(answer["error"])


async def _delete(log: Log, sequence: int) -> dict[str, Any]:
    """Return the server's answer to the deletion of a message."""
    subject = f"{log.api_prefix}.STREAM.MSG.DELETE.{log.subjects.stream}"
    wanted = orjson.dumps({"seq": sequence, "no_erase": True})
    answer: dict[str, Any] = orjson.loads((await log.connection.request(subject, wanted, timeout=ANSWER_SECONDS)).data)
    return answer


def directory_of(log: Log) -> ArchiveDirectory:
    """Return the directory of the log's archive. Raises `ArchiveError` for a process without one."""
    if log.archive.directory is None:
        raise ArchiveError("this process has no archive; set NEMURI_ARCHIVE")
    return log.archive.directory
