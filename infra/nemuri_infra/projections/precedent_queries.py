"""Query of judged tasks, which the orchestrator remembers and from which routing learns."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import Setting
from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_domain.tasks.precedents import MAX_JUDGED, ROUTING, JudgedTask
from nemuri_infra.projections.database import Database

_JUDGED = text(
    """
    -- The newest judged tasks that the orchestrator remembers in this setting, with the agents of their last attempt.
    -- Only feedback of the task's client, the operator and the tutor counts. Equal feedback counts once.
    WITH told AS (
        SELECT task_id, attempt, submitted_at,
               count(*) FILTER (WHERE verdict = 'helpful' OR result = 'success') AS good,
               count(*) FILTER (WHERE verdict = 'unhelpful' OR result = 'failure') AS bad
        FROM (
            SELECT DISTINCT task.task_id, task.attempt, task.submitted_at, verdict, feedback.result
            FROM feedback JOIN task USING (task_id)
            WHERE feedback.client_id IN (task.client_id, :operator, :tutor)
        ) AS each_once
        GROUP BY task_id, attempt, submitted_at
    ), remembered AS (
        SELECT state.memory_id, content.memory ->> 'content' AS content, state.level, state.stored_strength,
               told.*
        FROM told
        JOIN journal ON journal.task_id = told.task_id
        JOIN memory_state AS state ON state.memory_id = journal.event_id
        JOIN memory AS content ON content.memory_id = state.memory_id
        WHERE state.agent_id = :orchestrator AND state.person IN ('', :person)
          AND state.status = 'active' AND told.good + told.bad > 0
          AND content.memory -> 'learnings' ->> :routing IS NOT NULL
          AND CASE content.memory -> 'scope' ->> 'level'
              WHEN 'universal' THEN TRUE
              WHEN 'project' THEN content.memory -> 'scope' ->> 'name' = :project
              ELSE content.memory -> 'scope' ->> 'name' = ANY(:domains) END
        ORDER BY told.submitted_at DESC, state.memory_id
        LIMIT :most
    )
    SELECT DISTINCT remembered.submitted_at, remembered.memory_id, content, level, stored_strength, agent_id, good, bad
    FROM remembered JOIN assignment USING (task_id, attempt)
    ORDER BY remembered.submitted_at, remembered.memory_id, agent_id
    """
)


async def judged_tasks(database: Database, setting: Setting) -> Sequence[JudgedTask]:
    """Return the newest judged tasks that the orchestrator remembers and that are valid in the setting, oldest
    first.
    """
    found: dict[UUID, JudgedTask] = {}
    asked = {
        "operator": OPERATOR,
        "tutor": TUTOR,
        "orchestrator": ORCHESTRATOR,
        "routing": ROUTING,
        "project": setting.project,
        "domains": list(setting.domains),
        "person": setting.person or "",
        "most": MAX_JUDGED,
    }
    async with database.reading() as connection:
        for _, memory_id, content, level, stored, agent_id, good, bad in await connection.execute(_JUDGED, asked):
            known = found.setdefault(memory_id, JudgedTask(memory_id, content, level, stored))
            known.outcomes[agent_id] = (good, bad)
    return tuple(found.values())
