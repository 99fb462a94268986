"""The schedule of consolidations that are due by time. It serves agents that record nothing new, because a new
experience triggers a due consolidation itself.
"""

import asyncio
import time
from functools import partial

from nemuri_contracts.event import derive
from nemuri_contracts.tiered import ConsolidationAsked
from nemuri_domain.tiered.aggregate import TiersAgent
from nemuri_domain.tiered.consolidation import due_reason
from nemuri_infra.projections.tiered_queries import TieredQueries
from nemuri_infra.runtime.consumer_pauses import wait_until_resumed
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.retry_forever import retry_forever

CHECK_SECONDS = 30.0
"""Seconds between two checks for due consolidations."""


async def watch(resources: Resources) -> None:
    """Append `consolidation_asked` for every consolidation that is due by time, forever. If a server is down, try again
    until it is back.
    """
    await retry_forever("tiered-memory", partial(_watch, resources), passing=OUTAGE_ERRORS)


async def _watch(resources: Resources) -> None:
    while True:
        await wait_until_resumed(resources.log, "tiered-memory")
        await request_due(resources, time.time())
        await asyncio.sleep(CHECK_SECONDS)


async def request_due(resources: Resources, now: float) -> None:
    """Append `consolidation_asked` for each consolidation that is due at `now`, in seconds since 1970.

    A second call before the consolidation appends nothing new, because the ids of the events are derived.
    """
    queries = TieredQueries(resources.database)
    for agent in await queries.agents():
        oldest = await queries.oldest(agent.agent_id, agent.began)
        if oldest is not None and (asked := overdue(agent, oldest, now)) is not None:
            await resources.log.append(asked)


def overdue(agent: TiersAgent, oldest: float, now: float) -> ConsolidationAsked | None:
    """Return the request for a consolidation that is due by time; None if none is due.

    `oldest` is the time of the agent's oldest short-term memory, and `now` is the current time, both in seconds since
    1970. Agents on a simulation's clock are left out, because their time advances with their experiences.
    """
    retention = agent.rules.short_term.retention_minutes * 60
    if oldest < agent.began or now - oldest < retention or due_reason(agent, now) is None:
        return None
    key = f"{agent.agent_id}/{agent.consolidated_at}/{oldest}"
    event_id = derive(key, ConsolidationAsked.kind_of())
    return ConsolidationAsked(event_id=event_id, agent_id=agent.agent_id, because="interval")
