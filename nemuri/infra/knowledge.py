"""What agents know about: read from the views once, and again only when their memory has changed."""

import asyncio
from dataclasses import dataclass, field

from sqlalchemy import Text, case, func, literal, select

from nemuri.domain.memory.mind import Agent
from nemuri.domain.memory.topics import Held, Topic, topics
from nemuri.infra.views import tables
from nemuri.infra.views.database import Database
from nemuri.infra.views.queries import Views

AT_MOST = 500
"""So many of an agent's strongest active memories tell what it knows."""
READ = 400
"""Characters of an untagged memory that tell what it is about."""

State = tuple[int, int, tuple[int, ...], int]
"""What changes whenever an agent's memories do: sessions slept and waiting, active memories by level, archived."""


@dataclass(slots=True)
class Knowledge:
    """The topics of agents, kept in this process."""

    known: dict[tuple[str, str, str], tuple[State, tuple[Topic, ...]]] = field(default_factory=dict)

    async def topics(self, agent: Agent, views: Views) -> tuple[Topic, ...]:
        """What the agent's active memories are about, strongest first."""
        name = (views.database.url, views.database.schema, agent.agent_id)
        state = (agent.slept, len(agent.awake), agent.active, agent.archived)
        if name not in self.known or self.known[name][0] != state:
            # In a thread, because keywords of many untagged memories take long the first time.
            self.known[name] = (state, await asyncio.to_thread(topics, await held(views.database, agent)))
        return self.known[name][1]


async def held(database: Database, agent: Agent) -> list[Held]:
    """The agent's strongest active memories, with their strengths now."""
    state, content = tables.memory_state.c, tables.memory.c
    clock = case(*((state.level == level, clock) for level, clock in enumerate(agent.clocks)))
    strength = func.exp(state.kept + clock)
    tagged = func.jsonb_array_length(content.memory["tags"]) > 0
    text = func.left(content.memory["content"].astext, READ)
    query = (
        select(content.memory["tags"].label("tags"), case((tagged, literal("", Text)), else_=text), strength)
        .join(tables.memory, content.memory_id == state.memory_id)
        .where(state.agent_id == agent.agent_id, state.status == "active")
        .order_by(strength.desc(), state.memory_id)
        .limit(AT_MOST)
    )
    async with database.reading() as connection:
        return [Held(tuple(tags), body, now) for tags, body, now in await connection.execute(query)]
