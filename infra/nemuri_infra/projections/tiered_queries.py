"""Queries on tiered memory."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import numpy as np
from immutables import Map
from numpy.typing import NDArray
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.abbreviated_id import beginning, between
from nemuri_contracts.tiered import MemoryType
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory, TiersAgent
from nemuri_domain.tiered.merge_and_forget import LongTermColumns
from nemuri_domain.tiered.retrieval import COLUMNS, FIELDS, columns_of
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, binary_rows, read_snapshot
from nemuri_infra.projections.indexed_tables import STORED_VECTOR, searched_by_vectors
from nemuri_infra.projections.memory_indexes import centred
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.stores.vectors import Vectors

TIERED: Final = searched_by_vectors("tier_memory", fields=FIELDS, columns=COLUMNS, columns_of=columns_of)
_SHARED: Final = f"""
    -- Memories that other agents share with an agent. One that was embedded by another model has no vector.
    SELECT m.changed, m.memory_id, true, {STORED_VECTOR}, {TIERED.selected} FROM tier_memory AS m
    WHERE m.agent_id <> %(agent)s AND m.scope <> 'private' AND (m.scope = 'global' OR m.visible_to ? %(agent)s)
    """  # noqa: S608 - names of our own tables
_MEMORY = tables.tier_memory
_OF = _MEMORY.c


@dataclass(frozen=True, slots=True)
class MindOverview:
    """An overview of an agent's tiered memory at one moment."""

    agent: TiersAgent
    short: Sequence[TierMemory]
    """Newest short-term memories, newest first. The field `long` holds the newest long-term memories in the same order.
    """
    long: Sequence[TierMemory]
    types: dict[MemoryType, int]
    """Number of memories by type."""
    shared: int
    """Number of memories that other agents may see."""
    merging: int
    """Number of memories that will soon be consolidated into others."""


@dataclass(frozen=True, slots=True)
class TieredQueries:
    """Read access to the projections of tiered memory."""

    database: Database

    async def agents(self, agent_id: str | None = None) -> list[TiersAgent]:
        """Return all agents with tiered memory, or only the agent with this name."""
        chosen = [tables.tier_agent.c.agent_id == agent_id] if agent_id is not None else []
        async with self.database.reading() as connection:
            return await load(connection, tables.tier_agent, TiersAgent, *chosen)

    async def agent(self, agent_id: str) -> TiersAgent | None:
        """Return the agent; None if the name is unknown or the agent has no tiered memory."""
        return next(iter(await self.agents(agent_id)), None)

    async def memories(self, memory_ids: Iterable[UUID]) -> dict[UUID, TierMemory]:
        """Return the memories with these ids, by id. Unknown ids are left out."""
        ids = list(memory_ids)
        if not ids:
            return {}
        async with self.database.reading() as connection:
            found = await load(connection, _MEMORY, TierMemory, _OF.memory_id.in_(ids))
        return {memory.memory_id: memory for memory in found}

    async def find_by_prefix(self, agent_id: str, begun: str) -> list[TierMemory]:
        """Return the agent's memories with this id prefix.

        At most two are returned. Two memories mean that the prefix is ambiguous. Raises `ValueError` if `begun` cannot
        be an id prefix.
        """
        of = (_OF.agent_id == agent_id, _OF.memory_id.between(*between(beginning(begun))))
        query = selecting(_MEMORY, TierMemory).where(*of).order_by(_OF.memory_id).limit(2)
        async with self.database.reading() as connection:
            return await records(connection, TierMemory, query)

    async def overview(self, agent_id: str, limit: int) -> "MindOverview | None":
        """Return an overview of the agent's tiered memory, read from one snapshot; None if there is no such agent.

        It contains at most `limit` memories of each tier, the newest ones.
        """

        async def read(connection: AsyncConnection) -> MindOverview | None:
            agents = await load(connection, tables.tier_agent, TiersAgent, tables.tier_agent.c.agent_id == agent_id)
            if not agents:
                return None
            own = _OF.agent_id == agent_id
            types = await connection.execute(select(_OF.type, func.count()).where(own).group_by(_OF.type))
            shared, merging = func.count().filter(_OF.scope != "private"), func.count().filter(_OF.merging)
            counted = (await connection.execute(select(shared, merging).where(own))).one()
            short, long = [await _newest(connection, agent_id, layer, limit) for layer in ("short", "long")]
            return MindOverview(agents[0], short, long, {row.type: row[1] for row in types}, *counted)

        return await read_snapshot(self.database, read)

    async def most_accessed(self, agent_id: str) -> int:
        """Return the number of accesses to the agent's most accessed memory; 0 if the agent has no memory."""
        query = select(func.coalesce(func.max(_OF.access_count), 0)).where(_OF.agent_id == agent_id)
        async with self.database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    async def oldest(self, agent_id: str, since: float) -> float | None:
        """Return the creation time of the agent's oldest short-term memory that was created at or after `since`.

        Memories that will soon be consolidated are ignored. Returns None if no memory is left.
        """
        of = (_OF.agent_id == agent_id, _OF.layer == "short", ~_OF.merging, _OF.at >= since)
        async with self.database.reading() as connection:
            found: float | None = (await connection.execute(select(func.min(_OF.at)).where(*of))).scalar_one()
            return found

    async def to_consolidate(self, agent_id: str) -> tuple[TieredMind, LongTermColumns] | None:
        """Return the agent with its short-term memories, and its long-term memories as columns.

        The columns are empty unless forgetting may be due. Everything is read from one snapshot. Returns None if there
        is no such agent.
        """

        async def read(connection: AsyncConnection) -> tuple[TieredMind, LongTermColumns] | None:
            agents = await load(connection, tables.tier_agent, TiersAgent, tables.tier_agent.c.agent_id == agent_id)
            if not agents:
                return None
            of = (_OF.agent_id == agent_id, _OF.layer == "short")
            short = await load(connection, _MEMORY, TierMemory, *of)
            tiers, long = (
                TieredMind(agents[0], Map({memory.memory_id: memory for memory in short})),
                agents[0].rules.long_term,
            )
            if agents[0].long < long.forgetting_from * long.capacity:
                return tiers, LongTermColumns.of(())
            return tiers, await _fading(connection, agent_id)

        return await read_snapshot(self.database, read)

    async def vectors(self, agent_id: str, vectors: Vectors, ids: Sequence[UUID]) -> dict[UUID, NDArray[np.float32]]:
        """Return the centred vectors of the memories in `ids`, by id, as the calibrated store `vectors` compares them.

        Memories without one are left out.
        """
        vector = tables.memory_vector.c
        query = select(vector.memory_id, vector.vector).where(
            vector.agent_id == agent_id, vector.model == vectors.generation, vector.memory_id.in_(ids)
        )
        async with self.database.reading() as connection:
            found = {memory_id: row.to_numpy() for memory_id, row in await connection.execute(query)}
        return dict(zip(found, vectors.centred(np.stack([*found.values()])), strict=True)) if found else {}


async def _newest(connection: AsyncConnection, agent_id: str, layer: str, limit: int) -> list[TierMemory]:
    of = (_OF.agent_id == agent_id, _OF.layer == layer)
    query = selecting(_MEMORY, TierMemory).where(*of).order_by(_OF.at.desc(), _OF.memory_id).limit(limit)
    return await records(connection, TierMemory, query)


async def _fading(connection: AsyncConnection, agent_id: str) -> LongTermColumns:
    fixed = (_OF.scope != "private") | _OF.merging
    query = select(_OF.memory_id, _OF.at, _OF.importance, _OF.access_count, fixed.label("fixed"))
    found: list[Any] = list(await connection.execute(query.where(_OF.agent_id == agent_id, _OF.layer == "long")))
    return LongTermColumns(
        [memory.memory_id for memory in found],
        np.array([memory.at for memory in found], np.float64),
        np.array([memory.importance for memory in found], np.float64),
        np.array([memory.access_count for memory in found], np.int64),
        np.array([memory.fixed for memory in found], bool),
    )


async def shared_index(database: Database, agent_id: str, vectors: Vectors) -> MemoryIndex:
    """Return an index of the tiered memories that other agents share with an agent."""
    async with database.reading() as connection:
        rows = await binary_rows(connection, _SHARED, {"agent": agent_id, "generation": vectors.generation})
    index, changes = TIERED.create(vectors.embedder.dimension), [TIERED.change(row) for row in rows]
    TIERED.put(index, changes, await centred(TIERED, changes, vectors))
    return index
