"""Cached rows of agents and scorers, and whether an agent takes a course. They are read again only after an event that
changes them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar, get_args

from cachetools import LRUCache
from typing_extensions import override

from nemuri_contracts.agents import AgentDefined, EmbeddingAdopted, PolicyAdopted
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.principles import PrincipleDecided, PrincipleProposed
from nemuri_contracts.scorers import ScorerTrained
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.education.course import CourseEvent
from nemuri_domain.strength.aggregate import Agent, Scorer
from nemuri_domain.strength.fold import AGENT_EVENTS
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.education import Courses
from nemuri_infra.projections.progress import Progress
from nemuri_infra.projections.rows import load, load_keyed
from nemuri_infra.projections.views import Agents

AGENT_KINDS = frozenset(event.kind_of() for event in AGENT_EVENTS)
RULE_KINDS = frozenset(
    event.kind_of()
    for event in (
        AgentDefined,
        AgentErased,
        AgentSlept,
        EmbeddingAdopted,
        MemoriesErased,
        PolicyAdopted,
        PrincipleDecided,
        PrincipleProposed,
    )
)
"""Kinds of events that change an agent's definition, its principles, its embedding, its policy in force or its decay
clocks."""
COURSE_KINDS = frozenset(event.kind_of() for event in (AgentErased, *get_args(CourseEvent)))
SCORER_KINDS = frozenset({ScorerTrained.kind_of()})
MAX_CACHED_AGENTS = 10_000
"""Maximum number of agents, and of scorers, that one process caches."""
T = TypeVar("T")


@dataclass(slots=True)
class _Cached(Generic[T]):
    """A cached value."""

    value: T
    at: int
    """Sequence of the log up to which the value contains all changes."""


@dataclass(slots=True)
class AgentCache(Agents):
    """The agents and scorers that a process has read from the projections.

    A caller gets the state that the projections have reached. Who needs a newer one first waits for `progress`.
    """

    database: Database
    progress: Progress
    _agents: LRUCache[str, _Cached[Agent | None]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    _scorers: LRUCache[str, _Cached[Scorer | None]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    _learners: LRUCache[str, _Cached[bool]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    """True for each agent with an unfinished course, and False for each without one."""
    _all: _Cached[dict[str, Agent]] | None = None
    """All agents by name."""
    _all_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @override
    async def read(self, names: Collection[str] | None = None) -> list[Agent]:
        async with self.database.reading() as connection:
            found = (
                await load(connection, tables.agent, Agent)
                if names is None
                else await load_keyed(connection, tables.agent, Agent, "agent_id", names)
            )
        return sorted(found, key=lambda agent: agent.agent_id)

    @override
    async def all(self) -> list[Agent]:
        async with self._all_lock:
            at, known = await self.progress.current_sequence(), self._all
            changed = self.progress.changes.changed_agents(known.at, AGENT_KINDS) if known else None
            if known is None or changed is None:
                known = self._all = _Cached({}, at)
            if changed is None or changed:
                fresh = {agent.agent_id: agent for agent in await self.read(changed)}
                self._agents.update({name: _Cached(agent, at) for name, agent in fresh.items()})
                for name in (changed or set()) - fresh.keys():
                    known.value.pop(name, None)
                known.value.update(fresh)
            known.at = at
            return [known.value[name] for name in sorted(known.value)]

    @override
    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        async def read() -> Agent | None:
            return next(iter(await self.read([agent_id])), None)

        return await self._get(self._agents, agent_id, RULE_KINDS if only_rules else AGENT_KINDS, read)

    @override
    async def scorer(self, agent_id: str) -> Scorer | None:
        async def read() -> Scorer | None:
            async with self.database.reading() as connection:
                return next(iter(await load_keyed(connection, tables.scorer, Scorer, "agent_id", [agent_id])), None)

        return await self._get(self._scorers, agent_id, SCORER_KINDS | {AgentErased.kind_of()}, read)

    @override
    async def takes_course(self, agent_id: str) -> bool:
        async def read() -> bool:
            return bool(await Courses(self.database).of(agent_id, running=True))

        return await self._get(self._learners, agent_id, COURSE_KINDS, read)

    async def _get(
        self, cache: LRUCache[str, _Cached[T]], agent_id: str, kinds: frozenset[str], read: Callable[[], Awaitable[T]]
    ) -> T:
        at, known = await self.progress.current_sequence(), cache.get(agent_id)
        if known is None or self.progress.changes.changed(agent_id, known.at, kinds):
            known = cache[agent_id] = _Cached(await read(), at)
        return known.value
