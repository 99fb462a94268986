"""Loading of whole minds (agents with all their strength memories) from the projections, or from the log alone."""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Self, get_args
from uuid import UUID

from sqlalchemy import select, text

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import Event
from nemuri_domain.event_sourcing.deduplication import Deduplicator, first_of_each
from nemuri_domain.event_sourcing.erasure import OF_A_TASK, TOMBSTONES, Erased
from nemuri_domain.strength.aggregate import Agent, Memory, Mind
from nemuri_domain.strength.fold import evolve
from nemuri_infra.bus.event_log import Log
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import load
from nemuri_infra.stores.deletion import tombstones

_OF_MINDS: tuple[type[Event], ...] = get_args(AnyAgentEvent)


async def mind_of(database: Database, agent_id: str) -> Mind:
    """Return an agent with the states of all its memories, without their contents, from the projections."""
    async with database.reading() as connection:
        agents = await load(connection, tables.agent, Agent, tables.agent.c.agent_id == agent_id)
        state = tables.memory_state
        memories = await load(connection, state, Memory, state.c.agent_id == agent_id)
    return Mind(next(iter(agents), None)).holding({memory.memory_id: memory for memory in memories})


async def kept_by_hosts(database: Database, agent_ids: Collection[str]) -> set[str]:
    """Return the names in `agent_ids` whose agents run in a society, by their definitions."""
    agent = tables.agent.c
    query = select(agent.agent_id).where(agent.agent_id.in_(agent_ids), agent.definition["kept_by"].astext == "host")
    async with database.reading() as connection:
        return set((await connection.execute(query)).scalars())


@dataclass(slots=True)
class Replay:
    """A replay of some agents' minds from the log.

    Events that `erased` deletes are left out, as if they had never been in the log.
    """

    log: Log
    erased: Erased
    minds: dict[str, Mind]
    until: int = 0
    """Sequence up to which the log was read."""
    _firsts: dict[str, Deduplicator] = field(default_factory=dict)

    @classmethod
    def of(cls, log: Log, agent_ids: Iterable[str], erased: Erased) -> Self:
        """Return a replay that has read no event yet."""
        return cls(log, erased, dict.fromkeys(agent_ids, Mind()))

    async def advance(self, until: int) -> None:
        """Fold the log up to the sequence `until` into the minds. Only tombstones and the events of these agents are
        read.
        """
        if until <= self.until:
            return
        told = await tombstones(self.log, self.until, until)
        for agent_id in self.minds:
            await self._advance(agent_id, deque(told), until)
        self.until = until

    async def _advance(self, agent_id: str, told: deque[Event], until: int) -> None:
        firsts = self._firsts.setdefault(agent_id, Deduplicator())
        only = [self.log.subjects.agent_events(agent_id)]
        async for batch in self.log.read(self.until, until, only=only):
            events: list[Event] = [
                event for event in batch.events if not isinstance(event, TOMBSTONES) and not self.erased.deletes(event)
            ]
            while told and (told[0].sequence or 0) <= batch.until:
                events.append(told.popleft())
            for merged_event in firsts.among(sorted(events, key=lambda event: event.sequence or 0)):
                if merged_event.agent_id == agent_id and isinstance(merged_event, _OF_MINDS):
                    self.minds[agent_id] = evolve(self.minds[agent_id], merged_event)  # type: ignore[arg-type]


def folded(agent_ids: Collection[str], events: Iterable[Event]) -> dict[str, Mind]:
    """Return the minds of the agents in `agent_ids` after `events`, by agent.

    Tombstones that belong to other agents take effect too.
    """
    minds = dict.fromkeys(agent_ids, Mind())
    for event in first_of_each(events):
        if event.agent_id in minds and isinstance(event, _OF_MINDS):
            minds[event.agent_id] = evolve(minds[event.agent_id], event)  # type: ignore[arg-type]
    return minds


async def touched_by(database: Database, tasks: Iterable[UUID], events: Iterable[UUID]) -> set[str]:
    """Return the agents whose minds depend on events that are erased.

    These are the events that are erased with `tasks`, and the events with the ids in `events`.
    """
    query = text(
        """
        -- Agents of the events that are erased with these tasks, and of these events.
        SELECT agent_id FROM journal WHERE task_id = ANY(CAST(:tasks AS uuid[])) AND kind = ANY(CAST(:kinds AS text[]))
            AND agent_id IS NOT NULL
        UNION SELECT agent_id FROM journal WHERE event_id = ANY(CAST(:events AS uuid[])) AND agent_id IS NOT NULL
        """
    )
    kinds = OF_A_TASK & {mind.kind_of() for mind in _OF_MINDS}
    values = {"tasks": list(tasks), "kinds": list(kinds), "events": list(events)}
    async with database.reading() as connection:
        return set((await connection.execute(query, values)).scalars())
