"""Operator commands for tiered memory: consolidate it, and share memories with other agents.

They are not methods of the client, because they append to the agent's own subject, where clients may not publish.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from nemuri.client.exchange import ClientError, validated
from nemuri_contracts.event import derive
from nemuri_contracts.tiered import ConsolidationAsked, MemoryShared, Sharing
from nemuri_contracts.tiered_views import TierMemoryView, TiersView
from nemuri_infra.bus.event_log import ConflictError

if TYPE_CHECKING:
    from nemuri.client.client import Client

TIMEOUT_SECONDS = 60.0
"""Seconds to wait for the end of a consolidation. The consolidation continues after that."""
POLL = 0.1


class ConsolidationResult(NamedTuple):
    """The result of a consolidation."""

    gone: int
    """Number of short-term memories that were consolidated."""
    view: TiersView
    """State of the agent's memory after the consolidation."""


async def consolidate(client: "Client", agent: str) -> ConsolidationResult:
    """Consolidate all short-term memories of an agent, and wait until the new memories have their texts.

    Raises `ClientError` if the agent has another kind of memory, or if the consolidation takes longer than
    `TIMEOUT_SECONDS`.
    """
    await client.settle()
    before = view = await client.tiers(agent)
    if not (before.short or before.merging):
        return ConsolidationResult(0, before)
    await client.log.append(ConsolidationAsked(event_id=uuid4(), agent_id=agent, because="asked"))
    await client.settle()
    end = asyncio.get_running_loop().time() + TIMEOUT_SECONDS
    while (view := await client.tiers(agent)).short or view.merging:
        if asyncio.get_running_loop().time() > end:
            raise ClientError(f"{agent} still consolidates {view.short + view.merging} memories; see `nemuri status`")
        await asyncio.sleep(POLL)
    return ConsolidationResult(before.short + before.merging, view)


async def share(client: "Client", agent: str, name: str, scope: Sharing, visible_to: Sequence[str]) -> TierMemoryView:
    """Share a memory with the agents `visible_to`, and return the memory when the projections contain the change.

    Raises `ClientError`, with nothing changed, if the memory or an agent is unknown, if `visible_to` contains `agent`,
    or if sharing was changed at the same time.
    """
    newest = await client.log.newest_on(client.log.subjects.of_agent(agent, MemoryShared))
    await client.settle()
    memory = await client.tiers_memory(agent, name)
    for reader in visible_to:
        await client.agents(reader)
    if agent in visible_to:
        raise ClientError(f"{agent} sees its own memories anyway; name others")
    whom = "/".join(visible_to)
    event = validated(
        MemoryShared,
        event_id=derive(f"{memory.memory_id}/{scope}/{whom}/{newest.sequence}", MemoryShared.kind_of()),
        agent_id=agent,
        memory_id=memory.memory_id,
        scope=scope,
        visible_to=tuple(visible_to),
    )
    try:
        await client.log.append(event, expected=newest.sequence)
    except ConflictError as error:
        raise ClientError(f"the shared memories of {agent} were changed meanwhile; try again") from error
    await client.settle()
    return await client.tiers_memory(agent, name)
