"""Queries on past tasks, which the orchestrator remembers as precedents."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy import text

from nemuri_contracts.event import OPERATOR, TUTOR
from nemuri_infra.projections.database import Database


@dataclass(slots=True)
class PastTask:
    """The past task that a memory of the orchestrator describes."""

    task_id: UUID
    outcomes: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Number of positive and number of negative feedback on the task, by agent that worked on it.

    Only feedback of the task's client, the operator and the tutor counts. Equal feedback counts once.
    """


_PAST = text(
    """
    -- The tasks in which memories were encoded, the agents that worked on them, and the feedback of the task's client,
    -- the operator and the tutor. Equal feedback counts once.
    SELECT journal.event_id, journal.task_id, work.agent_id, said.good, said.bad
    FROM journal
    CROSS JOIN LATERAL (SELECT DISTINCT agent_id FROM assignment WHERE assignment.task_id = journal.task_id) AS work
    CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE verdict = 'helpful' OR result = 'success') AS good,
               count(*) FILTER (WHERE verdict = 'unhelpful' OR result = 'failure') AS bad
        FROM (
            SELECT DISTINCT verdict, result FROM feedback JOIN task USING (task_id)
            WHERE feedback.task_id = journal.task_id AND feedback.client_id IN (task.client_id, :operator, :tutor)
        ) AS told
    ) AS said
    WHERE journal.event_id = ANY(:memories)
    """
)


async def past_tasks(database: Database, memory_ids: Iterable[UUID]) -> dict[UUID, PastTask]:
    """Return the past task of each memory, by memory id. Memories without a task are left out."""
    found: dict[UUID, PastTask] = {}
    asked = {"memories": list(memory_ids), "operator": OPERATOR, "tutor": TUTOR}
    async with database.reading() as connection:
        for memory_id, task_id, agent_id, good, bad in await connection.execute(_PAST, asked):
            found.setdefault(memory_id, PastTask(task_id)).outcomes[agent_id] = (good, bad)
    return found
