"""Query of what language models have spent on an agent's assignments."""

from datetime import datetime

from sqlalchemy import text

from nemuri_domain.tasks.spent_usage import Spent
from nemuri_infra.projections.database import Database

_SPENT = text(
    """
    -- What the model calls of an agent's newest assignments have spent, and a model among them without a price.
    SELECT coalesce(sum(tokens), 0), coalesce(sum(money), 0),
           max(model) FILTER (WHERE tokens > 0 AND money IS NULL)
    FROM (
        SELECT CAST(spent->>'input_tokens' AS bigint) + CAST(spent->>'output_tokens' AS bigint) AS tokens,
               CAST(spent->>'money' AS double precision) AS money, spent->>'model' AS model
        FROM (
            SELECT unnest(ARRAY[usage, judge_usage, learning_usage]) AS spent
            FROM assignment WHERE agent_id = :agent_id AND assigned_at >= :since
            UNION ALL
            SELECT step->'usage'
            FROM assignment, jsonb_array_elements(steps) AS step
            WHERE agent_id = :agent_id AND assigned_at >= :since
            UNION ALL
            SELECT revised->'revision'->'usage'
            FROM task, jsonb_array_elements(revisions) AS revised
            WHERE revised->>'agent_id' = :agent_id
                AND task_id IN (SELECT task_id FROM assignment WHERE agent_id = :agent_id AND assigned_at >= :since)
        ) AS agent_call
        WHERE spent IS NOT NULL
    ) AS call
    """
)


async def spent_by_agent(database: Database, agent_id: str, since: datetime) -> Spent:
    """Return what was spent on the assignments made since this time: on their steps, answers, judgements and learnings,
    and on rebuttals of their panels.
    """
    async with database.reading() as connection:
        found = (await connection.execute(_SPENT, {"agent_id": agent_id, "since": since})).one()
    return Spent(int(found[0]), float(found[1]), found[2])
