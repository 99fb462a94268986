"""Export a namespace into a file, and import a file into an empty namespace. A file has the stores first, then the
events.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import structlog

from nemuri.operations.export_format import EndLine, EventLine, ExportSummary, StoredLine, read_lines, summarize_export
from nemuri.operations.session import OperationContext, OperationError, open_operation
from nemuri_contracts.event import Event
from nemuri_domain.event_sourcing.deduplication import Deduplicator
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.projections.rebuilder import Advance, catch_up
from nemuri_infra.runtime.consumer_pauses import is_log_incomplete, paused_until_complete, resume_completed_log
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import BlobForgedError, BlobMissingError, Blobs
from nemuri_infra.stores.objects import IncompleteObjectError
from nemuri_infra.stores.platform_clock import KEY, Clock
from nemuri_infra.stores.vectors import hash_in

MAX_CONCURRENT_APPENDS = 64
"""Maximum number of concurrent appends during an import."""

logger = structlog.get_logger()


async def export_log(settings: Settings, path: Path, on_progress: Advance) -> int:
    """Write the stores and every event of a namespace to a new file, and return the number of events.

    Only the owner can read the file. Messages that are not events and repetitions of an event are left out. The last
    line holds the number of events.

    Raises:
        OperationError: The file exists or cannot be written.
    """
    number, firsts = 0, Deduplicator()
    async with open_operation(settings) as at:
        until = await at.log.last_sequence()
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                async for stored in _stored(at):
                    file.write(stored.model_dump_json().encode() + b"\n")
                async for batch in at.log.read(0, until):
                    events = [*firsts.among(batch.events)]
                    file.writelines(EventLine.of(event).model_dump_json().encode() + b"\n" for event in events)
                    number += len(events)
                    on_progress(batch.until, until)
                file.write(EndLine(events=number).model_dump_json().encode() + b"\n")
        except FileExistsError as error:
            raise OperationError(f"{path} exists already; choose another name") from error
        except OSError as error:
            raise OperationError(f"{path} cannot be written: {error.strerror}") from error
    return number


async def _stored(at: OperationContext) -> AsyncIterator[StoredLine]:
    if ahead := await (await Clock.open(at.log)).offset():
        yield StoredLine(store="clock", name=KEY, data=b64encode(repr(ahead.total_seconds()).encode()))
    blobs = await Blobs.open(at.log)
    for ref in await blobs.refs():
        try:
            text = await blobs.get(ref)
        except (BlobForgedError, BlobMissingError, IncompleteObjectError, UnicodeDecodeError) as error:
            # No task could read this blob either, or the blob has just been erased.
            logger.warning("left out", blob=ref, why=str(error))
        else:
            yield StoredLine(store="blob", name=ref, data=b64encode(text.encode()))
    async for key, vector in at.vectors.all_vectors():
        yield StoredLine(store="vector", name=key, data=b64encode(vector))


async def import_log(settings: Settings, path: Path, on_progress: Advance) -> int:
    """Append every event of a file to an empty log, with its original time, and return the number of events.

    The whole file is read and checked first. Services stay paused until the projections contain all events, so no
    recorded work is done again. After an interruption the services stay paused until the same file is imported again,
    which continues where the import stopped.

    Raises:
        OperationError: The log is not empty, a line is not valid in an export, or the file is incomplete; nothing is
            appended then. Also if another process appends to the log during the import.
    """
    found = summarize_export(path)
    async with open_operation(settings) as at:
        await check_empty(at, path, found)
        async with paused_until_complete(at.log):
            await import_events(at, path, found, found.events, on_progress)
    return found.events


async def give_up(settings: Settings) -> None:
    """Give up an interrupted import or restore: let the services process the events that the log has.

    Raises `OperationError` if there is no interrupted import or restore.
    """
    async with open_operation(settings) as at:
        if not await is_log_incomplete(at.log):
            raise OperationError("there is no interrupted import or restore")
        await resume_completed_log(at.log)


async def check_empty(at: OperationContext, path: Path, found: ExportSummary) -> None:
    """Raise `OperationError` if the log is not empty or its server does not accept the largest event.

    A log with an interrupted import or restore may hold events.
    """
    if found.largest > at.log.max_event_bytes:
        raise OperationError(
            f"{path}: an event has {found.largest:,} bytes; this server accepts {at.log.max_event_bytes:,}"
        )
    if await at.log.last_sequence() and not await is_log_incomplete(at.log):
        raise OperationError("the log is not empty; import into a fresh data directory or namespace")


@dataclass(frozen=True, slots=True)
class ErasedContent:
    """Erased content of a file that an import leaves out."""

    erased: Erased = field(default_factory=Erased)
    blobs: frozenset[str] = frozenset()
    hashes: frozenset[str] = frozenset()
    """Hashes of the texts whose vectors are left out."""


async def import_events(
    at: OperationContext,
    path: Path,
    found: ExportSummary,
    total: int,
    on_progress: Advance,
    *,
    left: ErasedContent = ErasedContent(),
    tombstones: Sequence[Event] = (),
) -> None:
    """Append the events of a checked file and then `tombstones`, and bring the projections to the end of the log.

    The content `left` is left out. The services must be paused. `total` is the number of events of the file to append,
    for `on_progress`. Events that an interrupted import appended before are skipped.

    Raises:
        OperationError: The log holds other events; nothing is appended then.
    """
    skipped = await count_imported(at, (entry for entry in _wanted(path, left, tombstones) if isinstance(entry, Event)))
    blobs, done, group = await Blobs.open(at.log), 0, list[Event]()
    for stored_line in _wanted(path, left, tombstones):
        match stored_line:
            case Event():
                done += 1
                group += [stored_line] if done > skipped else []
            case StoredLine(store="blob"):
                if stored_line.name in found.refs - left.blobs:
                    await blobs.put(stored_line.data.decode())
            case StoredLine(store="clock"):
                await (await Clock.open(at.log)).ensure_offset(stored_line.ahead)
            case StoredLine():
                if hash_in(stored_line.name) not in left.hashes:
                    await at.vectors.put(stored_line.name, stored_line.data)
        if len(group) == MAX_CONCURRENT_APPENDS:
            await _append(at, group)
            group.clear()
            on_progress(min(done, total), total)
    await _append(at, group)
    await catch_up(at.projection, at.log, await at.log.last_sequence(), on_progress)


def _wanted(path: Path, left: ErasedContent, tombstones: Sequence[Event]) -> Iterator[Event | StoredLine]:
    """Yield the lines of a file without the erased content, followed by the tombstones."""
    for line in read_lines(path):
        if isinstance(line, StoredLine) or (isinstance(line, Event) and not left.erased.deletes(line)):
            yield line
    yield from tombstones


async def count_imported(at: OperationContext, wanted: Iterator[Event]) -> int:
    """Return the number of `wanted` events that the log holds already.

    Raises `OperationError` if the log holds anything else than the first of the `wanted` events, in order.
    """
    number = 0
    async for batch in at.log.read(0, await at.log.last_sequence(), with_parked=True):
        expected = islice(wanted, len(batch.events))
        if batch.unreadable or [event.event_id for event in batch.events] != [event.event_id for event in expected]:
            why = "the log holds events that are not the beginning of this file"
            raise OperationError(f"{why}; import into a fresh data directory or namespace")
        number += len(batch.events)
    return number


async def _append(at: OperationContext, events: list[Event]) -> None:
    """Append events in the given order, and wait once for all acknowledgements.

    Raises `OperationError` if another process appended events in between.
    """
    places = await asyncio.gather(*(at.log.append(event, recorded_at=event.recorded_at) for event in events))
    if places != sorted(set(places)):
        raise OperationError("another process appends to the log; import into a fresh data directory or namespace")
