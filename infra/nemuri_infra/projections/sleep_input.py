"""The input of a sleep: memories that changed since the last sleep, faded memories, and those to be pruned first."""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Double,
    Select,
    Text,
    and_,
    bindparam,
    column,
    func,
    literal,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Agent, Memory
from nemuri_domain.strength.decay import faint_below
from nemuri_domain.strength.policy import LEVELS
from nemuri_domain.strength.sleep import PruningCandidate, SleepInput, surplus
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database, read_snapshot
from nemuri_infra.projections.rows import load, selecting


async def sleep_input(views: Database, agent: Agent, session: UUID | None = None) -> SleepInput | None:
    """Return the input of the agent's next sleep from one snapshot; None if there is no such agent any more, or if it
    has slept over `session`.

    `agent` is a recent state of the agent. If the snapshot has another one, that one is used.
    """
    while True:
        async with views.reading() as connection:
            found, touched, faded, principles = await _concerned(connection, agent, session)
        if found is None or (session and session not in found.awake):
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


async def _concerned(connection: AsyncConnection, agent: Agent, session: UUID | None = None) -> Concerned:
    """Read the agent, and the memories that its next sleep may change except for pruning, in one statement.

    The memories are those of the given state of the agent. There are none if it has slept over `session`.
    """
    asked = {
        "agent": agent.agent_id,
        "sessions": [] if session is None else [str(session)],
        "reviewed": agent.reviewed,
        **{f"bound_{level}": bound for level, bound in enumerate(_bounds(agent))},
        **held_by(agent),
    }
    rows = (await connection.execute(_CONCERNED, asked)).all()
    if not rows:
        return None, (), (), frozenset()
    found = [(Memory.model_validate(row.state), row) for row in rows if row.state is not None]
    return (
        Agent.model_validate(rows[0].agent),
        tuple(memory for memory, state in found if state.touched),
        tuple(memory for memory, state in found if state.faded),
        frozenset(memory.memory_id for memory, state in found if state.principle),
    )


async def _with_weakest(connection: AsyncConnection, agent_id: str) -> SleepInput | None:
    """Return the input of a sleep that may have to prune memories."""
    loaded = await load(connection, tables.agent, Agent, tables.agent.c.agent_id == agent_id)
    if not loaded:
        return None
    agent = loaded[0]
    _, touched, faded, principles = await _concerned(connection, agent)
    weakest = await _weakest(connection, agent, surplus(agent, touched))
    memory_id = tables.memory.c.memory_id
    held = select(memory_id).where(memory_id.in_([candidate.memory.memory_id for candidate in weakest]), IS_PRINCIPLE)
    kept = principles.union((await connection.execute(held, held_by(agent))).scalars())
    return SleepInput(agent, touched, faded, tuple(weakest), kept)


def _is_principle() -> ColumnElement[bool]:
    content, scope = tables.memory.c, tables.memory.c.memory["scope"]
    named = func.coalesce(scope["name"].astext, "")
    told = tuple_(content.memory["content"].astext, scope["level"].astext, named)
    listed = func.unnest(*(bindparam(name, type_=ARRAY(Text)) for name in HELD)).table_valued(*HELD).render_derived()
    return and_(content.source.in_(PRINCIPLE_SOURCES), told.in_(select(*listed.c)))


HELD = ("held_words", "held_level", "held_name")
"""Parameters of `IS_PRINCIPLE`."""
IS_PRINCIPLE = _is_principle()
"""SQL condition that is true for an agent's principles, with the parameters of `held_by`. The rule is the same as in
the domain's `is_principle`.
"""


def held_by(agent: Agent) -> dict[str, list[str]]:
    """Return the principles of an agent's definition as parameters of `IS_PRINCIPLE`."""
    held = [(words, where.level, where.name or "") for words, where in agent.definition.held]
    return {name: [values[at] for values in held] for at, name in enumerate(HELD)}


def _concerned_query() -> Select[Any]:
    """Return the query for an agent and the memories that its next sleep may change except for pruning.

    A memory is `touched` if it changed since the last sleep, and `faded` if the next sleep may archive it because it
    has faded. Each row has the agent. The only row of an agent without such memories has no `state`. Memories are read
    only if the agent has not slept over all of `sessions` yet.
    """
    state, content = tables.memory_state, tables.memory
    bounds = enumerate(bindparam(f"bound_{level}", type_=Double) for level in range(LEVELS))
    touched = state.c.changed > bindparam("reviewed")
    low = or_(*(and_(state.c.level == level, state.c.fade < bound) for level, bound in bounds))
    faded = and_(low, ~state.c.pinned)
    row = func.to_jsonb(column(state.name)).op("-")(literal(list(Memory.model_computed_fields), ARRAY(Text)))
    memories = (
        select(
            row.label("state"),
            touched.label("touched"),
            faded.label("faded"),
            IS_PRINCIPLE.label("principle"),
        )
        .select_from(state.join(content, content.c.memory_id == state.c.memory_id))
        .where(state.c.agent_id == bindparam("agent"), state.c.status == "active", or_(touched, faded))
        .where(tables.agent.c.awake.contains(bindparam("sessions", type_=JSONB)))
        .lateral("concerned")
    )
    return (
        select(func.to_json(column(tables.agent.name)).label("agent"), memories)
        .select_from(tables.agent.outerjoin(memories, true()))
        .where(tables.agent.c.agent_id == bindparam("agent"))
    )


_CONCERNED = _concerned_query()


def _bounds(agent: Agent) -> Sequence[float]:
    """Return, for each level, the value of `Memory.fade` below which the next sleep can archive a memory."""
    return faint_below(agent.clocks, agent.rules, max(1, len(agent.awake)))


async def _weakest(connection: AsyncConnection, agent: Agent, limit: int) -> list[PruningCandidate]:
    """Return the first `limit` active memories that are not pinned, in the order in which they are pruned.

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
        .where(state.c.agent_id == agent.agent_id, state.c.status == "active", ~state.c.pinned)
        .order_by(IS_PRINCIPLE, state.c.level, since, state.c.memory_id)
        .limit(limit)
    )
    found = await connection.execute(query, held_by(agent))
    rows = [dict(row._mapping) for row in found]  # noqa: SLF001 - the documented mapping
    return [PruningCandidate(since=row.pop("since"), memory=Memory.model_validate(row)) for row in rows]
