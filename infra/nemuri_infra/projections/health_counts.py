"""Counts of an agent's memories for its health report, in a fixed number of statements."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import select, text

from nemuri_contracts.strength import SessionEnded
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.health_diagnosis import NEVER_USED, HealthCounts
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.sleep_input import IS_PRINCIPLE, held_by

RECENT_ASSIGNMENTS = 200
"""Number of an agent's newest assignments from which the quality of its retrieval is computed."""
MAX_LISTED = 20
"""Maximum number of memories that are listed because they were never used."""

_USAGE = text(
    """
    -- Mean share of retrievals that led to a use, over memories that were candidates. Principles are left out.
    SELECT avg(least(1.0, access_count::float / candidate_count)), count(*),
           count(*) FILTER (WHERE candidate_count > :often AND access_count = 0)
    FROM memory_state
    WHERE agent_id = :agent AND candidate_count > 0
      AND memory_id <> ALL(:principles)
    """
)
_NEVER = text(
    """
    -- Memories that are often retrieved and never used.
    SELECT memory_id FROM memory_state
    WHERE agent_id = :agent AND candidate_count > :often AND access_count = 0
      AND memory_id <> ALL(:principles)
    ORDER BY candidate_count DESC, memory_id LIMIT :named
    """
)
_WORK = text(
    """
    -- The newest assignments: how many there are, how many retrieved more than principles, how many had a full
    -- context, and the mean share of a full context that was used.
    WITH newest AS (
        SELECT retrieved, used, (
            SELECT count(*) FROM jsonb_array_elements(retrieved) AS one WHERE one->>'score' IS NOT NULL
        ) AS found, EXISTS (
            SELECT FROM jsonb_array_elements(retrieved) AS one
            WHERE one->>'score' IS NOT NULL AND CAST(one->>'memory_id' AS uuid) <> ALL(:principles)
        ) AS hit
        FROM assignment WHERE agent_id = :agent AND retrieved IS NOT NULL
        ORDER BY assigned_at DESC, assignment_id LIMIT :newest
    )
    SELECT count(*), count(*) FILTER (WHERE hit), count(*) FILTER (WHERE found >= :top),
           avg(least(1.0, jsonb_array_length(used)::float / found)) FILTER (WHERE found >= :top AND used IS NOT NULL)
    FROM newest
    """
)
_ARCHIVED = text(
    """
    -- Memories that were archived in the last 30 days and are still archived.
    SELECT count(*) FROM memory_state WHERE agent_id = :agent AND archived_at > :now - interval '30 days'
    """
)
_WEEK = text(
    """
    -- Ended sessions of the last seven days, of tasks and of chapters.
    SELECT count(*) FROM journal
    WHERE agent_id = :agent AND kind = :ended AND recorded_at > :now - interval '7 days'
    """
)


async def count_health(database: Database, agent: Agent, now: datetime) -> tuple[HealthCounts, tuple[UUID, ...]]:
    """Return the counts for the agent's health report, and the ids of memories that are often retrieved but never used.

    `now` is the time of the report. At most `MAX_LISTED` ids are returned, most retrieved first.
    """
    async with database.reading() as connection:
        content = tables.memory.c
        principles = select(content.memory_id).where(content.agent_id == agent.agent_id, IS_PRINCIPLE)
        held = list((await connection.execute(principles, held_by(agent))).scalars())
        known = {"agent": agent.agent_id, "often": NEVER_USED, "principles": held}
        ratio, candidates, never = (await connection.execute(_USAGE, known)).one()
        named = (await connection.execute(_NEVER, known | {"named": MAX_LISTED})).scalars().all()
        work = {"newest": RECENT_ASSIGNMENTS, "top": agent.rules.top_k_results}
        tasks, hits, full, full_use = (await connection.execute(_WORK, known | work)).one()
        archived = (await connection.execute(_ARCHIVED, {"agent": agent.agent_id, "now": now})).scalar_one()
        ended = {"agent": agent.agent_id, "now": now, "ended": SessionEnded.kind_of()}
        week = (await connection.execute(_WEEK, ended)).scalar_one()
    return HealthCounts(
        days=max(0.0, (now - agent.defined_at).total_seconds() / 86_400),
        slept=agent.slept,
        active=agent.active,
        archived=archived,
        usage_ratio=ratio,
        candidates=candidates,
        never_used=never,
        tasks=tasks,
        hits=hits,
        full=full,
        full_use=full_use,
        week=week,
    ), tuple(named)
