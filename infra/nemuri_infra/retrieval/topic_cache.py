"""A cache of agents' topics, and of the memories that are strong in each of their perspectives.

Both are read from the projections again only after the agent's memories changed.
"""

import asyncio
from dataclasses import dataclass, field
from sys import getsizeof

from nemuri_contracts.client_events import Setting
from nemuri_contracts.strength import MemoryAmended
from nemuri_domain.strength.agent_topics import Topic, topics
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.perspective_memories import PerspectiveMemories, perspective_memories
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.projections.views import Views

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


TopicKey = tuple[str, str, tuple[str | None, frozenset[str]]]
"""Projections, agent, and the project and domains of the setting."""


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
        name = (views.space, agent.agent_id, where)
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
            held = await views.strongest_memories(agent, setting)
            # Runs in a thread, because extracting keywords from many untagged memories is slow the first time.
            found = await asyncio.to_thread(lambda: KnownTopics(state, topics(held), perspective_memories(held)))
            self.known.keep(name, found)
        return found


def _bytes(key: TopicKey, known: KnownTopics) -> int:
    space, agent, (project, domains) = key
    texts = [space, agent, project or "", *domains, *(topic.name for topic in known.topics)]
    texts += [memory.text for some in known.perspectives.values() for memory in some]
    return sum(map(getsizeof, texts)) + TOPIC_BYTES * len(texts)


_PROCESS: ByteCache[TopicKey, KnownTopics] = ByteCache(CACHE_BYTES, _bytes)
"""What agents know, shared by all services of this process."""
