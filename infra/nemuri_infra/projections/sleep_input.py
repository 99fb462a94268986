"""The input of a sleep: memories that changed since the last sleep, faded memories, and those to be pruned first."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, and_, column, func, or_, select, true, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import Agent, Memory
from nemuri_domain.strength.decay import faint_below
from nemuri_domain.strength.sleep import PruningCandidate, SleepInput, surplus
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, read_snapshot
from nemuri_infra.projections.rows import load, selecting


async def sleep_input(views: Database, agent: Agent) -> SleepInput | None:
    """Return the input of the agent's next sleep from one snapshot; None if there is no such agent any more.

    `agent` is a recent state of the agent. If the snapshot has another one, that one is used.
    """
    while True:
        async with views.reading() as connection:
            found, touched, faded, principles = await _concerned(connection, agent)
        if found is None:
            return None
        if _criteria(found) != _criteria(agent):
            agent = found
        elif surplus(found, touched):
            return await read_snapshot(views, partial(_with_weakest, agent_id=found.agent_id))
        else:
            return SleepInput(found, touched, faded, (), principles)


def _criteria(agent: Agent) -> tuple[object, ...]:
    """Return everything of an agent on which it depends which memories its next sleep may change."""
    return agent.reviewed, _bounds(agent), agent.definition.held


Concerned = tuple[Agent | None, tuple[Memory, ...], tuple[Memory, ...], frozenset[UUID]]
"""The agent, its memories that changed since the last sleep, those that may have faded, and the principles among
both.
"""


async def _concerned(connection: AsyncConnection, agent: Agent) -> Concerned:
    """Read the agent, and the memories that its next sleep may change except for pruning, in one statement.

    The memories are those of the given state of the agent.
    """
    state, content = tables.memory_state, tables.memory
    touched, faded = state.c.changed > agent.reviewed, or_(*_faded(agent))
    memories = (
        selecting(state, Memory)
        .add_columns(touched.label("touched"), faded.label("faded"), is_principle(agent).label("principle"))
        .join(content, content.c.memory_id == state.c.memory_id)
        .where(state.c.agent_id == agent.agent_id, state.c.status == "active", or_(touched, faded))
        .subquery("concerned")
    )
    whole = func.to_json(column(tables.agent.name))
    query = (
        select(whole.label("agent"), memories)
        .select_from(tables.agent.outerjoin(memories, true()))
        .where(tables.agent.c.agent_id == agent.agent_id)
    )
    rows = [dict(each._mapping) for each in await connection.execute(query)]  # noqa: SLF001 - the documented mapping
    if not rows:
        return None, (), (), frozenset()
    found: list[tuple[Memory, bool, bool, bool]] = []
    now = Agent.model_validate(rows[0]["agent"])
    for row in rows:
        del row["agent"]
        kinds = row.pop("touched"), row.pop("faded"), row.pop("principle")
        if row["memory_id"] is not None:
            found.append((Memory.model_validate(row), *kinds))
    changed = tuple(memory for memory, touched, _, _ in found if touched)
    faint = tuple(memory for memory, _, faded, _ in found if faded)
    return now, changed, faint, frozenset(memory.memory_id for memory, _, _, held in found if held)


async def _with_weakest(connection: AsyncConnection, agent_id: str) -> SleepInput | None:
    """Return the input of a sleep that may have to prune memories."""
    loaded = await load(connection, tables.agent, Agent, tables.agent.c.agent_id == agent_id)
    if not loaded:
        return None
    agent = loaded[0]
    _, touched, faded, principles = await _concerned(connection, agent)
    weakest = await _weakest(connection, agent, surplus(agent, touched))
    memory_id = tables.memory.c.memory_id
    held = select(memory_id).where(memory_id.in_([each.memory.memory_id for each in weakest]), is_principle(agent))
    kept = principles.union((await connection.execute(held)).scalars())
    return SleepInput(agent, touched, faded, tuple(weakest), kept)


def is_principle(agent: Agent) -> ColumnElement[bool]:
    """Return the SQL condition that is true for the agent's principles. The rule is the same as in the domain's
    `is_principle`.
    """
    content, scope = tables.memory.c, tables.memory.c.memory["scope"]
    named = func.coalesce(scope["name"].astext, "")
    told = tuple_(content.memory["content"].astext, scope["level"].astext, named)
    held = [(words, where.level, where.name or "") for words, where in agent.definition.held]
    return and_(content.source == "definition", told.in_(held))


def _faded(agent: Agent) -> list[Any]:
    """Return SQL conditions that are true for every memory that the next sleep can archive because it has faded.

    They may be true for other memories too.
    """
    state = tables.memory_state
    return [and_(state.c.level == level, state.c.fade < limit) for level, limit in enumerate(_bounds(agent))]


def _bounds(agent: Agent) -> Sequence[float]:
    """Return, for each level, the value of `Memory.fade` below which the next sleep can archive a memory."""
    return faint_below(agent.clocks, agent.rules, max(1, len(agent.awake)))


async def _weakest(connection: AsyncConnection, agent: Agent, limit: int) -> list[PruningCandidate]:
    """Return the first `limit` active memories in the order in which they are pruned.

    Other memories come before principles, then low levels before high ones, then longest unused memories first.
    """
    if not limit:
        return []
    state, content = tables.memory_state, tables.memory.c
    since = func.coalesce(state.c.last_accessed_at, content.created_at)
    query = (
        selecting(state, Memory)
        .add_columns(since.label("since"))
        .join(tables.memory, content.memory_id == state.c.memory_id)
        .where(state.c.agent_id == agent.agent_id, state.c.status == "active")
        .order_by(is_principle(agent), state.c.level, since, state.c.memory_id)
        .limit(limit)
    )
    rows = [dict(each._mapping) for each in await connection.execute(query)]  # noqa: SLF001 - the documented mapping
    return [PruningCandidate(since=each.pop("since"), memory=Memory.model_validate(each)) for each in rows]
