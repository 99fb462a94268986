"""Tombstones: events that name erased items. They are appended before the content is deleted.

So an interrupted erasure can be completed from the log.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from uuid import UUID

from nemuri.operations.erasure_batches import FRAME_BYTES, Step
from nemuri.operations.session import OperationContext, OperationError, ignore_progress
from nemuri_contracts.erasure import AgentErased, Erasure, MemoriesErased, Standing, TaskErased
from nemuri_contracts.event import Event, derive
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.tombstone_states import DivergedError, check, restated
from nemuri_infra.bus.event_log import ConflictError, TooLargeError
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.erasure_lineage import Thing
from nemuri_infra.projections.mind_loader import Replay, mind_of
from nemuri_infra.projections.projection import OtherFoldsError
from nemuri_infra.stores.deletion import tombstones

ATTEMPTS = 20
"""Maximum number of attempts to state the memories of agents anew while these agents append events."""
MAX_CONCURRENT_APPENDS = 64
"""Maximum number of concurrent appends of tombstones."""


async def catch_up_projections(at: OperationContext) -> None:
    """Bring the projections to the end of the log, with or without a running projector."""
    OtherFoldsError.check(await at.projection.position())
    await rebuilder.catch_up(at.projection, at.log, await at.log.last_sequence(), ignore_progress)


async def begun_erasures(at: OperationContext) -> list[Step]:
    """Return the steps of all erasures that have begun, from the tombstones on the log."""
    found: list[Step] = []
    for tombstone in await tombstones(at.log, 0, await at.log.last_sequence()):
        match tombstone:
            case MemoriesErased(erasure=Erasure() as erasure, memory_ids=(asked, *_)):
                found.append(Step(Thing("memory", asked), erasure))
            case TaskErased(erasure=Erasure() as erasure):
                found.append(Step(Thing("task", tombstone.task_id), erasure))
            case AgentErased(erasure=Erasure() as erasure):
                found.append(Step(Thing("agent", tombstone.agent_id), erasure))
            case _:
                pass
    return found


async def append_tombstones(at: OperationContext, steps: Sequence[Step], replay: Replay) -> None:
    """Append the tombstones of an erasure that are not on the log yet, and bring the projections up to them.

    The first tombstones name the erased items, step by step. The others state the remaining memories of the agents
    anew, using `replay`, the state without the erased events. Raises `OperationError`.
    """
    there = {tombstone.event_id for tombstone in await tombstones(at.log, 0, await at.log.last_sequence())}
    try:
        for step in steps:
            first, *others = step.tombstones()
            if first.event_id not in there:
                await at.log.append(first)
            lacking = [other for other in others if other.event_id not in there]
            for start in range(0, len(lacking), MAX_CONCURRENT_APPENDS):
                await asyncio.gather(*map(at.log.append, lacking[start : start + MAX_CONCURRENT_APPENDS]))
        await catch_up_projections(at)
        if steps:
            await _restate(at, steps[-1].key, replay)
    except TooLargeError as error:
        raise OperationError(
            f"this server accepts no tombstone of that size ({error}); raise its max_payload"
        ) from error
    await catch_up_projections(at)


async def _restate(at: OperationContext, key: str, replay: Replay) -> None:
    """Append events that state the remaining memories of the agents in `replay` anew.

    Tries again, up to `ATTEMPTS` times, if an agent appends events at the same time. Raises `OperationError` after
    that.
    """
    agents = list(replay.minds)
    for _ in range(ATTEMPTS):
        ends = {agent: (await at.log.newest_on(at.log.subjects.agent_events(agent))).sequence for agent in agents}
        await catch_up_projections(at)
        await replay.advance((await at.projection.position()).sequence)
        try:
            while agents:
                name = agents[0]
                live, place = await mind_of(at.projection.database, name), f"{key}/{name}/{ends[name]}"
                last = ends[name]
                for event in restatements(
                    live, replay.minds[name], replay.erased.ids, name, place, at.log.max_event_bytes
                ):
                    last = await at.log.append(event, expected=last, over=at.log.subjects.agent_events(name))
                agents.pop(0)
        except (ConflictError, DivergedError) as error:
            reason = error
        else:
            return
    raise OperationError(f"{agents[0]} cannot be updated after the erasure: {reason}; try again")


def restatements(
    live: Mind, replayed: Mind, gone: Collection[UUID], agent_id: str, key: str, room: int
) -> list[MemoriesErased]:
    """Return events that state the remaining memories anew, so that folding the remaining events gives the current
    state.

    `live` is the agent's current state, `replayed` the fold without the erased events, `gone` the erased ids. Each
    event fits into `room` bytes. Raises `DivergedError` if the two states differ in spite of the events.
    """
    said = [
        MemoriesErased(
            event_id=derive(key, MemoriesErased.kind_of(), number), agent_id=agent_id, memory_ids=(), standing=piece
        )
        for number, piece in enumerate(_fitting(restated(live, replayed, gone), room - FRAME_BYTES))
    ]
    check(live, replayed, said)
    return said


def _fitting(standings: Iterable[Standing], room: int) -> Iterator[tuple[Standing, ...]]:
    """Yield the states of memories in groups of at most `room` bytes."""
    some, size = list[Standing](), 0
    for standing in standings:
        more = len(standing.model_dump_json().encode()) + 1
        if some and size + more > room:
            yield tuple(some)
            some, size = [], 0
        some.append(standing)
        size += more
    if some:
        yield tuple(some)


def tombstones_of(steps: Iterable[Step]) -> Iterator[Event]:
    """Yield the tombstones of these steps."""
    for step in steps:
        yield from step.tombstones()
