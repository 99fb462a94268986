"""Taking the memories of a society's agents back to a checkpoint, whose states do not contain them."""

import asyncio
from collections.abc import Sequence
from datetime import datetime

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.tiered.memory_rewind import Rewinding
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society


async def rewind_memories(log: Log, society: Society, made_at: datetime, second: float) -> None:
    """Append the events that give all agents the memories that they had at a second of the simulation, of which a
    checkpoint was made at `made_at`.

    Call it while no host runs. Repeating it after an interruption completes it.
    """
    for cell in range(society.cells):
        minds = {agent.id: Rewinding.of(agent.id, made_at, second) for agent in society.cell(cell)}
        subjects = [log.subjects.agent_events(agent_id) for agent_id in minds]
        async for batch in log.read(until=await log.last_sequence(), only=subjects):
            for event in batch.events:
                minds[str(event.agent_id)].take(event)  # type: ignore[arg-type]
        await asyncio.gather(*(_append(log, list(mind.events())) for mind in minds.values()))


async def _append(log: Log, events: Sequence[AnyAgentEvent]) -> None:
    for event in events:
        await log.append(event)
