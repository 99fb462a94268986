"""A cache of agents' topics, and of the memories that are strong in each of their perspectives.

Both are read from the projections again only after the agent's memories changed.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Double,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    func,
    or_,
    select,
)

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import MemoryAmended
from nemuri_domain.strength.agent_topics import Topic, TopicSource, topics
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.decay import clock_of, strength
from nemuri_domain.strength.perspective_memories import PerspectiveMemories, perspective_memories
from nemuri_domain.strength.policy import LEVELS
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.queries import Views
from nemuri_infra.projections.sql_arithmetic import SQL

MAX_MEMORIES = 500
"""Maximum number of memories from which both are derived: the strongest active ones that are valid in the setting."""
READ_CHARACTERS = 400
"""Number of characters at the start of a memory that are read."""
CACHE_BYTES = 16 * 1024 * 1024
"""Maximum number of bytes that each process caches."""
TOPIC_BYTES = 110
"""Estimated size in bytes of a cached text (a topic, a memory, a domain or a part of the key) without its characters.
"""

MemoryFingerprint = tuple[int, int, tuple[int, ...], int, int, tuple[str, ...]]
"""Values that change whenever the agent's memories change.

They are the number of sessions that sleep has consolidated, of sessions that it has not consolidated yet, of active
memories by level, and of archived memories, the sequence of the last change of a memory's scope or pin, and the names
of the agent's perspectives.
"""


TopicKey = tuple[str, str, str, tuple[str | None, frozenset[str]]]
"""Database URL, schema, agent, and the project and domains of the setting."""


@dataclass(frozen=True, slots=True)
class KnownTopics:
    """What an agent knows, in short."""

    fingerprint: MemoryFingerprint
    topics: tuple[Topic, ...]
    """Topics of the agent's active memories that are valid in the setting, strongest first."""
    perspectives: PerspectiveMemories
    """Those of these memories that are strong in one perspective of the agent."""


@dataclass(slots=True)
class TopicCache:
    """A cache of what each agent knows in each setting (project and domains)."""

    known: ByteCache[TopicKey, KnownTopics] = field(default_factory=lambda: _PROCESS)

    async def topics(self, agent: Agent, setting: Setting, views: Views) -> tuple[Topic, ...]:
        """Return the topics of the agent's active memories that are valid in the setting, strongest first.

        They are read from the projections only if the agent's memories have changed since they were cached.
        """
        return (await self.of(agent, setting, views)).topics

    async def of(self, agent: Agent, setting: Setting, views: Views) -> KnownTopics:
        """Return what the agent knows in the setting: its topics, and the memories strong in each perspective."""
        where = (setting.project, frozenset(setting.domains))
        name = (views.database.url, views.database.schema, agent.agent_id, where)
        state = (
            agent.slept,
            len(agent.awake),
            agent.active,
            agent.archived,
            views.progress.changes.last(agent.agent_id, MemoryAmended.kind_of()),
            agent.definition.perspective_names,
        )
        found = self.known.get(name)
        if found is None or found.fingerprint != state:
            held = await strongest_memories(views.database, agent, setting)
            # Runs in a thread, because extracting keywords from many untagged memories is slow the first time.
            found = await asyncio.to_thread(lambda: KnownTopics(state, topics(held), perspective_memories(held)))
            self.known.keep(name, found)
        return found


def _bytes(key: TopicKey, known: KnownTopics) -> int:
    url, schema, agent, (project, domains) = key
    texts = [url, schema, agent, project or "", *domains, *(topic.name for topic in known.topics)]
    texts += [each.text for some in known.perspectives.values() for each in some]
    return sum(map(getsizeof, texts)) + TOPIC_BYTES * len(texts)


_PROCESS: ByteCache[TopicKey, KnownTopics] = ByteCache(CACHE_BYTES, _bytes)
"""What agents know, shared by all services of this process."""


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
        .limit(MAX_MEMORIES)
    )


def _valid() -> ColumnElement[bool]:
    """Return the SQL condition that is true for memories valid in the setting. The rule is the same as in the domain's
    `valid`.
    """
    scope = tables.memory.c.memory["scope"]
    level, name = scope["level"].astext, scope["name"].astext
    return or_(
        level == "universal",
        and_(level == "project", name == bindparam("project", type_=Text)),
        and_(level == "domain", name == any_(bindparam("domains", type_=ARRAY(Text)))),
    )


_STRONGEST = _strongest()


async def strongest_memories(database: Database, agent: Agent, setting: Setting) -> list[TopicSource]:
    """Return the agent's `MAX_MEMORIES` strongest active memories that are valid in the setting, with their present
    strengths.
    """
    asked = {
        "agent": agent.agent_id,
        "project": setting.project,
        "domains": list(setting.domains),
        **{f"clock_{level}": clock for level, clock in enumerate(agent.clocks)},
    }
    async with database.reading() as connection:
        rows = (await connection.execute(_STRONGEST, asked)).all()
    return [
        TopicSource(tuple(tags), body, now, _by_perspective(agent, stored, perspectives, level))
        for tags, body, now, stored, perspectives, level in rows
    ]


def _by_perspective(
    agent: Agent, stored_strength: float, perspectives: Mapping[str, float], level: int
) -> dict[str, float]:
    """Return an active memory's present strength in each perspective of the agent's definition."""
    clock = agent.clocks[level]
    return {
        name: float(strength(perspectives.get(name, stored_strength), clock))
        for name in agent.definition.perspective_names
    }
