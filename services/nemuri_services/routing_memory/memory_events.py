"""Events that add a memory to the routing memory."""

from collections.abc import Sequence

from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event
from nemuri_contracts.strength import MemoryEncoded, NewMemory, Origin
from nemuri_domain.strength.memory_content import embedded_text, encoded
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks import precedents
from nemuri_domain.tasks.aggregate import Task
from nemuri_infra.runtime.resources import Resources


async def taken_in(
    event: Event, task: Task, worker: str, memory: MemoryContent | None, key: str, resources: Resources
) -> Sequence[AgentDefined | MemoryEncoded]:
    """Return the events that add a memory to the routing memory; none without `memory`.

    The first memory also defines the orchestrator as an agent, with the embedding of `worker`, an agent that worked on
    the task. Returns none if neither agent exists.
    """
    known = await resources.views.agent(ORCHESTRATOR)
    other = known or await resources.views.agent(worker)
    if memory is None or other is None:
        return ()
    new = await _new(memory, other.embedding, (known.rules if known else Policy()).initial_strength, resources)
    new = new.model_copy(update={"origin": Origin(client_id=task.client_id, task_id=task.task_id)})
    encoding = encoded(event, new, key=key, agent_id=ORCHESTRATOR, source="task")
    return (encoding,) if known else (precedents.defined(event, other.embedding), encoding)


async def _new(memory: MemoryContent, embedding: Embedding, strength: float, resources: Resources) -> NewMemory:
    text, vectors = embedded_text(memory), resources.vectors.serving(embedding)
    await vectors.of([text])
    names = precedents.DEFINITION.perspective_names
    return NewMemory(memory=memory, vector=vectors.key(text), strength=strength, perspectives=names)
