"""Queries on affective memory."""

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Final
from uuid import UUID

from sqlalchemy import func, literal_column, or_, select, text

from nemuri_contracts.abbreviated_id import beginning, between
from nemuri_contracts.affective import LinkSort, MemoriesRecalled, TurnOffered, TurnRemembered
from nemuri_domain.affective.aggregate import DELETED, AffectAgent, AffectMemory, Mood
from nemuri_domain.affective.candidate_selection import COLUMNS, FIELDS, NAMES, columns_of
from nemuri_domain.affective.retention import retention
from nemuri_domain.affective.text_compression import topic_text
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, binary_rows
from nemuri_infra.projections.indexed_tables import searched_by_vectors
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.projections.sql_arithmetic import SQL, sql_text

AFFECTIVE: Final = searched_by_vectors(
    "affect_memory",
    fields=FIELDS,
    columns=COLUMNS,
    columns_of=columns_of,
    names=NAMES,
    present=f"m.level <> {DELETED}",
)
_OF_A_CLIENT = "^[0-9a-f]{8}-[0-9a-f]{4}-[^5]"
"""Pattern of the ids of clients' events. The platform's own ids are UUIDs of version 5."""
_WORDS = "SELECT memory_id, trigger, content, keywords FROM affect_memory WHERE memory_id = ANY(%(ids)s)"
_SHARES = text(
    """
    -- Share of the words that the text of each memory contains.
    SELECT memory_id, (SELECT count(*) FROM unnest(CAST(:asked AS text[])) AS word WHERE position(word IN
        lower(trigger || ' ' || content || ' ' || CAST(keywords AS text))) > 0)
        / CAST(cardinality(CAST(:asked AS text[])) AS double precision) AS share
    FROM affect_memory WHERE agent_id = :agent
    """
)


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """Counts of an agent's remembered turns and of the agent's retrievals."""

    remembered: int
    summaries: int
    keyword_lists: int
    first_at: datetime | None
    recalls: int


@dataclass(frozen=True, slots=True)
class AffectiveQueries:
    """Read access to the projections of affective memory."""

    database: Database

    async def agents(self, agent_id: str | None = None) -> list[AffectAgent]:
        """Return all agents with affective memory, or only the agent with this name."""
        chosen = [tables.affect_agent.c.agent_id == agent_id] if agent_id is not None else []
        async with self.database.reading() as connection:
            return await load(connection, tables.affect_agent, AffectAgent, *chosen)

    async def agent(self, agent_id: str) -> AffectAgent | None:
        """Return the agent; None if the name is unknown or the agent has no affective memory."""
        return next(iter(await self.agents(agent_id)), None)

    async def memories(self, memory_ids: Iterable[UUID]) -> dict[UUID, AffectMemory]:
        """Return the memories with these ids, by id. Unknown ids are left out."""
        ids = list(memory_ids)
        if not ids:
            return {}
        memory = tables.affect_memory
        async with self.database.reading() as connection:
            found = await load(connection, memory, AffectMemory, memory.c.memory_id.in_(ids))
        return {row.memory_id: row for row in found}

    async def words(self, memory_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Return the present text of the memories with these ids by which their topic is compared, by id.

        Unknown ids are left out.
        """
        async with self.database.reading() as connection:
            rows = await binary_rows(connection, _WORDS, {"ids": list(memory_ids)})
        return {memory_id: topic_text(*texts) for memory_id, *texts in rows}

    async def find_by_name(self, agent_id: str, name: str) -> list[AffectMemory]:
        """Return the agent's memories with this label or this id prefix.

        At most two are returned. Two memories mean that the name is ambiguous.
        """
        memory = tables.affect_memory
        called = memory.c.label == name
        with suppress(ValueError):  # the name cannot be an id prefix
            called = or_(called, memory.c.memory_id.between(*between(beginning(name))))
        of = (memory.c.agent_id == agent_id, memory.c.level < DELETED, called)
        query = selecting(memory, AffectMemory).where(*of).order_by(memory.c.memory_id).limit(2)
        async with self.database.reading() as connection:
            return await records(connection, AffectMemory, query)

    async def sequence_of(self, event_id: UUID) -> int | None:
        """Return the log sequence of an event; None if its id is unknown or the event is erased."""
        journal = tables.journal.c
        async with self.database.reading() as connection:
            found = await connection.execute(select(journal.sequence).where(journal.event_id == event_id))
            return found.scalar_one_or_none()

    async def newest_remembered(self, agent_id: str) -> int | None:
        """Return the log sequence of the event that made the agent's newest memory; None without a memory."""
        journal = tables.journal.c
        of = (journal.agent_id == agent_id, journal.kind == TurnRemembered.kind_of())
        async with self.database.reading() as connection:
            newest: int | None = (await connection.execute(select(func.max(journal.sequence)).where(*of))).scalar_one()
        return newest

    async def mood(self, agent_id: str, session: str) -> Mood | None:
        """Return the mood of a session; None before the first memory or retrieval in it."""
        mood = tables.affect_mood
        async with self.database.reading() as connection:
            found = await load(connection, mood, Mood, mood.c.agent_id == agent_id, mood.c.session == session)
        return next(iter(found), None)

    async def word_shares(self, agent_id: str, terms: Sequence[str]) -> dict[bytes, float]:
        """Return the share of `terms` that the text of each memory of an agent contains, by the bytes of its id."""
        async with self.database.reading() as connection:
            rows = await connection.execute(_SHARES, {"agent": agent_id, "asked": list(terms)})
            return {row.memory_id.bytes: row.share for row in rows}

    async def related(
        self, agent_id: str, memory_ids: Collection[UUID]
    ) -> dict[UUID, list[tuple[AffectMemory, LinkSort]]]:
        """Return the memories related to each memory in `memory_ids`, by id, each with the sort of the relation.

        Relations in both directions count. A memory without relations has an empty list.
        """
        query = text(
            """
            -- Relations from or to any of these memories.
            SELECT m.memory_id AS one, CAST(link->>'to' AS uuid) AS other, link->>'sort' AS sort
            FROM affect_memory AS m, jsonb_array_elements(m.relations) WITH ORDINALITY AS every(link, place)
            WHERE m.agent_id = :agent AND (m.memory_id = ANY(:ids) OR m.relations @> ANY(CAST(:links AS jsonb[])))
            ORDER BY m.memory_id, place
            """
        )
        ids = list(memory_ids)
        links = [f'[{{"to": "{memory_id}"}}]' for memory_id in ids]
        async with self.database.reading() as connection:
            rows = (await connection.execute(query, {"agent": agent_id, "ids": ids, "links": links})).all()
        ends = await self.memories({memory_id for row in rows for memory_id in (row.one, row.other)})
        known = {memory.memory_id: memory for memory in ends.values() if memory.level != DELETED}
        found: dict[UUID, list[tuple[AffectMemory, LinkSort]]] = {memory_id: [] for memory_id in memory_ids}
        for row in rows:
            for here, there in ((row.one, row.other), (row.other, row.one)):
                if here in found and there in known:
                    found[here].append((known[there], row.sort))
        return found

    async def awaiting_protection(self, agent_id: str) -> list[AffectMemory]:
        """Return the active memories for which protection was asked but not decided, oldest first, at most 100."""
        return await self._oldest(agent_id, "asked")

    async def protected(self, agent_id: str, limit: int) -> list[AffectMemory]:
        """Return the protected active memories, oldest first, at most `limit`."""
        return await self._oldest(agent_id, "protected", limit)

    async def _oldest(self, agent_id: str, protection: str, limit: int = 100) -> list[AffectMemory]:
        memory = tables.affect_memory
        of = (memory.c.agent_id == agent_id, memory.c.protection == protection, memory.c.level < 4)
        query = selecting(memory, AffectMemory).where(*of).order_by(memory.c.said_at, memory.c.memory_id).limit(limit)
        async with self.database.reading() as connection:
            return await records(connection, AffectMemory, query)

    async def turn_counts(self, agent_id: str) -> TurnCounts:
        """Return the counts of the agent's remembered turns and of its retrievals. Erased turns are not counted."""
        memory, journal = tables.affect_memory.c, tables.journal.c
        counts = (
            func.count(),
            func.count().filter(memory.words_level >= 2),
            func.count().filter(memory.words_level >= 3),
            func.min(memory.said_at),
        )
        recalls = select(func.count()).where(journal.agent_id == agent_id, journal.kind == MemoriesRecalled.kind_of())
        async with self.database.reading() as connection:
            found = (await connection.execute(select(*counts).where(memory.agent_id == agent_id))).one()
            told = (await connection.execute(recalls)).scalar_one()
        return TurnCounts(found[0], found[1], found[2], found[3], told)

    async def deleted_memories(self, limit: int) -> list[UUID]:
        """Return the ids of memories that nightly jobs have deleted and that are not erased yet, at most `limit`.

        Memories of all agents are included, longest deleted first.
        """
        memory = tables.affect_memory.c
        query = select(memory.memory_id).where(memory.level == DELETED).order_by(memory.changed).limit(limit)
        async with self.database.reading() as connection:
            return list((await connection.execute(query)).scalars())

    async def turns_until(self, offered: TurnOffered) -> int:
        """Return the number of turns that the agent received up to the turn `offered`, inclusive.

        Erased turns of all agents are counted too, so that no two memories of the agent get the same number.
        """
        journal = tables.journal.c
        told = select(func.count()).where(
            journal.agent_id == offered.agent_id,
            journal.kind == offered.kind,
            journal.sequence <= (offered.sequence or 0),
        )
        erased = select(func.count()).where(tables.erased.c.name.regexp_match(_OF_A_CLIENT))
        query = select(told.scalar_subquery() + erased.scalar_subquery())
        async with self.database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())


@cache
def retention_sql() -> str:
    """Return the SQL expression, as text, for the retention of a row `m` of `affect_memory` on the night `:night`."""
    of = tables.affect_memory.alias("m").c
    return sql_text(
        retention(
            kept=of.kept,
            zero=of.zero,
            begun=of.begun,
            coefficient=of.coefficient,
            night=literal_column("CAST(:night AS integer)"),
            archived=of.archived_night,
            arithmetic=SQL,
        )
    )
