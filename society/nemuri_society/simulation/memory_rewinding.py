"""Taking the memories of a society's agents back to a checkpoint, whose states do not contain them."""

import asyncio
from collections.abc import Mapping, Sequence

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_domain.tiered.rewinding import Rewinding
from nemuri_infra.bus.event_log import Log
from nemuri_society.contracts.society import Society
from nemuri_society.simulation.checkpoints import made_at
from nemuri_society.simulation.world_lease import world_in
from nemuri_society.simulation.world_process import load_world


async def rewind_memories(log: Log, society: Society, checkpoint: str, values: Mapping[str, bytes]) -> None:
    """Append the events that give all agents the memories that they had at a checkpoint with these values.

    Call it while no host runs. Repeating it after an interruption completes it.
    """
    dumped = world_in(values) if society.world == "grid" else None
    second = load_world(dumped).second if dumped else 0.0
    for cell in range(society.cells):
        minds = {agent.id: Rewinding.of(agent.id, made_at(checkpoint), second) for agent in society.cell(cell)}
        subjects = [log.subjects.agent_events(agent_id) for agent_id in minds]
        async for batch in log.read(until=await log.last_sequence(), only=subjects):
            for event in batch.events:
                minds[str(event.agent_id)].take(event)  # type: ignore[arg-type]
        await asyncio.gather(*(_append(log, list(mind.events())) for mind in minds.values()))


async def _append(log: Log, events: Sequence[AnyAgentEvent]) -> None:
    for event in events:
        await log.append(event)
