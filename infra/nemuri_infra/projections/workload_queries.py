"""Query of what each agent has done and has to do: the outcomes of its tasks and its unanswered assignments."""

from typing import Any

from sqlalchemy import Select, func, literal, or_, select

from nemuri_domain.tasks.agent_scores import Workload
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database


def _counting() -> Select[Any]:
    """Return the query for the numbers of all agents."""
    work, said = tables.assignment, tables.feedback
    good = or_(said.c.verdict == "helpful", said.c.result == "success")
    bad = or_(said.c.verdict == "unhelpful", said.c.result == "failure")
    told = (  # starts from feedback, because most tasks have none
        select(work.c.agent_id, func.bool_or(good).label("good"), func.bool_or(bad).label("bad"))
        .select_from(said.join(work, work.c.task_id == said.c.task_id))
        .group_by(work.c.agent_id, work.c.task_id)
        .subquery()
    )
    outcomes = select(
        told.c.agent_id,
        func.count().filter(told.c.good).label("good"),
        func.count().filter(told.c.bad).label("bad"),
        literal(0).label("unanswered"),
    ).group_by(told.c.agent_id)
    waiting = (
        select(work.c.agent_id, literal(0), literal(0), func.count())
        .where(work.c.answer.is_(None))
        .group_by(work.c.agent_id)
    )
    every = outcomes.union_all(waiting).subquery()
    totals = (func.sum(every.c[name]) for name in Workload._fields)
    return select(every.c.agent_id, *totals).group_by(every.c.agent_id)


_COUNTS = _counting()


async def workloads(database: Database) -> dict[str, Workload]:
    """Return the outcomes and the unanswered assignments of each agent that has any, by agent.

    A task counts at most once as positive and at most once as negative, no matter how much feedback it has.
    """
    async with database.reading() as connection:
        return {name: Workload(*map(int, numbers)) for name, *numbers in await connection.execute(_COUNTS)}
