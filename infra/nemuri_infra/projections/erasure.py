"""Erasure in the projections: the rows of erased data are deleted, and the erased ids are recorded."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import ARRAY, ColumnElement, and_, delete, func, literal, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.erasure import AgentErased, MemoriesErased, TaskErased
from nemuri_contracts.error_messages import no_agent
from nemuri_contracts.event import Event
from nemuri_domain.event_sourcing.erasure import OF_A_TASK, OF_AN_AGENT, TOMBSTONES, Erased, named_ids
from nemuri_infra.projections import stored_indexes, tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import insert_new

_AGENT = "agent/"
_OF_AGENTS = (
    tables.agent, tables.memory, tables.memory_state, tables.memory_vector, tables.scorer, tables.course, tables.trial,
    tables.affect_agent, tables.affect_memory, tables.affect_mood, tables.tier_agent, tables.tier_memory,
    tables.retrieval_index,
)  # fmt: skip
_OF_MEMORIES = (tables.memory, tables.memory_state, tables.memory_vector, tables.affect_memory, tables.tier_memory)
_OF_TASKS = (tables.task, tables.chunk, tables.assignment, tables.feedback)
_OF_COURSES = (tables.course, tables.trial)


async def erased_among(connection: AsyncConnection, events: Iterable[Event]) -> Erased:
    """Return the erased ids among the ids of these events and of their tasks, courses and agents."""
    names = erased_keys(events)
    query = select(tables.erased.c.name).where(tables.erased.c.name.in_(names))
    return _read((await connection.execute(query)).scalars() if names else ())


def erased_keys(events: Iterable[Event]) -> set[str]:
    """Return the keys in the table of erased names that would make one of these events ineffective."""
    names = set[str]()
    for event in events:
        names.update(str(name) for name in named_ids(event) if name is not None)
        if event.agent_id is not None:
            names.add(_AGENT + event.agent_id)
    return names


async def everything_erased(database: Database, *, after: int = 0) -> Erased:
    """Return all ids and agents that were erased after the sequence `after` of the log."""
    query = select(tables.erased.c.name).where(tables.erased.c.sequence > after)
    async with database.reading() as connection:
        return _read((await connection.execute(query)).scalars())


async def is_erased(database: Database, name: UUID | str) -> bool:
    """Return whether the task or memory with this id, or the agent with this name, is erased."""
    key = str(name) if isinstance(name, UUID) else _AGENT + name
    query = select(tables.erased.c.sequence).where(tables.erased.c.name == key)
    async with database.reading() as connection:
        return (await connection.execute(query)).scalar_one_or_none() is not None


async def erased_of(database: Database, names: Collection[UUID | str]) -> set[UUID | str]:
    """Return the names in `names` that are erased. A name is the id of a task or memory, or the name of an agent."""
    keys = {str(name) if isinstance(name, UUID) else _AGENT + name: name for name in names}
    query = text("SELECT name FROM erased WHERE name = ANY(CAST(:names AS text[]))")
    async with database.reading() as connection:
        return {keys[scalar] for scalar in (await connection.execute(query, {"names": list(keys)})).scalars()}


async def absent(database: Database, sort: str, name: UUID | str) -> str:
    """Return a line that says why a task, memory or agent is not found: it was erased, or it never existed."""
    if await is_erased(database, name):
        return f"{sort} {name} was erased"
    if isinstance(name, UUID):
        return f"there is no {sort} {name}"
    return no_agent(name)


async def hashes_in_use(database: Database, hashes: Iterable[str]) -> set[str]:
    """Return the text hashes in `hashes` that occur in the vector key of any memory."""
    query = text(
        """
        -- The last 64 characters of a vector key are the hash of its text.
        SELECT right(vector, 64) AS hash FROM (
            SELECT vector FROM memory
            UNION ALL SELECT vector FROM affect_memory
            UNION ALL SELECT vector FROM tier_memory
        ) AS anything
        WHERE right(vector, 64) IN (SELECT unnest(CAST(:hashes AS text[])))
        """
    )
    async with database.reading() as connection:
        return set((await connection.execute(query, {"hashes": list(hashes)})).scalars())


async def refs_in_use(database: Database, refs: Iterable[str]) -> set[str]:
    """Return the references in `refs` that belong to a document of any task."""
    query = text(
        """
        -- Blobs that hold a document of any task.
        SELECT DISTINCT each->>'ref' FROM task, jsonb_array_elements(documents) AS each
        WHERE each->>'ref' = ANY(:refs)
        """
    )
    async with database.reading() as connection:
        return set((await connection.execute(query, {"refs": list(refs)})).scalars())


async def erase(connection: AsyncConnection, events: Sequence[Event]) -> None:
    """Apply the tombstones among the events, which record erasures: store the erased ids, and delete all rows with
    erased data.

    Other events are ignored.
    """
    tombstones = [event for event in events if isinstance(event, TOMBSTONES)]
    if tombstones:
        await connection.execute(stored_indexes.EXCLUSIVE)
    for tombstone in tombstones:
        gone = Erased.by([tombstone])
        await _note(connection, gone, tombstone.sequence or 0)
        await _remove_entries(connection, gone)
        await _remove(connection, _OF_COURSES, "course_id", gone.ids)
        match tombstone:
            case MemoriesErased():
                await _remove(connection, _OF_MEMORIES, "memory_id", tombstone.memory_ids)
                await _remove(connection, [tables.retrieval_index], "agent_id", [tombstone.agent_id])
                # Earlier moods are deleted too, because an erased memory may have caused them.
                mood = tables.affect_mood.c
                felt = and_(mood.agent_id == tombstone.agent_id, mood.changed < tombstone.sequence)
                await connection.execute(delete(tables.affect_mood).where(felt))
            case TaskErased():
                await _remove(connection, _OF_TASKS, "task_id", [tombstone.task_id])
            case AgentErased():
                await _remove(connection, _OF_AGENTS, "agent_id", [tombstone.agent_id])
            case _:
                pass


def _read(names: Iterable[str]) -> Erased:
    known = list(names)
    agents = frozenset(name.removeprefix(_AGENT) for name in known if name.startswith(_AGENT))
    return Erased(frozenset(UUID(name) for name in known if not name.startswith(_AGENT)), agents)


async def _note(connection: AsyncConnection, gone: Erased, sequence: int) -> None:
    names = [*map(str, gone.ids), *(_AGENT + agent for agent in gone.agents)]
    rows = [{"name": name, "sequence": sequence} for name in sorted(names)]
    await insert_new(connection, tables.erased, rows, tables.erased.c.name)


async def _remove_entries(connection: AsyncConnection, gone: Erased) -> None:
    """Delete the journal entries of the events that an erasure deletes from the log. A rebuild would not write them."""
    entry = tables.journal.c
    tombstone = entry.kind.in_([event.kind_of() for event in TOMBSTONES])
    for told in (
        and_(_among(entry.agent_id, gone.agents), entry.kind.in_(OF_AN_AGENT)),
        and_(_among(entry.task_id, gone.ids), entry.kind.in_(OF_A_TASK)),
        _among(entry.event_id, gone.ids),
    ):
        await connection.execute(delete(tables.journal).where(told, ~tombstone))


async def _remove(connection: AsyncConnection, of: Sequence[Any], column: str, keys: Collection[UUID | str]) -> None:
    for table in of:
        await connection.execute(delete(table).where(_among(table.c[column], keys)))


def _among(column: ColumnElement[Any], keys: Collection[UUID | str]) -> ColumnElement[bool]:
    """Return the SQL condition that a column has one of these values. All values are one array parameter."""
    return column.in_(select(func.unnest(literal(list(keys), ARRAY(column.type)))))
