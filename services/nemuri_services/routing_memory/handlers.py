"""Event handlers of the routing memory. No task waits for them."""

from collections.abc import Sequence

from nemuri_contracts.agents import ORCHESTRATOR, AgentDefined
from nemuri_contracts.strength import ImpactCredited, MemoriesUsed, MemoryEncoded, SessionEnded
from nemuri_contracts.tasks import TaskCompleted, TaskRouted
from nemuri_domain.tasks import precedents
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.routing_memory.memory_events import taken_in

service = Service(
    "routing-memory",
    at_once=8,
    lag_per_replica=100,
    mind=ORCHESTRATOR,
    capabilities=frozenset({Capability.MAKES_VECTORS}),
)


@service.handles(TaskRouted)
async def use(event: TaskRouted, resources: Resources) -> MemoriesUsed | None:  # noqa: ARG001 - every reaction has this form
    """Record the routing memories that influenced the choice of agents as used."""
    return precedents.used(event)


@service.handles(TaskCompleted)
async def remember(event: TaskCompleted, resources: Resources) -> Sequence[AgentDefined | MemoryEncoded | SessionEnded]:
    """Encode a completed task and its agents as a memory of the orchestrator, and end the orchestrator's session."""
    state = await resources.views.task(event.task_id)
    if state.task is None or not state.present:
        return ()
    memory = precedents.routing_memory(state)
    taken = await taken_in(event, state.task, state.present[0].agent_id, memory, f"routing/{event.event_id}", resources)
    return [*taken, precedents.session_ended(event, state.task)] if taken else ()


@service.handles(ImpactCredited)
async def remember_outcome(event: ImpactCredited, resources: Resources) -> Sequence[AgentDefined | MemoryEncoded]:
    """Encode the feedback on an agent's work as a memory of what that agent is good at."""
    task = (await resources.views.task(event.correlation_id)).task if event.correlation_id else None
    if task is None:
        return ()
    memory = precedents.aptitude_memory(task, event.agent_id, event.reason)
    return await taken_in(
        event, task, event.agent_id, memory, f"{task.task_id}/{event.agent_id}/{event.reason}", resources
    )
