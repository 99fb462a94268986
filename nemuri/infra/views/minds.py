"""Whole minds: as the views hold them, and as the log alone would make them."""

from collections.abc import Collection, Iterable
from typing import get_args
from uuid import UUID

from immutables import Map
from sqlalchemy import or_, select

from nemuri.contracts.event import Event
from nemuri.contracts.log import AnyAgentEvent
from nemuri.domain.deliveries import first_of_each
from nemuri.domain.erasure import OF_A_TASK, TOMBSTONES, Erased
from nemuri.domain.memory.mind import Agent, Memory, Mind
from nemuri.domain.memory.remembering import evolve
from nemuri.infra.log import Log
from nemuri.infra.views import tables
from nemuri.infra.views.database import Database
from nemuri.infra.views.rows import load

_OF_MINDS: tuple[type[Event], ...] = get_args(AnyAgentEvent)


async def mind_of(database: Database, agent_id: str) -> Mind:
    """An agent with the state of all of its memories; without their contents."""
    async with database.reading() as connection:
        agents = await load(connection, tables.agent, Agent, tables.agent.c.agent_id == agent_id)
        state = tables.memory_state
        memories = await load(connection, state, Memory, state.c.agent_id == agent_id)
    return Mind(next(iter(agents), None), Map({each.memory_id: each for each in memories}))


async def kept_by_hosts(database: Database, agent_ids: Collection[str]) -> set[str]:
    """Those of the agents that are defined to live in a society."""
    agent = tables.agent.c
    query = select(agent.agent_id).where(agent.agent_id.in_(agent_ids), agent.definition["kept_by"].astext == "host")
    async with database.reading() as connection:
        return set((await connection.execute(query)).scalars())


async def replayed(log: Log, agent_ids: Collection[str], erased: Erased, until: int) -> dict[str, Mind]:
    """The minds that the log makes, up to a place, without what is to be deleted from it."""
    kept: list[Event] = []
    async for batch in log.read(0, until):
        kept += (
            each
            for each in batch.events
            if isinstance(each, TOMBSTONES) or (each.agent_id in agent_ids and not erased.deletes(each))
        )
    return folded(agent_ids, kept)


def folded(agent_ids: Collection[str], events: Iterable[Event]) -> dict[str, Mind]:
    """The minds that these events of them make, tombstones of others among them."""
    minds = dict.fromkeys(agent_ids, Mind())
    for each in first_of_each(events):
        if each.agent_id in minds and isinstance(each, _OF_MINDS):
            minds[each.agent_id] = evolve(minds[each.agent_id], each)  # type: ignore[arg-type]
    return minds


async def touched_by(database: Database, tasks: Iterable[UUID], events: Iterable[UUID]) -> set[str]:
    """The agents on whose own sub-streams something goes with these tasks and events."""
    journal = tables.journal.c
    of = or_(
        (journal.task_id.in_(list(tasks))) & journal.kind.in_(OF_A_TASK & {each.kind_of() for each in _OF_MINDS}),
        journal.event_id.in_(list(events)),
    )
    query = select(journal.agent_id).where(of, journal.agent_id.is_not(None)).distinct()
    async with database.reading() as connection:
        return {str(each) for each in (await connection.execute(query)).scalars()}
