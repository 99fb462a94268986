"""What the orchestrator remembers of past routings, and what it takes in of each task."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nemuri.contracts.agents import ORCHESTRATOR, Embedding
from nemuri.contracts.clients import MemoryContent, Setting
from nemuri.contracts.event import Event
from nemuri.contracts.memories import NewMemory
from nemuri.domain.memory.content import embedded_text, encoded
from nemuri.domain.memory.policy import Policy
from nemuri.domain.tasks import precedents
from nemuri.domain.tasks.precedents import Precedent
from nemuri.domain.tasks.state import Task
from nemuri.infra.recollection import Recollections
from nemuri.infra.resources import Resources
from nemuri.infra.views.precedents import past


@dataclass(slots=True)
class Precedents:
    """The orchestrator's own memory in this process."""

    minds: Recollections = field(default_factory=Recollections)

    async def like(self, task: Task, resources: Resources) -> tuple[Precedent, ...]:
        """Past tasks like this one, the most telling first; none where it is settled who works on it."""
        agent = await resources.views.agent(ORCHESTRATOR)
        if agent is None or task.wanted_agent is not None:
            return ()
        # Its keywords say how to look back on a task, not what tasks are about: they would only make all alike.
        plain = agent.but(policy={**agent.policy, "enable_query_expansion": False})
        found = await self.minds.recall(
            resources, plain, precedents.subject(task), perspective=precedents.ROUTING, setting=Setting()
        )
        before = await past(resources.database, [each.memory_id for each in found.candidates])
        return precedents.telling(
            Precedent(
                each.memory_id,
                before[each.memory_id].task_id,
                precedents.weight(each.similarity, agent.strength(found.known[each.memory_id][1])),
                before[each.memory_id].outcomes,
            )
            for each in found.candidates
            if each.memory_id in before
        )


async def taken_in(
    event: Event, worker: str, memory: MemoryContent | None, key: str, resources: Resources
) -> Sequence[Event]:
    """The memory in the orchestrator's mind, which begins with its first one and has the vectors of the agents'.

    `worker` is an agent that worked on the task; nothing follows where there is no such agent.
    """
    known = await resources.views.agent(ORCHESTRATOR)
    other = known or await resources.views.agent(worker)
    if memory is None or other is None:
        return ()
    new = await _new(memory, other.embedding, (known.rules if known else Policy()).initial_strength, resources)
    encoding = encoded(event, new, key=key, agent_id=ORCHESTRATOR, source="task")
    return (encoding,) if known else (precedents.defined(event, other.embedding), encoding)


async def _new(memory: MemoryContent, embedding: Embedding, strength: float, resources: Resources) -> NewMemory:
    text, vectors = embedded_text(memory), resources.vectors.serving(embedding)
    await vectors.of([text])
    names = precedents.DEFINITION.perspective_names
    return NewMemory(memory=memory, vector=vectors.key(text), strength=strength, perspectives=names)
