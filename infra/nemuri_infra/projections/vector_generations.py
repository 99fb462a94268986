"""Queries on vector generations: the generations in use, and the memories without a vector of a generation.

A generation is an embedding model with a dimension.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Column, ColumnElement, Table, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.agents import Embedding
from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.affective.aggregate import embedded_text as affect_text
from nemuri_domain.event_sourcing.state import State
from nemuri_domain.strength.aggregate import Content
from nemuri_domain.strength.memory_content import embedded_text
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import records, selecting
from nemuri_infra.stores.vectors import generation_of


class EmbeddedText(NamedTuple):
    """The present text of a memory of any of the three kinds: strength, affective or tiered."""

    memory_id: UUID
    since: int
    """Sequence of the event that set the text."""
    text: str
    """Text from which the memory's vector is made."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """One of the three kinds of memory: its table, and the function that returns the text of a row."""

    table: Table
    since: Column[int]
    record: type[State]
    text: Callable[[Any], str]


_SORTS = (
    _Sort(tables.memory, tables.memory.c.created, Content, lambda content: embedded_text(content.memory)),
    _Sort(
        tables.affect_memory,
        tables.affect_memory.c.worded,
        AffectMemory,
        lambda affect_memory: affect_text(affect_memory.trigger, affect_memory.content),
    ),
    _Sort(tables.tier_memory, tables.tier_memory.c.worded, TierMemory, lambda tier_memory: str(tier_memory.content)),
)


async def embeddings(database: Database) -> dict[str, Embedding]:
    """Return the embedding (model and dimension) of every agent, by name.

    Agents that a host keeps are left out, because it retrieves for them.
    """
    agent = tables.agent.c
    kept_here = agent.definition["kept_by"].astext.is_distinct_from("host")
    query = select(agent.agent_id, agent.embedding).where(kept_here).order_by(agent.agent_id)
    async with database.reading() as connection:
        rows = (await connection.execute(query)).all()
    return {agent_id: Embedding.model_validate(embedding) for agent_id, embedding in rows}


async def generations(database: Database) -> set[str]:
    """Return the generations of all stored vectors and of all agents' embeddings."""
    async with database.reading() as connection:
        found = await connection.execute(select(tables.memory_vector.c.model).distinct())
        known = {str(scalar) for scalar in found.scalars()}
    return known | {
        generation_of(embedding.model, embedding.dimension) for embedding in (await embeddings(database)).values()
    }


async def count_missing(database: Database, generation: str) -> dict[str, int]:
    """Return the number of memories without a vector of the generation, by agent.

    Agents without such memories are left out.
    """
    counted: dict[str, int] = {}
    async with database.reading() as connection:
        for sort in _SORTS:
            owner = sort.table.c.agent_id
            query = select(owner, func.count()).where(~_with_vector(sort.table, generation)).group_by(owner)
            for agent_id, number in await connection.execute(query):
                counted[agent_id] = counted.get(agent_id, 0) + number
    return counted


async def oldest_missing(
    database: Database, generation: str, agent_id: str, *, after: int, limit: int
) -> list[EmbeddedText]:
    """Return the texts of the agent's memories without a vector of the generation, oldest text first, at most `limit`.

    Only texts that were set after the sequence `after` are returned.
    """

    def chosen(each: _Sort) -> tuple[ColumnElement[bool], ...]:
        return each.table.c.agent_id == agent_id, each.since > after, ~_with_vector(each.table, generation)

    async with database.reading() as connection:
        return await _words(connection, chosen, limit)


async def texts_of(
    connection: AsyncConnection, agent_id: str, memory_ids: Sequence[UUID], *, before: int
) -> list[EmbeddedText]:
    """Return the texts of the agent's memories with these ids, oldest text first.

    Memories whose text was set at or after the sequence `before` are left out.
    """

    def chosen(each: _Sort) -> tuple[ColumnElement[bool], ...]:
        return each.table.c.agent_id == agent_id, each.since < before, each.table.c.memory_id.in_(memory_ids)

    return await _words(connection, chosen)


async def _words(
    connection: AsyncConnection, chosen: Callable[[_Sort], Sequence[ColumnElement[bool]]], limit: int | None = None
) -> list[EmbeddedText]:
    found: list[EmbeddedText] = []
    for sort in _SORTS:
        query = selecting(sort.table, sort.record).where(*chosen(sort)).order_by(sort.since).limit(limit)
        rows: list[Any] = await records(connection, sort.record, query)
        found += (EmbeddedText(row.memory_id, getattr(row, sort.since.name), sort.text(row)) for row in rows)
    return sorted(found, key=lambda generation: generation.since)[:limit]


def _with_vector(memory: Table, generation: str) -> ColumnElement[bool]:
    vector = tables.memory_vector.c
    query = select(vector.memory_id).where(
        vector.agent_id == memory.c.agent_id, vector.memory_id == memory.c.memory_id, vector.model == generation
    )
    return query.exists()
