"""Tombstones: appended before anything is deleted, and completed where somebody was interrupted."""

from collections.abc import Iterable, Iterator, Sequence
from uuid import UUID

from nemuri.contracts.erasure import AgentErased, Erasure, MemoriesErased, TaskErased
from nemuri.contracts.event import Event, derive
from nemuri.domain.erasure import TOMBSTONES, Erased
from nemuri.domain.memory.mind import Mind
from nemuri.domain.memory.restating import DivergedError, check, restated
from nemuri.face.operations.workshop import OperationError, Workshop, quietly
from nemuri.infra.bus.messages import sequences_on
from nemuri.infra.log import ConflictError, TooLargeError
from nemuri.infra.views import rebuilding
from nemuri.infra.views.lineage import Thing
from nemuri.infra.views.minds import mind_of, replayed
from nemuri.infra.views.projection import OtherFoldsError

ATTEMPTS = 20
"""So often it is begun again because an agent did something meanwhile."""
TOLD = 1_000
"""Memories that one tombstone tells of."""


async def caught_up(at: Workshop) -> None:
    """Bring the views to the end of the log, whether or not a projector is at work."""
    OtherFoldsError.check(await at.projection.position())
    await rebuilding.catch_up(at.projection, at.log, await at.log.last_sequence(), quietly)


async def begun(at: Workshop) -> list[tuple[Thing, Erasure]]:
    """The erasures on the log, by what they began with."""
    found: list[tuple[Thing, Erasure]] = []
    for each in await _there(at):
        match each:
            case MemoriesErased(whole=Erasure() as whole, memory_ids=(asked, *_)):
                found.append((Thing("memory", asked), whole))
            case TaskErased(whole=Erasure() as whole):
                found.append((Thing("task", each.task_id), whole))
            case AgentErased(whole=Erasure() as whole):
                found.append((Thing("agent", each.agent_id), whole))
            case _:
                pass
    return found


async def bury(at: Workshop, root: Thing, whole: Erasure, *, begun: bool) -> None:
    """Append those tombstones of an erasure that are not there yet, and let the views fold them.

    The first one says what all of them will; `begun` is whether it is there. Raises `OperationError`.
    """
    before = await _there(at)
    there = {each.event_id for each in before}
    key = f"erasure/{root.sort}/{root.name}"
    try:
        for each in plain(root, whole, key) if root.sort != "memory" else ():
            if each.event_id not in there:
                await at.log.append(each)
        await _tell(at, key, whole, before, first=root.sort == "memory" and not begun)
        for each in plain(root, whole, key):
            if each.event_id not in there:
                await at.log.append(each)
    except TooLargeError as error:
        raise OperationError(f"that is too much to erase at once ({error}); erase parts of it first") from error
    await caught_up(at)


def plain(root: Thing, whole: Erasure, key: str) -> Iterator[TaskErased | AgentErased]:
    """The tombstones of tasks and agents, that of the root first."""

    def about(sort: str, name: object) -> dict[str, object]:
        return {"whole": whole} if (sort, name) == root else {}

    for task in sorted(whole.tasks, key=lambda each: each != root.name):
        event_id = derive(key, TaskErased.kind_of(), task)
        yield TaskErased.model_validate({"event_id": event_id, "correlation_id": task} | about("task", task))
    for agent in sorted(whole.agents, key=lambda each: each != root.name):
        event_id = derive(key, AgentErased.kind_of(), agent)
        yield AgentErased.model_validate({"event_id": event_id, "agent_id": agent} | about("agent", agent))


async def _tell(at: Workshop, key: str, whole: Erasure, before: Sequence[Event], *, first: bool) -> None:
    """Tell the agents what they have forgotten, and how the rest of what they remember stands.

    Tombstones from `before` are not told again. With `first` the first of these tombstones is the first of the erasure.
    """
    agents, erased = list(whole.restated), Erased.in_all(whole)
    for _ in range(ATTEMPTS):
        ends = {each: (await at.log.newest_on(f"{at.log.subjects.agent(each)}.>")).sequence for each in agents}
        await caught_up(at)
        until = (await at.projection.position()).sequence
        minds = await replayed(at.log, agents, erased, until)
        try:
            while agents:
                name = agents[0]
                live = await mind_of(at.projection.database, name)
                said = told(live, minds[name], whole, name, f"{name}/{ends[name]}", key, before, first=first)
                await _say(at, said, ends[name])
                first = first and not said
                agents.pop(0)
        except (ConflictError, DivergedError) as error:
            reason = error
        else:
            return
    raise OperationError(f"{agents[0]} cannot be told what it is to forget: {reason}; try again")


def told(
    live: Mind,
    replayed: Mind,
    whole: Erasure,
    agent_id: str,
    place: str,
    key: str,
    before: Iterable[Event] = (),
    *,
    first: bool,
) -> list[MemoriesErased]:
    """What an agent is told of an erasure, from its mind as it is and as the events that stay make it.

    Nothing where there is nothing to say that tombstones from `before` have not said, unless this is to be the `first`
    one. Raises `DivergedError`.
    """
    gone = whole.memories.get(agent_id, ())
    standing = restated(live, replayed, set(gone))
    if not first and not standing and set(gone) <= _told_before(agent_id, before):
        return []
    pieces = [standing[start : start + TOLD] for start in range(0, len(standing), TOLD)] or [()]
    said = [
        MemoriesErased(
            event_id=derive(key, MemoriesErased.kind_of(), f"{place}/{number}"),
            agent_id=agent_id,
            memory_ids=() if number else gone,
            standing=piece,
            whole=whole if first and not number else None,
        )
        for number, piece in enumerate(pieces)
    ]
    check(live, replayed, said)
    return said


def _told_before(agent_id: str, tombstones: Iterable[Event]) -> set[UUID]:
    mine = (each for each in tombstones if isinstance(each, MemoriesErased) and each.agent_id == agent_id)
    return {memory_id for each in mine for memory_id in each.memory_ids}


async def _say(at: Workshop, tombstones: Sequence[MemoriesErased], last: int) -> None:
    """Append them right after what they were decided on."""
    for each in tombstones:
        last = await at.log.append(each, expected=last, over=f"{at.log.subjects.agent(each.agent_id)}.>")


async def _there(at: Workshop) -> list[Event]:
    """The tombstones on the log that mean anything."""
    found, parked = list[Event](), await at.log.parked()
    for kind in TOMBSTONES:
        for subject in at.log.subjects.of_kind(kind):
            async for sequence in sequences_on(at.log.stream, at.log.subjects.stream, subject):
                event = await at.log.at(sequence)
                found += [event] if event is not None and not parked.covers(event.event_id, sequence) else []
    return found
