"""Query of an agent's strongest memories, from which its topics are derived."""

from typing import Any

from sqlalchemy import ARRAY, ColumnElement, Double, Select, Text, and_, any_, bindparam, func, or_, select

from nemuri_contracts.client_events import Setting
from nemuri_domain.strength.agent_topics import (
    MAX_TOPIC_SOURCES,
    READ_CHARACTERS,
    TopicSource,
    present_by_perspective,
)
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.decay import clock_of, strength
from nemuri_domain.strength.policy import LEVELS
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.sql_arithmetic import SQL


def _strongest() -> Select[Any]:
    """Return the query for the strongest memories of an agent."""
    state, content = tables.memory_state.c, tables.memory.c
    clocks = [bindparam(f"clock_{level}", type_=Double) for level in range(LEVELS)]
    now = strength(state.stored_strength, clock_of(state.status, state.level, clocks, SQL), SQL)
    text = func.left(content.memory["content"].astext, READ_CHARACTERS)
    return (
        select(
            content.memory["tags"].label("tags"),
            text,
            now,
            state.stored_strength,
            state.perspectives,
            state.level,
        )
        .join(tables.memory, content.memory_id == state.memory_id)
        .where(state.agent_id == bindparam("agent"), state.status == "active", _valid())
        .order_by(now.desc(), state.memory_id)
        .limit(MAX_TOPIC_SOURCES)
    )


def _valid() -> ColumnElement[bool]:
    """Return the SQL condition that is true for memories valid in the setting. The rule is the same as in the domain's
    `valid_in`.
    """
    scope = tables.memory.c.memory["scope"]
    level, name = scope["level"].astext, scope["name"].astext
    return and_(
        tables.memory_state.c.person.in_(["", bindparam("person", type_=Text)]),
        or_(
            level == "universal",
            and_(level == "project", name == bindparam("project", type_=Text)),
            and_(level == "domain", name == any_(bindparam("domains", type_=ARRAY(Text)))),
        ),
    )


_STRONGEST = _strongest()


async def strongest_memories(database: Database, agent: Agent, setting: Setting) -> list[TopicSource]:
    """Return the agent's `MAX_TOPIC_SOURCES` strongest active memories that are valid in the setting, with their
    present strengths.
    """
    asked = {
        "agent": agent.agent_id,
        "project": setting.project,
        "domains": list(setting.domains),
        "person": setting.person or "",
        **{f"clock_{level}": clock for level, clock in enumerate(agent.clocks)},
    }
    async with database.reading() as connection:
        rows = (await connection.execute(_STRONGEST, asked)).all()
    return [
        TopicSource(tuple(tags), body, now, present_by_perspective(agent, stored, perspectives, level))
        for tags, body, now, stored, perspectives, level in rows
    ]
