"""Event handlers of the routing memory. No task waits for these handlers."""

from collections.abc import Sequence

from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Event
from nemuri_contracts.strength import ImpactCredited, MemoriesUsed, MemoryEncoded, NewMemory, Origin, SessionEnded
from nemuri_contracts.tasks import TaskCompleted, TaskRouted
from nemuri_domain.strength.memory_content import embedded_text, encoded
from nemuri_domain.strength.policy import Policy
from nemuri_domain.tasks import precedents
from nemuri_domain.tasks.aggregate import Task
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service

service = Service(
    "routing-memory",
    concurrency=8,
    lag_per_replica=100,
    agent_id=ORCHESTRATOR,
    capabilities=frozenset({Capability.MAKES_VECTORS}),
)


@service.handles(TaskRouted)
async def record_use(event: TaskRouted, resources: Resources) -> MemoriesUsed | None:  # noqa: ARG001 - every handler has this form
    """Record a use of each routing memory that influenced the choice of agents."""
    return precedents.used(event)


@service.handles(TaskCompleted)
async def encode_task(
    event: TaskCompleted, resources: Resources
) -> Sequence[AgentDefined | MemoryEncoded | SessionEnded]:
    """Encode a completed task and its agents as a memory of the orchestrator, and end the orchestrator's session."""
    state = await resources.tasks.state(event)
    if state.task is None or not state.present:
        return ()
    memory = precedents.routing_memory(state)
    taken = await _memory_events(
        event, state.task, state.present[0].agent_id, memory, f"routing/{event.event_id}", resources
    )
    return [*taken, precedents.session_ended(event, state.task)] if taken else ()


@service.handles(ImpactCredited)
async def encode_outcome(event: ImpactCredited, resources: Resources) -> Sequence[AgentDefined | MemoryEncoded]:
    """Encode a client's verdict on an agent's work as a routing memory of what that agent is good or bad at.

    The credit for what the session taught repeats the verdict and is left out.
    """
    if event.taught:
        return ()
    task = (await resources.tasks.state(event)).task if event.thread else None
    if task is None:
        return ()
    memory = precedents.aptitude_memory(task, event.agent_id, event.reason)
    return await _memory_events(
        event, task, event.agent_id, memory, f"{task.task_id}/{event.agent_id}/{event.reason}", resources
    )


async def _memory_events(
    event: Event, task: Task, worker: str, memory: MemoryContent | None, key: str, resources: Resources
) -> Sequence[AgentDefined | MemoryEncoded]:
    """Return the events that add a memory to the routing memory; none if `memory` is None.

    The first memory also defines the orchestrator as an agent. It takes its embedding from `worker`, an agent that
    worked on the task. Returns none if neither the orchestrator nor that agent exists.
    """
    known = await resources.views.agent(ORCHESTRATOR, only_rules=True)
    other = known or await resources.views.agent(worker, only_rules=True)
    if memory is None or other is None:
        return ()
    new = await _new_memory(memory, other.embedding, (known.rules if known else Policy()).initial_strength, resources)
    new = new.model_copy(update={"origin": Origin(client_id=task.client_id, task_id=task.task_id)})
    encoding = encoded(event, new, key=key, agent_id=ORCHESTRATOR, source="task")
    return (encoding,) if known else (precedents.defined(event, other.embedding), encoding)


async def _new_memory(memory: MemoryContent, embedding: Embedding, strength: float, resources: Resources) -> NewMemory:
    text, vectors = embedded_text(memory), resources.vectors.with_embedder_of(embedding)
    await vectors.store_missing([text])
    names = precedents.DEFINITION.perspective_names
    return NewMemory(memory=memory, vector=vectors.key(text), strength=strength, perspectives=names)
