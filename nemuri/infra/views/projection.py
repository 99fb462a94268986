"""From the log to the tables: a stretch of events, folded and written in one transaction with its checkpoint."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, get_args
from uuid import UUID

from immutables import Map
from sqlalchemy import func, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri.contracts.agents import MemoriesEmbedded
from nemuri.contracts.event import Event
from nemuri.contracts.log import AnyAgentEvent, AnyEvent
from nemuri.contracts.memories import MemoryEncoded
from nemuri.contracts.subjects import Subjects
from nemuri.domain.deliveries import first_of_each
from nemuri.domain.memory.content import embedded_text
from nemuri.domain.memory.mind import Agent, Content, Memory, Mind
from nemuri.domain.memory.remembering import evolve as evolve_mind
from nemuri.domain.memory.remembering import touched
from nemuri.domain.record import Record
from nemuri.domain.tasks.lifecycle import LifeEvent
from nemuri.domain.tasks.lifecycle import evolve as evolve_task
from nemuri.domain.tasks.state import Assignment, Chunk, Feedback, Task, TaskState
from nemuri.infra.log import Batch
from nemuri.infra.vectors import Vectors, generation_in, vector_key
from nemuri.infra.views import tables
from nemuri.infra.views.courses import fold_courses
from nemuri.infra.views.database import Database
from nemuri.infra.views.rows import load, write

K = TypeVar("K", bound=Hashable)
R = TypeVar("R", bound=Record)
FOLD = 8
"""The version of the folds; a newer one rebuilds the views before it serves."""
VIEW = "views"
_LIFE: tuple[type[Event], ...] = get_args(LifeEvent)
_MIND: tuple[type[Event], ...] = get_args(AnyAgentEvent)


@dataclass(frozen=True, slots=True)
class Position:
    """How far the views are, and by which folds they were made."""

    sequence: int
    fold: int
    halted: str | None = None
    """Why they do not go on; None while they do."""


class Unprojectable(Exception):  # noqa: N818 - reads as what the event is
    """The log holds something of our own that cannot be read; going on would make the views wrong."""

    @classmethod
    def check(cls, batch: Batch, subjects: Subjects) -> None:
        """Raise for an unreadable event of our own; what a client said and nobody understands means nothing."""
        for each in batch.unreadable:
            if subjects.client_of(each.subject) is None:
                raise cls(f"event {each.sequence} on {each.subject} cannot be read: {each.reason}")


@dataclass(frozen=True, slots=True)
class Projection:
    """Folds the log into the tables of one schema."""

    database: Database
    vectors: Vectors

    async def position(self) -> Position:
        """Where the views are; at the beginning if nothing was ever projected."""
        async with self.database.begin() as connection:
            return await _position(connection)

    async def apply(self, batch: Batch) -> int:
        """Fold what is new in the batch and return how far the views are now.

        However many projectors apply it, and however often, every event counts once.
        """
        fresh = await self._new_vectors(batch.events)
        async with self.database.begin() as connection:
            await hold(connection, self.database.schema)
            await connection.execute(
                upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD).on_conflict_do_nothing()
            )
            here = await _position(connection)
            if batch.until <= here.sequence:
                return here.sequence
            events = await _first_of_all(
                connection, [each for each in batch.events if (each.sequence or 0) > here.sequence]
            )
            await _fold_tasks(connection, events)
            await _fold_minds(connection, events)
            await fold_courses(connection, events)
            await _write_vectors(connection, events, fresh)
            for each in events:
                if isinstance(each, MemoriesEmbedded):
                    await self._write_generation(connection, each)
            await connection.execute(update(tables.checkpoint).values(sequence=batch.until, fold=FOLD, halted=None))
        return batch.until

    async def halt(self, why: str) -> None:
        """Note why the views do not go on; the next stretch that is applied takes it back."""
        async with self.database.begin() as connection:
            noted = upsert(tables.checkpoint).values(view=VIEW, sequence=0, fold=FOLD, halted=why)
            await connection.execute(noted.on_conflict_do_update(index_elements=["view"], set_={"halted": why}))

    async def _new_vectors(self, events: Sequence[AnyEvent]) -> Mapping[str, Any]:
        encoded = [each for each in events if isinstance(each, MemoryEncoded)]
        return await self.vectors.recorded({each.vector: embedded_text(each.memory) for each in encoded})

    async def _write_generation(self, connection: AsyncConnection, event: MemoriesEmbedded) -> None:
        """Other vectors of memories; read for one event at a time, so that a replay never holds those of many."""
        content = tables.memory.c
        mine = (content.agent_id == event.agent_id, content.created < event.sequence)
        found = await load(connection, tables.memory, Content, content.memory_id.in_(event.memory_ids), *mine)
        texts = {each.memory_id: embedded_text(each.memory) for each in found}
        model, dimension = event.embedding.model, event.embedding.dimension
        keys = {memory_id: vector_key(model, dimension, text) for memory_id, text in texts.items()}
        vectors = await self.vectors.recorded({keys[memory_id]: text for memory_id, text in texts.items()})
        await _write_rows(
            connection, [(event.agent_id, memory_id, key, vectors[key]) for memory_id, key in keys.items()]
        )


async def hold(connection: AsyncConnection, schema: str) -> None:
    """Be the only one to change a schema's views until the end of the transaction.

    A lock by name rather than of a row: a rebuild exchanges the tables, and who waited meanwhile finds the new ones.
    """
    await connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(schema, 0))))


async def _position(connection: AsyncConnection) -> Position:
    place = tables.checkpoint.c
    query = select(place.sequence, place.fold, place.halted).where(place.view == VIEW)
    row = (await connection.execute(query)).one_or_none()
    return Position(row.sequence, row.fold, row.halted) if row else Position(0, FOLD)


async def _first_of_all(connection: AsyncConnection, events: Sequence[AnyEvent]) -> list[AnyEvent]:
    """Those events that are the first of their id, here and in the whole log before; the others never count."""
    if not events:
        return []
    entries = [
        {
            "event_id": each.event_id,
            "sequence": each.sequence,
            "kind": each.kind,
            "task_id": each.thread,
            "agent_id": each.agent_id,
            "recorded_at": each.at,
        }
        for each in first_of_each(events)
    ]
    statement = upsert(tables.journal).on_conflict_do_nothing().returning(tables.journal.c.sequence)
    accepted = set((await connection.execute(statement, entries)).scalars())
    return [each for each in events if each.sequence in accepted]


async def _fold_tasks(connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
    concerned = [each for each in events if isinstance(each, _LIFE) and each.thread is not None]
    before = await task_states(connection, {each.task_id for each in concerned})
    after = dict(before)
    for event in concerned:
        after[event.task_id] = evolve_task(after[event.task_id], event)  # type: ignore[arg-type]
    pairs = [(before[task_id], state) for task_id, state in after.items()]
    tasks = [new.task for old, new in pairs if new.task and new.task is not old.task]
    await write(connection, tables.task, tasks)
    await write(connection, tables.chunk, _changed((old.chunks, new.chunks) for old, new in pairs))
    await write(connection, tables.assignment, _changed((old.assignments, new.assignments) for old, new in pairs))
    await write(connection, tables.feedback, _changed((old.feedback, new.feedback) for old, new in pairs))


async def task_states(connection: AsyncConnection, task_ids: Iterable[UUID]) -> dict[UUID, TaskState]:
    """The tasks as they are in the tables; an unknown one is empty."""
    ids = list(task_ids)
    if not ids:
        return {}
    tasks = {each.task_id: each for each in await load(connection, tables.task, Task, tables.task.c.task_id.in_(ids))}
    chunks = await load(connection, tables.chunk, Chunk, tables.chunk.c.task_id.in_(ids))
    work = await load(connection, tables.assignment, Assignment, tables.assignment.c.task_id.in_(ids))
    said = await load(connection, tables.feedback, Feedback, tables.feedback.c.task_id.in_(ids))
    pieces = _by_task((each.task_id, each.ordinal, each) for each in chunks)
    assignments = _by_task((each.task_id, each.assignment_id, each) for each in work)
    feedback = _by_task((each.task_id, each.feedback_id, each) for each in said)
    return {
        each: TaskState(tasks.get(each), Map(pieces[each]), Map(assignments[each]), Map(feedback[each])) for each in ids
    }


def _by_task(rows: Iterable[tuple[UUID, K, R]]) -> defaultdict[UUID, dict[K, R]]:
    found: defaultdict[UUID, dict[K, R]] = defaultdict(dict)
    for task_id, key, row in rows:
        found[task_id][key] = row
    return found


async def _fold_minds(connection: AsyncConnection, events: Iterable[AnyEvent]) -> None:
    concerned = [each for each in events if isinstance(each, _MIND)]
    before = await _minds(connection, concerned)
    after = dict(before)
    for event in concerned:
        agent_id = str(event.agent_id)
        after[agent_id] = evolve_mind(after[agent_id], event)  # type: ignore[arg-type]
    pairs = [(before[agent_id], mind) for agent_id, mind in after.items()]
    agents = [new.agent for old, new in pairs if new.agent and new.agent is not old.agent]
    await write(connection, tables.agent, agents)
    await write(connection, tables.memory, _changed((old.contents, new.contents) for old, new in pairs))
    await write(connection, tables.memory_state, _changed((old.memories, new.memories) for old, new in pairs))
    await write(connection, tables.scorer, [new.scorer for old, new in pairs if new.scorer])


async def _minds(connection: AsyncConnection, events: Sequence[Event]) -> dict[str, Mind]:
    """The minds that the events concern, with those of their memories that they touch."""
    names = {str(each.agent_id) for each in events}
    wanted = {memory_id for each in events for memory_id in touched(each)}  # type: ignore[arg-type]
    agents = await load(connection, tables.agent, Agent, tables.agent.c.agent_id.in_(names)) if names else []
    state = tables.memory_state
    memories = await load(connection, state, Memory, state.c.memory_id.in_(wanted)) if wanted else []
    by_name = {each.agent_id: each for each in agents}
    return {
        name: Mind(
            agent=by_name.get(name),
            memories=Map({each.memory_id: each for each in memories if each.agent_id == name}),
        )
        for name in names
    }


def _changed(pairs: Iterable[tuple[Map[Any, Any], Map[Any, Any]]]) -> list[Any]:
    """What is new or other in the second map of each pair: of all tasks or minds, to be written at once."""
    return [record for old, new in pairs for key, record in new.items() if old.get(key) is not record]


async def _write_vectors(connection: AsyncConnection, events: Iterable[AnyEvent], fresh: Mapping[str, Any]) -> None:
    encoded = [each for each in events if isinstance(each, MemoryEncoded)]
    await _write_rows(
        connection, [(each.agent_id, each.memory_id, each.vector, fresh[each.vector]) for each in encoded]
    )


async def _write_rows(connection: AsyncConnection, found: Iterable[tuple[str, UUID, str, Any]]) -> None:
    """Agent, memory, key and vector of each; what the store does not hold any more has no row."""
    rows = [
        {"agent_id": agent_id, "memory_id": memory_id, "model": generation_in(key), "vector": vector}
        for agent_id, memory_id, key, vector in found
        if vector is not None
    ]
    if rows:
        await connection.execute(upsert(tables.memory_vector).on_conflict_do_nothing(), rows)
