"""Commands of operators that correct wrong decisions about repetitions.

A learning may have been counted wrongly as a repetition of a memory, or a sleep may have made one memory of several.
The commands are not methods of the client, because they append to the agent's own subject, where clients may not
publish.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from nemuri.client.exchange import ClientError
from nemuri_contracts.codec import parsed
from nemuri_contracts.event import derive
from nemuri_contracts.strength import (
    LearningsExtracted,
    MemoryEncoded,
    Repetition,
    RepetitionWithdrawn,
    SemanticMemorySplit,
)

if TYPE_CHECKING:
    from nemuri.client.client import Client


async def separate(client: "Client", task_id: UUID, memory_id: UUID | None = None) -> tuple[UUID, ...]:
    """Encode learnings of a task as new memories, if they were wrongly counted as repetitions of existing memories.

    `memory_id` selects the learnings that repeated this memory; None selects all. The strength that the repetitions had
    added to the existing memories is taken back. Returns the ids of the new memories as soon as they can be recalled.
    Raises `ClientError`, with nothing changed, if the task repeated no memory, or not this one.
    """
    repeated = tuple(dict.fromkeys((await client.progress(task_id)).repeated))
    if memory_id is not None and memory_id not in repeated:
        raise ClientError(f"task {task_id} did not repeat memory {memory_id}; see `nemuri result {task_id}`")
    if not repeated:
        raise ClientError(f"task {task_id} did not repeat any memory")
    chosen = repeated if memory_id is None else (memory_id,)
    withdrawn = [event for one in chosen for event in await _withdrawn(client, task_id, one)]
    for event in withdrawn:
        await client.log.append(event)
    await client.settle()
    for agent in dict.fromkeys(event.agent_id for event in withdrawn):
        await client.until_known(agent, [event.event_id for event in withdrawn if event.agent_id == agent])
    return tuple(derive(event.event_id, MemoryEncoded.kind_of()) for event in withdrawn)


async def _withdrawn(client: "Client", task_id: UUID, memory_id: UUID) -> Sequence[RepetitionWithdrawn]:
    """Return a withdrawal event for each learning of the task that repeated the memory.

    The event ids are derived, so that appending the events again changes nothing.
    """
    agent = (await client.memory(memory_id)).agent_id
    found = []
    async for data in client.log.all_on(client.log.subjects.of_agent(agent, LearningsExtracted)):
        event = parsed(data)
        if isinstance(event, LearningsExtracted) and event.correlation_id == task_id:
            found += [
                _withdrawal(event, repetition) for repetition in event.repetitions if repetition.memory_id == memory_id
            ]
    return list({correction.event_id: correction for correction in found}.values())


def _withdrawal(event: LearningsExtracted, repetition: Repetition) -> RepetitionWithdrawn:
    return RepetitionWithdrawn.following(
        event,
        key=f"{event.event_id}/{repetition.memory_id}",
        nth=repetition.learning.vector,
        repetition=repetition,
        assignment_id=event.assignment_id,
    )


async def split(client: "Client", memory_id: UUID) -> tuple[UUID, ...]:
    """Split a semantic memory into its sources, which become memories of their own again.

    What the semantic memory has gained since goes to the source with the most uses. Returns the ids of the sources,
    oldest first, as soon as they can be recalled. Raises `ClientError`, with nothing changed, if the memory is not a
    semantic memory, or was split or absorbed before.
    """
    view = await client.memory(memory_id)
    if view.source != "sleep":
        raise ClientError(f"memory {memory_id} is not a semantic memory; see `nemuri memories {view.agent_id}`")
    if view.absorbed_by is not None or not view.sources:
        raise ClientError(f"memory {memory_id} has no sources to split it into: its status is {view.status}")
    sources = tuple(source.memory_id for source in view.sources if source.memory_id in view.links)
    event = SemanticMemorySplit(
        event_id=derive(memory_id, SemanticMemorySplit.kind_of()),
        agent_id=view.agent_id,
        memory_id=memory_id,
        sources=sources,
    )
    await client.log.append(event)
    await client.settle()
    return sources
