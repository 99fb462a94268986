"""Cached rows of agents and scorers, and whether an agent takes a course. They are read again only after an event that
changes them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Generic, TypeVar, get_args

from cachetools import LRUCache

from nemuri_contracts.agents import AgentDefined, EmbeddingAdopted, PolicyAdopted
from nemuri_contracts.erasure import AgentErased, MemoriesErased
from nemuri_contracts.principles import PrincipleDecided, PrincipleProposed
from nemuri_contracts.scorers import ScorerTrained
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.education.course import CourseEvent
from nemuri_domain.strength.aggregate import Agent, Scorer
from nemuri_domain.strength.fold import AGENT_EVENTS
from nemuri_infra.bus.recent_events import RecentEvents
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.education import Courses
from nemuri_infra.projections.progress import Progress, needed_sequence, projected_up_to
from nemuri_infra.projections.rows import load, load_keyed

AGENT_KINDS = frozenset(each.kind_of() for each in AGENT_EVENTS)
RULE_KINDS = frozenset(
    each.kind_of()
    for each in (
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
COURSE_KINDS = frozenset(each.kind_of() for each in (AgentErased, *get_args(CourseEvent)))
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
class AgentCache:
    """The agents and scorers that a process has read from the projections.

    An event handler gets the state that contains its event. Everybody else gets the state that the projections have
    reached.
    """

    database: Database
    progress: Progress
    recent: RecentEvents
    _agents: LRUCache[str, _Cached[Agent | None]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    _scorers: LRUCache[str, _Cached[Scorer | None]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    _learners: LRUCache[str, _Cached[bool]] = field(default_factory=lambda: LRUCache(MAX_CACHED_AGENTS))
    """True for each agent with an unfinished course, and False for each without one."""
    _all: _Cached[dict[str, Agent]] | None = None
    """All agents by name."""
    _all_lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def read(self, names: Collection[str] | None = None) -> list[Agent]:
        """Read all agents from the projections, sorted by name; with `names`, only the agents with these names."""
        async with self.database.reading() as connection:
            found = (
                await load(connection, tables.agent, Agent)
                if names is None
                else await load_keyed(connection, tables.agent, Agent, "agent_id", names)
            )
        return sorted(found, key=lambda each: each.agent_id)

    async def all(self) -> list[Agent]:
        """Return all agents, sorted by name. Only agents that changed since the last call are read again."""
        async with self._all_lock:
            until, known = await self._until(), self._all
            changed = self.recent.changed_agents(known.at, AGENT_KINDS) if known and self.recent.covers(until) else None
            if known is None or known.at < until:
                with projected_up_to(until):
                    at = await self._position()
                    if known is None or changed is None:
                        known = self._all = _Cached({}, at)
                        changed = None
                    if changed != set():
                        fresh = {each.agent_id: each for each in await self.read(changed)}
                        self._agents.update({name: _Cached(each, at) for name, each in fresh.items()})
                        known.value.update(fresh)
                        known.at = at
            return [known.value[name] for name in sorted(known.value)]

    async def agent(self, agent_id: str, *, only_rules: bool = False) -> Agent | None:
        """Return an agent; None if the name is unknown.

        With `only_rules`, its definition, embedding, policy and clocks are up to date. Its sessions and totals may be
        older.
        """

        async def read() -> Agent | None:
            return next(iter(await self.read([agent_id])), None)

        return await self._get(self._agents, agent_id, RULE_KINDS if only_rules else AGENT_KINDS, read)

    async def scorer(self, agent_id: str) -> Scorer | None:
        """Return the newest version of an agent's learned scorer; None if it has none yet."""

        async def read() -> Scorer | None:
            async with self.database.reading() as connection:
                return next(iter(await load_keyed(connection, tables.scorer, Scorer, "agent_id", [agent_id])), None)

        return await self._get(self._scorers, agent_id, SCORER_KINDS, read)

    async def takes_course(self, agent_id: str) -> bool:
        """Return True if the agent has an unfinished course."""

        async def read() -> bool:
            return bool(await Courses(self.database).of(agent_id, running=True))

        return await self._get(self._learners, agent_id, COURSE_KINDS, read)

    async def change_to_see(self, agent_id: str, since: int, kinds: frozenset[str] | None = None) -> int | None:
        """Return the sequence that the projections must have reached so that a read shows the agent's last change.

        With `kinds`, only events of these kinds count as changes. Returns None if nothing changed after the sequence
        `since`.
        """
        until = await self._until()
        if since >= until:
            return None
        if not self.recent.covers(until):
            return until
        if not self.recent.changed_since(agent_id, since, kinds):
            return None
        return min(until, self.recent.last_change(agent_id, kinds))

    async def _get(
        self, cache: LRUCache[str, _Cached[T]], agent_id: str, kinds: frozenset[str], read: Callable[[], Awaitable[T]]
    ) -> T:
        known = cache.get(agent_id)
        needed = await self.change_to_see(agent_id, known.at if known else -1, kinds)
        if known is not None and needed is None:
            return known.value
        with projected_up_to(needed or 0):
            at = await self._position()
            known = cache[agent_id] = _Cached(await read(), at)
        return known.value

    async def _position(self) -> int:
        """Return the sequence that the projections have reached, once it is what the context needs."""
        await self.progress.wait_until_needed()
        return self.progress.sequence

    async def _until(self) -> int:
        """Return the sequence whose state the caller needs, and let the window arrive there if it can."""
        until = needed_sequence() or await self.progress.current_sequence()
        await self.recent.wait(until)
        return until
