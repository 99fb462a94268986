"""Erase a memory, a task, an agent or what belongs to a person: first append tombstones, then delete what they name."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from uuid import UUID

from nemuri.operations import erasure_ledger
from nemuri.operations.erasure_batches import Step, split_into_steps, union
from nemuri.operations.extension_parts import erasure_parts
from nemuri.operations.session import OperationContext, OperationError, ignore_progress, open_operation
from nemuri.operations.tombstones import append_tombstones, begun_erasures, catch_up_projections
from nemuri_contracts.agents import ORCHESTRATOR, ORGANISATION
from nemuri_contracts.erasure import Erasure
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.message_deletion import delete_message
from nemuri_infra.projections.affective_queries import AffectiveQueries
from nemuri_infra.projections.erasure import erased_of, everything_erased, hashes_in_use, refs_in_use
from nemuri_infra.projections.erasure_lineage import DefinedError, Lineage, LineageResult, ProtectedError, Thing
from nemuri_infra.projections.maintenance_lock import exclusive_archiving
from nemuri_infra.projections.mind_loader import Replay, kept_by_hosts, touched_by
from nemuri_infra.projections.physical_erasure import scrub
from nemuri_infra.projections.rebuilder import Advance
from nemuri_infra.projections.snapshots import drop_snapshots
from nemuri_infra.projections.vector_generations import generations
from nemuri_infra.runtime.consumer_pauses import UNFINISHED, is_log_incomplete, paused, unacknowledged_events
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from nemuri_infra.stores.deletion import ErasedData, delete_letters, find_erased_data, subjects_of
from nemuri_infra.stores.results import Results
from nemuri_infra.stores.vectors import generation_in, hash_in

HANDLER_TIMEOUT = 30.0
"""Seconds to wait for running handlers to finish."""
POLL = 0.05
MAX_MEMORIES = 5_000
"""Maximum number of expired memories in one erasure. The next erasure takes the rest."""
MAX_CONCURRENT_DELETES = 16
"""Maximum number of concurrent deletions. The server syncs each one to disk, which delays the appends of others."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The result of an erasure."""

    events: int
    """Number of events deleted from the log."""
    letters: int
    """Number of dead letters deleted."""
    blobs: int
    remaining_notes: tuple[str, ...] = ()
    """Notes on erased bytes that may remain on disk, and on what the operator can do about them."""

    @property
    def is_empty(self) -> bool:
        """Return True if there was nothing left to delete."""
        return not (self.events or self.letters or self.blobs)


async def lineage(settings: Settings, things: Iterable[Thing]) -> LineageResult:
    """Return everything that erasing these items would delete, with reasons. Nothing is deleted.

    The projections are brought to the end of the log first. Raises `OperationError`.
    """
    async with open_operation(settings) as at:
        await catch_up_projections(at)
        return await _lineage_at(at, list(things))


async def forget(settings: Settings, things: Iterable[Thing], on_progress: Advance = ignore_progress) -> Forgotten:
    """Erase these items and everything derived from them.

    Services are paused while the erasure is planned and recorded. Then the services continue, and the content is
    deleted. If `OperationError` is raised before the erasure is recorded, nothing is changed. After a later error or an
    interruption, `resume` completes the erasure from the ledger or the tombstones.
    """
    chosen = list(things)
    async with open_operation(settings) as at:
        await check_log_complete(at)
        for part in erasure_parts():
            await part.check_erasable(at.log, chosen)
        await catch_up_projections(at)
        lived = await kept_by_hosts(
            at.projection.database, [str(thing.name) for thing in chosen if thing.sort == "agent"]
        )
        steps = await _recorded(at, settings, lambda: _chosen(at, chosen))
        erasure = union(step.erasure for step in steps)
        done = await _complete(at, on_progress, Erased.of_erasure(erasure), erasure)
        notes = [note for part in erasure_parts() if lived for note in await part.remaining_notes(at.log)]
        return replace(done, remaining_notes=(*done.remaining_notes, *notes))


@dataclass(frozen=True, slots=True)
class _Plan:
    """A planned erasure."""

    steps: list[Step]
    unnoted: list[Step]
    """The steps that the ledger does not contain yet."""


async def _chosen(at: OperationContext, things: list[Thing]) -> _Plan:
    steps = await planned(at, things)
    return _Plan(steps, steps)


async def _recorded(at: OperationContext, settings: Settings, plan: Callable[[], Awaitable[_Plan]]) -> list[Step]:
    """Plan an erasure, record it in the ledger and on the log while the services are paused, and return its steps.

    To keep the pause short, the agents' memories are folded without the erased events before it. During the pause only
    newer events are folded, unless one of them changes the plan.
    """
    end = await at.log.last_sequence()
    await catch_up_projections(at)
    expected = await plan()
    replay = _replay(at, expected)
    await replay.advance((await at.projection.position()).sequence)
    async with paused(at.log):
        await _wait_for_handlers(at)
        await catch_up_projections(at)
        found = expected if await at.log.last_sequence() == end else await plan()
        if Erased.of_erasure(union(step.erasure for step in found.steps)) != replay.erased:
            replay = _replay(at, found)
        erasure_ledger.record_steps(settings, found.unnoted)
        await append_tombstones(at, found.steps, replay)
    return found.steps


def _replay(at: OperationContext, plan: _Plan) -> Replay:
    erasure = union(step.erasure for step in plan.steps)
    return Replay.of(
        at.log,
        [agent_id for agent_id in erasure.restated if agent_id not in erasure.agents],
        Erased.of_erasure(erasure),
    )


async def erase_expired(settings: Settings, on_progress: Advance = ignore_progress) -> Forgotten:
    """Erase affective memories that nightly jobs have deleted, at most `MAX_MEMORIES`. Raises `OperationError`."""
    async with open_operation(settings) as at:
        await catch_up_projections(at)
        due = await AffectiveQueries(at.projection.database).deleted_memories(MAX_MEMORIES)
    if not due:
        return Forgotten(0, 0, 0)
    return await forget(settings, [Thing("memory", memory) for memory in due], on_progress)


async def resume(settings: Settings, on_progress: Advance = ignore_progress) -> Forgotten:
    """Complete interrupted erasures, and delete erased content that was appended after its erasure.

    This reads the whole log. Raises `OperationError`.
    """
    async with open_operation(settings) as at:
        await check_log_complete(at)
        await _recorded(at, settings, lambda: _interrupted(at, settings))
        return await _complete(at, on_progress, await everything_erased(at.projection.database))


async def _interrupted(at: OperationContext, settings: Settings) -> _Plan:
    """Return a plan that repeats the erasures recorded on the log and in the ledger.

    The plan includes everything that was derived from the erased items since.
    """
    views = Lineage(at.projection.database, at.log)
    plan, erased = _Plan(await begun_erasures(at), []), await everything_erased(views.database)
    for entry in erasure_ledger.entries(erasure_ledger.ledger_path(settings), settings.namespace):
        noted = Erased.of_erasure(entry.erasure)
        if not noted <= erased and not erased.names(entry.root.name) and await views.known([entry.root]):
            steps = await planned(at, [entry.root], decided=True)
            plan.steps.extend(steps)
            plan.unnoted.extend(step for step in steps if step.erasure != entry.erasure)
            erased |= Erased.of_erasure(union(step.erasure for step in steps))
        if not noted <= erased and await views.known(_named(entry.erasure)):
            plan.steps.append(entry.step)
            erased |= noted
    return plan


def _named(erasure: Erasure) -> Iterator[Thing]:
    """Yield the agents, tasks and memories of an erasure."""
    yield from (Thing("agent", agent) for agent in erasure.agents)
    yield from (Thing("task", task) for task in erasure.tasks)
    yield from (Thing("memory", memory_id) for some in erasure.memories.values() for memory_id in some)


async def planned(at: OperationContext, things: Iterable[Thing], *, decided: bool = False) -> list[Step]:
    """Return the steps that erase these items with everything derived from them. Raises `OperationError`.

    With `decided`, protected memories are erased too, because the erasure was decided before.
    """
    reached = await _lineage_at(at, list(things), decided=decided)
    root = next(iter(reached.reasons))
    return split_into_steps(root, await _whole(at, reached, root), at.log.max_event_bytes)


async def check_log_complete(at: OperationContext) -> None:
    """Raise `OperationError` if the log has an unfinished import or restore, or if its archive is not at hand."""
    if await is_log_incomplete(at.log):
        raise OperationError(f"the log is incomplete: an import or a restore {UNFINISHED}")
    await at.log.archive.check(at.log)


async def _wait_for_handlers(at: OperationContext) -> None:
    """Wait until no handler is running, at most `HANDLER_TIMEOUT` seconds.

    A handler that runs longer may append results of erased items. The folds ignore these results, and `resume` deletes
    them.
    """
    end = asyncio.get_running_loop().time() + HANDLER_TIMEOUT
    while await unacknowledged_events(at.log) and asyncio.get_running_loop().time() < end:  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(POLL)


async def _lineage_at(at: OperationContext, things: list[Thing], *, decided: bool = False) -> LineageResult:
    for thing in things:
        if thing == Thing("agent", ORCHESTRATOR):
            raise OperationError("the orchestrator's memory cannot be erased as a whole; erase tasks or memories")
        if thing == Thing("agent", ORGANISATION):
            raise OperationError(
                "the organisation's principles cannot be erased as a whole, because none could be adopted after it; "
                "erase memories of the organisation, or the lessons behind a proposal"
            )
    if gone := await erased_of(at.projection.database, [thing.name for thing in things if thing.sort != "person"]):
        thing = next(thing for thing in things if thing.name in gone)
        raise OperationError(
            f"{thing.sort} {thing.name} is erased already; `nemuri forget --resume` searches all stores again"
        )
    try:
        found = await Lineage(at.projection.database, at.log).of(things, decided=decided)
    except ProtectedError as error:
        raise OperationError(str(error)) from error
    except DefinedError as error:
        raise OperationError(f"{error}, which would bring it back; define the agent without it, or erase it") from error
    missing = [
        thing for thing in things if thing not in found.reasons and (thing.sort != "person" or not found.reasons)
    ]
    if missing:
        raise OperationError(f"there is no {missing[0].sort} {missing[0].name}")
    return found


async def _whole(at: OperationContext, reached: LineageResult, root: Thing) -> Erasure:
    agents, tasks = reached.of("agent"), reached.of("task")
    memories: dict[str, list[UUID]] = {}
    for memory_id in reached.of("memory"):
        owner = reached.owners[memory_id]
        if owner not in agents:
            memories.setdefault(owner, []).append(memory_id)
    events = {*reached.of("course"), *reached.events}
    touched = await touched_by(at.projection.database, tasks, events) | set(memories)
    first = reached.owners.get(root.name) if isinstance(root.name, UUID) else None
    return Erasure(
        memories={owner: tuple(ids) for owner, ids in memories.items()},
        restated=tuple(sorted(touched - set(agents), key=lambda memory: (memory != first, memory))),
        tasks=tasks,
        agents=agents,
        events=tuple(sorted(events)),
    )


async def _complete(
    at: OperationContext, on_progress: Advance, erased: Erased, erasure: Erasure | None = None
) -> Forgotten:
    """Delete erased content from the stores, then from the log. Return the numbers of deleted items.

    The stores come first, because the events name the content to delete there. With `erasure`, only the subjects of
    this erasure are searched; otherwise the whole log.
    """
    async with exclusive_archiving(at.projection.database):
        return await _deleted(at, on_progress, erased, erasure)


async def _deleted(at: OperationContext, on_progress: Advance, erased: Erased, erasure: Erasure | None) -> Forgotten:
    views, log = at.projection.database, at.log
    only = ((),) if erasure is None else subjects_of(log.subjects, erasure)
    found = await find_erased_data(log, erased, ignore_progress, only=only)
    refs = await _clean_stores(at, found, sweeping=erasure is None)
    if erasure is None or erasure.tasks:
        await (await Results.open(log)).erase(erased.ids)
    letters = await delete_letters(log, erased, found.sequences)
    for start in range(0, len(found.sequences), MAX_CONCURRENT_DELETES):
        some = found.sequences[start : start + MAX_CONCURRENT_DELETES]
        await asyncio.gather(*(delete_message(log.stream, log.subjects.stream, sequence) for sequence in some))
        on_progress(min(start + MAX_CONCURRENT_DELETES, len(found.sequences)), len(found.sequences))
    await log.archive.erase(log, found.sequences)
    for part in erasure_parts():
        await part.sweep(log)
    await drop_snapshots(views, log)
    left = (*await scrub(views), *await _replicated(log), *await _given_up(log, found.sequences))
    return Forgotten(len(found.sequences), letters, refs, left)


async def _clean_stores(at: OperationContext, found: ErasedData, *, sweeping: bool) -> int:
    """Delete the blobs and vectors that only erased items use, and return the number of blobs.

    Services are paused meanwhile, so that no new use can begin.
    """
    views, hashes = at.projection.database, found.hashes | set(map(hash_in, found.vectors))
    if not (found.refs or await at.vectors.has_vectors()):
        return 0
    async with paused(at.log):
        await _wait_for_handlers(at)
        await catch_up_projections(at)
        blobs, refs = await Blobs.open(at.log), found.refs - await refs_in_use(views, found.refs)
        for ref in sorted(refs):
            await blobs.erase(ref)
        used = None if sweeping else await generations(views) | set(map(generation_in, found.vectors))
        await at.vectors.erase(hashes - await hashes_in_use(views, hashes), used)
    return len(refs)


async def _replicated(log: Log) -> tuple[str, ...]:
    """Return a note if the log is replicated. The Raft logs of the servers then keep erased bytes until their next
    snapshots.
    """
    number = (await log.stream.stream_info(log.subjects.stream)).config.num_replicas or 1
    if number == 1:
        return ()
    return (
        f"the Raft logs of {number} servers keep its bytes until their next snapshots: check again in some minutes",
    )


async def _given_up(log: Log, sequences: Iterable[int]) -> tuple[str, ...]:
    """Return a note if an interrupted run of archiving left bytes of these messages in the files of the server."""
    first = int((await log.stream.stream_info(log.subjects.stream)).state.first_seq)
    until = await log.archive.until(log)
    if first > until or not any(sequence < first for sequence in sequences):
        return ()
    return ("an interrupted `nemuri log archive` left bytes in the server's files: run it again",)
