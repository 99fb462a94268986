"""Archive the beginning of the log: move it from the stream to files that every reader of the log uses."""

from dataclasses import dataclass
from pathlib import Path

from nemuri.operations.erasure import check_log_complete
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.session import OperationContext, OperationError, ignore_progress, open_operation
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_decoding import time_of
from nemuri_infra.bus.event_log import ConflictError, Log
from nemuri_infra.bus.log_archive import LEASE_SECONDS
from nemuri_infra.bus.log_archiver import (
    announce,
    check_may_give_up,
    copy_to_archive,
    directory_of,
    give_up_archived,
)
from nemuri_infra.bus.log_windows import count_in_stream
from nemuri_infra.projections.maintenance_lock import exclusive_archiving
from nemuri_infra.projections.open_tasks import oldest_open_task
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.projections.snapshots import make_snapshot, usable_until
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """What can be archived."""

    after: int
    """Last sequence that is archived already; 0 for none."""
    until: int
    """Last sequence that can be archived now. It equals `after` if there is nothing new."""
    wanted: int
    """Last sequence before the time or the event that the user named."""
    limit: str | None
    """What keeps `until` below `wanted`; None if nothing does."""
    events: int
    """Number of messages to archive."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The result of archiving."""

    plan: ArchivePlan
    directory: Path
    bytes_before: int
    """Size of the stream before, in bytes."""
    bytes_after: int
    archive_bytes: int
    """Size of all files of the archive, in bytes."""
    given_up: int
    """Number of messages that the stream gave up. After an interruption it includes those of the run before."""


@dataclass(frozen=True, slots=True)
class _Limit:
    until: int
    why: str | None = None


async def archive_plan(settings: Settings, before: LogPosition) -> ArchivePlan:
    """Return what `archive_log` would archive. Nothing is changed. Raises `OperationError` and `ArchiveError`."""
    async with open_operation(settings) as at:
        await check_log_complete(at)
        return await _plan(at, before)


async def archive_log(
    settings: Settings,
    before: LogPosition,
    on_progress: Advance = ignore_progress,
    *,
    lease: float = LEASE_SECONDS,
) -> Archived:
    """Archive the events before a time, or before an event, as far as nothing keeps them.

    Completes an interrupted run first. The platform may run. `lease` is the number of seconds for which the stream
    keeps the archived events, after which every process knows of the archive. Raises `OperationError` and
    `ArchiveError`.
    """
    async with open_operation(settings) as at:
        await check_log_complete(at)
        async with exclusive_archiving(at.projection.database):
            return await _archive(at, before, on_progress, lease)


async def _archive(at: OperationContext, before: LogPosition, on_progress: Advance, lease: float) -> Archived:
    log, directory = at.log, directory_of(at.log)
    await check_may_give_up(log)
    size, plan = await _stream_bytes(log), await _plan(at, before)
    if plan.until > plan.after:
        await _ensure_snapshot(at, plan.until)
        manifest = await copy_to_archive(log, plan.until, on_progress)
        try:
            await announce(log, manifest)
        except ConflictError as error:
            raise OperationError("another run archived the log meanwhile; nothing was changed") from error
    given_up = await give_up_archived(log, on_progress, lease=lease)
    archive = directory.manifest()
    return Archived(
        plan=plan,
        directory=directory.path,
        bytes_before=size,
        bytes_after=await _stream_bytes(log),
        archive_bytes=sum(entry.bytes for entry in archive.segments) if archive is not None else 0,
        given_up=given_up,
    )


async def _plan(at: OperationContext, before: LogPosition) -> ArchivePlan:
    log = at.log
    after = await log.archive.until(log, fresh=True)
    last = await log.last_sequence()
    wanted = min(before.sequence - 1, last) if before.sequence is not None else await _last_before(log, before, after)
    limits = [_Limit(wanted), *await _limits(at)]
    lowest = min(limits, key=lambda limit: limit.until)
    until = max(after, lowest.until)
    events = await count_in_stream(log, after) - await count_in_stream(log, until) if until > after else 0
    return ArchivePlan(after, until, max(wanted, after), lowest.why if until < wanted else None, events)


async def _limits(at: OperationContext) -> list[_Limit]:
    """Return what keeps events from being archived: unfinished tasks, consumers that are behind, and projections."""
    position = (await at.projection.position()).sequence
    found = [_Limit(position, f"the projections are at event {position}")]
    if (task := await oldest_open_task(at.projection.database)) is not None:
        found.append(_Limit(task.first - 1, f"task {task.task_id} has not ended"))
    for consumer in await consumers_of(at.log.stream, at.log.subjects.stream):
        if not consumer.config.durable_name or not (consumer.num_pending or consumer.num_ack_pending):
            continue
        place = consumer.ack_floor if consumer.num_ack_pending else consumer.delivered
        reached = place.stream_seq if place is not None else 0
        found.append(_Limit(reached, f"the service {consumer.name} has handled the log up to event {reached} only"))
    return found


async def _last_before(log: Log, before: LogPosition, after: int) -> int:
    """Return the last sequence before the first event that was recorded at the time `before` or later."""
    low, high = after, await log.last_sequence()
    while low < high:
        middle = (low + high) // 2
        following = await log.next_on(">", middle)
        if following is None or before.time is None or time_of(following) >= before.time:
            high = middle
        else:
            low = following.sequence
    return low


async def _ensure_snapshot(at: OperationContext, until: int) -> None:
    """Make a snapshot of the projections, unless a usable one contains the events up to a sequence.

    So that most rebuilds need not read the archive. Raises `OperationError` if none can be made.
    """
    if await usable_until(at.log) >= until:
        return
    await make_snapshot(at.projection, at.log, 1, growth=0.0)
    if await usable_until(at.log) < until:
        raise OperationError("no snapshot of the views can be made: rebuild them with `nemuri rebuild` first")


async def _stream_bytes(log: Log) -> int:
    return int((await log.stream.stream_info(log.subjects.stream)).state.bytes)
