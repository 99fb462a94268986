"""A writer that keeps states in memory writes the same rows as one that reads every state anew.

A test has two sets of projections: one of a writer that lives on, and one of a new writer for each batch.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import update

from nemuri.operations.views import rebuild
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.codec import EVENTS, AnyEvent
from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.event import Event
from nemuri_contracts.parked_events import EventParked
from nemuri_contracts.strength import MemoriesUsed, Use
from nemuri_domain.strength.fold import evolve
from nemuri_infra.bus.log_batch import Batch
from nemuri_infra.projections import projection_writer, tables
from nemuri_infra.projections.identity_map import MindMap
from nemuri_infra.projections.projection import FOLD, GapError, OtherFoldsError, OutdatedError
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.boundary_events import EventJson, kinds_of_memory, scene_id, variants
from tests.integration.harness import agent_defined, assert_verified, recorded_events, snapshot
from tests.integration.logged_tasks import append_copy, failed, submitted
from tests.integration.test_every_event import scene_with, second_views, with_sequences
from tests.integration.test_projection import encoded
from tests.unit.domain.affective import turns

pytestmark = pytest.mark.connected


@dataclass
class Pair:
    """A writer and, beside it, the same log folded by a new writer for each batch."""

    resources: Resources
    beside: Resources
    writer: ProjectionWriter
    doubted: list[int] = field(default_factory=list)
    """Number of events in each batch for which the database was asked which events have an effect."""

    @property
    def log(self) -> Any:
        """Return the log."""
        return self.resources.log

    async def batch(self, after: int) -> Batch:
        """Return the events of the log after a sequence as a batch."""
        events = [event for event in await recorded_events(self.log) if (event.sequence or 0) > after]
        return Batch(tuple(events), (), after, await self.log.last_sequence())

    async def fold(self, *events: Event, copies: Sequence[Event] = ()) -> bool:
        """Append events and copies of events, and fold them. Return whether the writer had no doubt about them."""
        for event in events:
            await self.log.append(event)
        for copy in copies:
            await append_copy(self.log, copy)
        return await self.fold_batch(await self.batch((await self.resources.projection.position()).sequence))

    async def fold_batch(self, batch: Batch) -> bool:
        """Fold a batch into both. Return whether the writer had no doubt about its events."""
        before = len(self.doubted)
        assert await self.writer.apply(batch) == batch.until
        without_doubt = len(self.doubted) == before
        await self.fold_beside(batch)
        return without_doubt

    async def fold_beside(self, batch: Batch) -> None:
        """Fold a batch with a new writer into the second set of projections."""
        assert await ProjectionWriter(self.beside.projection).apply(batch) == batch.until

    async def check(self, *, on_log: bool = True) -> None:
        """Assert that both have the same rows, and `verify` finds no difference from the log."""
        assert await snapshot(self.resources) == await snapshot(self.beside)
        assert (await self.resources.projection.position()) == (await self.beside.projection.position())
        if on_log:
            await assert_verified(self.resources.settings)


@asynccontextmanager
async def opened_pair(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Pair]:
    """Yield both projections of a log with one agent, which is folded already."""
    effective = projection_writer._effective
    async with open_resources(settings) as resources, second_views(resources) as beside:
        pair = Pair(resources, beside, ProjectionWriter(resources.projection))

        async def counted(connection: Any, events: Sequence[AnyEvent]) -> list[AnyEvent]:
            pair.doubted.append(len(events))
            return await effective(connection, events)

        monkeypatch.setattr(projection_writer, "_effective", counted)
        assert await pair.fold(agent_defined())
        pair.writer = ProjectionWriter(resources.projection)  # one that knows that the tables are not empty
        yield pair


def used(*memory_ids: UUID) -> MemoriesUsed:
    """Return the event that an answer of the agent used these memories."""
    uses = tuple(Use(memory_id=memory_id, method="citation") for memory_id in memory_ids)
    return MemoriesUsed(event_id=uuid4(), agent_id="python", assignment_id=uuid4(), perspective="semantics", uses=uses)


@pytest.mark.long
async def test_every_kind_of_event_gives_the_same_rows(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """For every kind of event and of memory, with a sample of boundary values, both writers write the same rows."""
    written = 0
    async with opened_pair(settings, monkeypatch) as pair:
        sequence = await pair.log.last_sequence()
        for number, (memory, said) in enumerate(sampled_scenes()):
            events = with_sequences(scene_with(memory, said, f"{number}"), sequence)
            for part in (events[: len(events) - len(said)], events[len(events) - len(said) :]):
                if part:
                    sequence = part[-1].sequence or 0
                    written += await pair.fold_batch(as_batch(part))
        await pair.check(on_log=False)
    assert written > len(EVENTS), "most batches raise no doubt"


def sampled_scenes() -> list[tuple[str, list[EventJson]]]:
    """Return for each kind of event, and of memory that it can apply to, four of its variants."""
    found: list[tuple[str, list[EventJson]]] = []
    for kind in EVENTS:
        some = list(variants(kind))
        for memory in kinds_of_memory(kind):
            for number, each in enumerate(some[:: max(len(some) // 3, 1)]):
                found.append((memory, [each | {"event_id": scene_id(str(number), UUID(each["event_id"]))}]))
    return found


def as_batch(events: Sequence[AnyEvent]) -> Batch:
    """Return consecutive events as a batch."""
    places = [event.sequence or 0 for event in events]
    return Batch(tuple(events), (), places[0] - 1, places[-1])


async def test_states_in_memory_are_folded_on(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches about the same tasks and memories are written one after the other without reading their states again."""
    memories, task = [encoded("python", number) for number in range(3)], submitted()
    loaded: list[int] = []
    load = MindMap.load

    async def counted(states: MindMap[Any], connection: Any, events: Sequence[Any]) -> None:
        names = {event.agent_id for event in events}
        loaded.append(len(names - states.now.keys()))
        await load(states, connection, events)

    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(*memories, task)
        ids = [memory.memory_id for memory in memories]
        with monkeypatch.context() as patch:
            patch.setattr(MindMap, "load", counted)
            await pair.log.append(used(*ids))
            batch = await pair.batch(await pair.log.last_sequence() - 1)
            assert await pair.writer.apply(batch) == batch.until
        assert loaded
        assert not any(loaded)
        await pair.fold_beside(batch)
        assert await pair.fold(failed(task), used(ids[0]))
        await pair.check()


async def test_a_repeated_event_has_no_effect(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeated event has no effect. The database is asked about it only if the first is in an earlier batch."""
    memory, other = encoded("python", 1), encoded("python", 2)
    use = used(memory.memory_id)
    async with opened_pair(settings, monkeypatch) as pair:
        first = await pair.log.last_sequence()
        assert await pair.fold(memory, use, copies=[use, memory])
        assert pair.writer.take_without_effect() == frozenset({first + 3, first + 4})
        assert not await pair.fold(other, copies=[use])
        assert pair.writer.take_without_effect() == frozenset({first + 6})
        assert await pair.fold(used(memory.memory_id, other.memory_id))
        assert pair.writer.take_without_effect() == frozenset()
        await pair.check()


async def test_an_event_of_an_erased_agent_has_no_effect(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An event of an erased agent or of an erased task has no effect."""
    task, memory = submitted(), encoded("cook", 1)
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(agent_defined("cook"), task)
        assert await pair.fold(TaskErased(event_id=uuid4(), correlation_id=task.event_id))
        assert await pair.fold(AgentErased(event_id=uuid4(), agent_id="cook"))
        for late in (agent_defined("cook"), memory, failed(task)):
            assert not await pair.fold(late, encoded("python", len(pair.doubted)))
        assert await pair.fold(submitted())
        await pair.check()


async def test_another_writer_in_between_is_noticed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another projector has written meanwhile, nothing is folded twice and no outdated state is written."""
    memory = encoded("python", 1)
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(memory)
        other = ProjectionWriter(pair.resources.projection)
        await pair.log.append(used(memory.memory_id))
        theirs = await pair.batch(await pair.log.last_sequence() - 1)
        assert await other.apply(theirs) == theirs.until
        await pair.fold_beside(theirs)

        assert await pair.writer.apply(theirs) == theirs.until, "it was written already"
        assert pair.writer.take_without_effect() is None
        await pair.check()
        assert await pair.fold(used(memory.memory_id))
        last = await pair.batch(await pair.log.last_sequence() - 1)
        assert await other.apply(last) == last.until, "now the other one is behind"
        await pair.log.append(used(memory.memory_id))
        assert await pair.fold_batch(await pair.batch(theirs.after)), "a batch may overlap"
        await pair.check()
        await pair.log.append(used(memory.memory_id))
        await pair.log.append(used(memory.memory_id))
        with pytest.raises(GapError):
            await pair.writer.apply(await pair.batch(await pair.log.last_sequence() - 1))


async def test_exchanged_tables_are_noticed(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a rebuild has exchanged the tables, states of the old tables are not written into the new ones."""
    memory = encoded("python", 1)
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(memory, used(memory.memory_id))
        await rebuild(settings)
        assert not await pair.fold(used(memory.memory_id))
        assert await pair.fold(used(memory.memory_id))
        await pair.check()


@pytest.mark.parametrize("fold", [FOLD - 1, FOLD + 1])
async def test_another_version_of_the_folds_is_noticed(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, fold: int
) -> None:
    """Nothing is written into projections that another version of the folds has built."""
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(encoded("python", 1))
        await set_fold(pair.resources, fold)
        before = await snapshot(pair.resources)
        await pair.log.append(encoded("python", 2))
        batch = await pair.batch(await pair.log.last_sequence() - 1)
        for writer in (pair.writer, ProjectionWriter(pair.resources.projection)):
            with pytest.raises(OtherFoldsError):
                await writer.apply(batch)
        assert await snapshot(pair.resources) == before
        await set_fold(pair.resources, FOLD)
        assert await pair.fold_batch(batch)
        await pair.check()


async def set_fold(resources: Resources, fold: int) -> None:
    """Mark the projections as built by another version of the folds."""
    async with resources.database.begin() as connection:
        await connection.execute(update(tables.checkpoint).values(fold=fold))


async def test_states_are_dropped_after_an_error(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """States that were folded but not written are dropped, so that the next attempt folds every event once."""
    memory = encoded("python", 1)

    async def broken(*_: object) -> None:
        raise OSError("the connection is lost")

    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(memory)
        await pair.log.append(used(memory.memory_id))
        batch = await pair.batch(await pair.log.last_sequence() - 1)
        with monkeypatch.context() as patch:
            patch.setattr(projection_writer, "write_batch", broken)
            with pytest.raises(OSError, match="lost"):
                await pair.writer.apply(batch)
        assert await pair.fold_batch(batch)
        await pair.check()


async def test_states_are_dropped_if_there_are_too_many(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than `MAX_STATES` states are dropped after they are written, and loaded again where they are needed."""
    monkeypatch.setattr(projection_writer, "MAX_STATES", 3)
    memories, task = [encoded("python", number) for number in range(3)], submitted()
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(*memories)
        assert pair.writer._states.size == 3
        assert await pair.fold(task)
        assert pair.writer._states.size == 0
        assert await pair.fold(used(*(memory.memory_id for memory in memories)), failed(task))
        assert pair.writer._states.size == 0
        assert await pair.fold(used(memories[0].memory_id))
        assert pair.writer._states.size == 1
        await pair.check()


async def test_events_that_change_more_than_their_states(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tombstones and parked events are written with their batch, and a batch that parks a folded event is refused."""
    memory, turn = encoded("python", 1), uuid4()
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(memory, encoded("python", 2), turns.defined())
        assert await pair.fold(turns.offered(turn, "Why does the parser reject a trailing comma?"))
        assert await pair.fold(MemoriesErased(event_id=uuid4(), agent_id="python", memory_ids=(memory.memory_id,)))
        assert await pair.fold(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters={}))
        parked = EventParked(event_id=uuid4(), parked_id=uuid4(), parked_kind="memory_encoded", why="it never was")
        assert await pair.fold(parked)
        await pair.check()
        folded = encoded("python", 3)
        assert await pair.fold(folded)
        await pair.log.append(parked.model_copy(update={"event_id": uuid4(), "parked_id": folded.event_id}))
        with pytest.raises(OutdatedError):
            await pair.writer.apply(await pair.batch(await pair.log.last_sequence() - 1))


async def test_a_row_that_a_fold_removes_is_deleted(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a fold removes a memory without a tombstone, its row is deleted and does not stay."""
    memory, other = encoded("python", 1), encoded("python", 2)

    def forgetful(mind: Any, event: Any) -> Any:
        after = evolve(mind, event)
        return after.without_memories([memory.memory_id]) if isinstance(event, MemoriesUsed) else after

    monkeypatch.setattr("nemuri_infra.projections.fold_states.evolve_mind", forgetful)
    async with opened_pair(settings, monkeypatch) as pair:
        assert await pair.fold(memory, other)
        assert await pair.fold(used(memory.memory_id, other.memory_id))
        async with pair.resources.database.begin() as connection:
            kept = (await connection.execute(tables.memory_state.select())).scalars().all()
        assert len(kept) == 1
        assert await pair.fold(encoded("python", 3))
        await pair.check(on_log=False)
