"""Pages of the list of tasks, the ones submitted last first."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Select, exists, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.queries import TasksQuery
from nemuri_contracts.task_list_views import TaskLine, TaskPlace, TasksView
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.text_search import contains_words

MAX_SCANNED = 20_000
"""Maximum number of tasks whose texts one query searches."""
BEGINNING = 200
"""Number of characters of a task's text in a list."""
WAITING = ("negotiation", "clarification")
_TASK = tables.task.c
_LINE = (
    _TASK.task_id,
    _TASK.status,
    _TASK.client_id,
    func.left(_TASK.text, BEGINNING).label("beginning"),
    _TASK.wanted_perspective.label("perspective"),
    _TASK.conversation,
    _TASK.attempt,
    _TASK.submitted_at,
    _TASK.ended_at,
)


async def task_page(database: Database, query: TasksQuery) -> TasksView:
    """Return a page of tasks. It searches the texts of at most `MAX_SCANNED` tasks."""
    async with database.reading() as connection:
        rows = [row._asdict() for row in await connection.execute(_page(query))]
        following = _place(rows[query.limit - 1]) if len(rows) > query.limit else None
        if following is None and query.containing is not None:
            last = (await connection.execute(_scanned(query).offset(MAX_SCANNED - 1).limit(1))).one_or_none()
            following = _place(last._asdict()) if last else None
        agents = await _agents(connection, (row["task_id"] for row in rows[: query.limit]))
    lines = (TaskLine.model_validate(row | {"agents": agents[row["task_id"]]}) for row in rows[: query.limit])
    return TasksView(tasks=tuple(lines), following=following)


def _scanned(query: TasksQuery) -> Select[Any]:
    """Return a SELECT of the tasks that meet all conditions but the one on their text, in the order of the list."""
    wanted = select(_TASK.task_id, _TASK.submitted_at).where(*_conditions(query))
    return wanted.order_by(_TASK.submitted_at.desc(), _TASK.task_id.desc())


def _page(query: TasksQuery) -> Select[Any]:
    order = (_TASK.submitted_at.desc(), _TASK.task_id.desc())
    if query.containing is None:
        return select(*_LINE).where(*_conditions(query)).order_by(*order).limit(query.limit + 1)
    scanned = _scanned(query).add_columns(_TASK.text.label("searched")).limit(MAX_SCANNED).subquery()
    found = (
        select(scanned.c.task_id)
        .where(contains_words(scanned.c.searched, query.containing))
        .order_by(scanned.c.submitted_at.desc(), scanned.c.task_id.desc())
        .limit(query.limit + 1)
    )
    return select(*_LINE).where(_TASK.task_id.in_(found)).order_by(*order)


def _conditions(query: TasksQuery) -> list[ColumnElement[bool]]:
    conditions = list[ColumnElement[bool]]()
    if query.status == "waiting":
        conditions.append(_TASK.status.in_(WAITING))
    elif query.status is not None:
        conditions.append(_TASK.status == query.status)
    if query.client is not None:
        conditions.append(_TASK.client_id == query.client)
    if query.agent is not None:
        work = tables.assignment.c
        conditions.append(exists().where(work.task_id == _TASK.task_id, work.agent_id == query.agent))
    if (cursor := query.following) is not None:
        conditions.append(tuple_(_TASK.submitted_at, _TASK.task_id) < tuple_(cursor.submitted_at, cursor.task_id))
    return conditions


def _place(row: dict[str, Any]) -> TaskPlace:
    return TaskPlace(submitted_at=row["submitted_at"], task_id=row["task_id"])


async def _agents(connection: AsyncConnection, task_ids: Iterable[UUID]) -> dict[UUID, tuple[str, ...]]:
    """Return the agents to which these tasks are assigned in their present attempt, by task."""
    work, found = tables.assignment.c, defaultdict[UUID, dict[str, None]](dict)
    query = (
        select(work.task_id, work.agent_id)
        .join(tables.task, (_TASK.task_id == work.task_id) & (_TASK.attempt == work.attempt))
        .where(work.task_id.in_(list(task_ids)), work.consulted_by.is_(None))
        .order_by(work.task_id, work.part, work.assigned_at, work.agent_id)
    )
    for task_id, agent_id in await connection.execute(query):
        found[task_id][agent_id] = None
    return defaultdict(tuple, {task_id: tuple(names) for task_id, names in found.items()})
