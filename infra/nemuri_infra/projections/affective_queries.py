"""Queries on affective memory."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import func, literal_column, or_, select, text

from nemuri_contracts.abbreviated_id import beginning, between
from nemuri_contracts.affective import Category, Emotion, LinkSort, MemoriesRecalled, TurnOffered, TurnRemembered
from nemuri_domain.affective.aggregate import DELETED, AffectAgent, AffectMemory, Mood
from nemuri_domain.affective.retention import retention
from nemuri_domain.affective.retrieval import AffectCandidate
from nemuri_domain.affective.text_compression import topic_text
from nemuri_infra.projections import tables
from nemuri_infra.projections.centred_similarity import similarity_sql, similarity_values
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.prompt_vectors import PromptVectors, common_vector
from nemuri_infra.projections.rows import load, records, selecting
from nemuri_infra.projections.sql_arithmetic import SQL, sql_text
from nemuri_infra.stores.vectors import Vectors

MAX_RANKED = 2_000
"""Maximum number of memories that one retrieval ranks exactly."""
_OF_A_CLIENT = "^[0-9a-f]{8}-[0-9a-f]{4}-[^5]"
"""Pattern of the ids of clients' events. The platform's own ids are UUIDs of version 5."""
_COLUMNS = (
    "memory_id, level = 4 AS archived, said_at, category, retention, recall_count, similarity, valence, arousal, tags,"
    " elsewhere, contrast"
)
"""Columns that a query returns: the fields of an `AffectCandidate` in their order, up to `contrast`."""
_BEST = """
    -- Candidates: the best by priority without mood, and all that a mood bonus could lift above the worst of them.
    WITH {before} known AS MATERIALIZED (
        SELECT m.memory_id, m.turn_id, m.level, m.said_at, m.recall_count, m.category, m.valence, m.arousal, m.tags,
            COALESCE(m.project <> ALL(CAST(:projects AS text[])), false) AND :in_project AS elsewhere,
            {retention} AS retention,
            {similarity} AS similarity, {contrast} AS contrast
        FROM affect_memory AS m {vectors}
        WHERE m.agent_id = :agent AND (m.level < 4 OR (m.level = 4 AND :archive)) AND (CAST(:category AS text) IS NULL
            OR m.category = CAST(:category AS text))
            AND (NOT :in_project OR m.personal OR m.project IS NULL OR m.project = ANY(CAST(:projects AS text[])))
    ),
    based AS (
        SELECT *, held * GREATEST(similarity, 0) * (1 + :weight * recall_count) AS base,
            held * :alpha * (
                CASE WHEN valence = :valence THEN :like ELSE 0 END + :awake * (1 - abs(arousal - :arousal) / 100.0)
                + CASE WHEN tags ?| CAST(:tags AS text[]) THEN :tagged ELSE 0 END
            ) AS lift
        FROM (SELECT *, 100 * (1 - CAST(:fading AS float8)) + CAST(:fading AS float8) * retention AS held
            FROM known) AS faded
        WHERE (:fill OR similarity >= CASE WHEN level = 4 THEN CAST(:revival AS double precision) ELSE :relevance END)
            AND turn_id <> ALL(:without)
    ),
    bound AS (SELECT base FROM based ORDER BY base DESC OFFSET :top - 1 LIMIT 1)
    (SELECT {columns} FROM based
        WHERE base + lift >= COALESCE((SELECT base FROM bound), 0) AND base + lift > 0
        ORDER BY base + lift DESC LIMIT :most)
    UNION
    (SELECT {columns} FROM based WHERE similarity >= :relevance AND level < 4 ORDER BY said_at DESC
        LIMIT CASE WHEN :newest THEN :top ELSE 0 END)
    UNION
    (SELECT {columns} FROM based WHERE similarity >= :revival AND level = 4
        ORDER BY similarity DESC LIMIT :top)
    UNION
    -- What is nearest, however faded.
    (SELECT {columns} FROM based WHERE level < 4 ORDER BY similarity DESC LIMIT CASE WHEN :newest THEN 0 ELSE :top END)
    UNION
    (SELECT {columns} FROM based ORDER BY contrast DESC NULLS LAST LIMIT CASE WHEN :newest THEN 0 ELSE :top END)
    """
_BY_VECTOR = {
    # Materialised before the join. Without statistics of fresh tables the join would hash the vectors themselves and
    # take three times as long.
    "before": "near AS MATERIALIZED (SELECT memory_id, {cosine} AS similarity, {contrast} AS contrast"
    " FROM memory_vector WHERE agent_id = :agent AND model = :generation),",
    "similarity": "near.similarity",
    "contrast": "near.contrast",
    "vectors": "JOIN near ON near.memory_id = m.memory_id",
}
_BY_WORDS = {
    "before": "",
    "similarity": "(SELECT count(*) FROM unnest(CAST(:asked AS text[])) AS word WHERE position(word IN"
    " lower(m.trigger || ' ' || m.content || ' ' || CAST(m.keywords AS text))) > 0)"
    " / CAST(cardinality(CAST(:asked AS text[])) AS double precision)",
    "contrast": "CAST(NULL AS float8)",
    "vectors": "",
}


@dataclass(frozen=True, slots=True)
class AffectiveRetrieval:
    """The parameters of a retrieval from affective memory."""

    top: int
    relevance: float
    revival: float
    """Minimum similarity at which an archived memory is returned regardless of its priority."""
    mood: Emotion | None
    archive: bool
    newest: bool = False
    category: Category | None = None
    fill: bool = False
    """True if memories below the minimum similarity are returned too."""
    projects: tuple[str, ...] = ()
    """Names of the project whose memories are wanted, with those that matter everywhere; empty for all memories."""
    without: tuple[UUID, ...] = ()
    """Ids of turns whose memories are not wanted."""


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
        return {each.memory_id: each for each in found}

    async def words(self, memory_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Return the present text of the memories with these ids by which their topic is compared, by id.

        Unknown ids are left out.
        """
        memory = tables.affect_memory.c
        query = select(memory.memory_id, memory.trigger, memory.content, memory.keywords)
        async with self.database.reading() as connection:
            rows = await connection.execute(query.where(memory.memory_id.in_(list(memory_ids))))
            return {each.memory_id: topic_text(each.trigger, each.content, each.keywords) for each in rows}

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

    async def candidates_by_vector(
        self, agent: AffectAgent, vectors: Vectors, asked: PromptVectors, wanted: AffectiveRetrieval
    ) -> list[AffectCandidate]:
        """Return the candidates of a retrieval by centred vectors of the calibrated store `vectors`.

        They include every memory that can be among the best after exact ranking, and those that are nearest to the
        prompt, however faded.
        """
        centre = vectors.comparing.calibration.centre
        cosine = similarity_sql("vector", centre, asked.weights)
        values = similarity_values(asked.rows, centre) | {"generation": vectors.generation}
        contrast = "CAST(NULL AS float8)"
        if asked.common is not None:
            contrast = similarity_sql("vector", asked.common, asked.weights, "_own")
            values |= similarity_values(asked.apart, asked.common, "_own")
        by = _BY_VECTOR | {"before": _BY_VECTOR["before"].format(cosine=cosine, contrast=contrast)}
        return await self._found(agent, by, values, wanted)

    async def common_vector(self, agent: AffectAgent, vectors: Vectors) -> NDArray[np.float32] | None:
        """Return what the vectors of the agent's memories have in common (`prompt_vectors.common_vector`)."""
        return await common_vector(self.database, agent, vectors)

    async def candidates_by_words(
        self, agent: AffectAgent, terms: Sequence[str], wanted: AffectiveRetrieval
    ) -> list[AffectCandidate]:
        """Return the candidates of a retrieval by words; none if `terms` is empty.

        The similarity of a candidate is the share of `terms` that its text contains.
        """
        return await self._found(agent, _BY_WORDS, {"asked": list(terms)}, wanted) if terms else []

    async def _found(
        self, agent: AffectAgent, by: Mapping[str, str], asked: Mapping[str, Any], wanted: AffectiveRetrieval
    ) -> list[AffectCandidate]:
        mood, rules = wanted.mood or Emotion(), agent.rules.resonance
        values = {
            "agent": agent.agent_id,
            "night": agent.nights,
            "fading": agent.rules.retrieval.retention_weight,
            "weight": agent.rules.recall.recall_count_weight,
            "top": wanted.top,
            "relevance": wanted.relevance,
            "revival": wanted.revival,
            "alpha": rules.priority_weight_alpha if wanted.mood else 0.0,
            "like": rules.valence_match_bonus,
            "awake": rules.arousal_proximity_bonus,
            "tagged": rules.tags_overlap_weight,
            "valence": mood.valence,
            "arousal": mood.arousal,
            "tags": list(mood.tags),
            "archive": wanted.archive,
            "newest": wanted.newest,
            "category": wanted.category,
            "fill": wanted.fill,
            "projects": list(wanted.projects),
            "in_project": bool(wanted.projects),
            "without": list(wanted.without),
            "most": MAX_RANKED,
        }
        query = text(_BEST.format(retention=retention_sql(), columns=_COLUMNS, **by))
        async with self.database.reading_with_hash_joins() as connection:
            rows = await connection.execute(query, values | dict(asked))
            # By position, because there may be thousands of rows.
            return [AffectCandidate(*(*felt, tuple(tags), elsewhere, near)) for *felt, tags, elsewhere, near in rows]

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
        links = [f'[{{"to": "{each}"}}]' for each in ids]
        async with self.database.reading() as connection:
            rows = (await connection.execute(query, {"agent": agent_id, "ids": ids, "links": links})).all()
        ends = await self.memories({each for row in rows for each in (row.one, row.other)})
        known = {each.memory_id: each for each in ends.values() if each.level != DELETED}
        found: dict[UUID, list[tuple[AffectMemory, LinkSort]]] = {each: [] for each in memory_ids}
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
