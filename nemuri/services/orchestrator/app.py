"""The reactions of the orchestrator."""

from nemuri.contracts.memories import ImpactCredited
from nemuri.contracts.tasks import (
    ReactionFailed,
    TaskAnswered,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
)
from nemuri.domain.tasks import fan_in, routing
from nemuri.domain.tasks.precedents import aptitude_memory, routing_memory, session_ended
from nemuri.domain.tasks.precedents import used as precedents_used
from nemuri.infra.reactions import Outcome, Service
from nemuri.infra.resources import Resources
from nemuri.services.orchestrator.applicants import Applicants
from nemuri.services.orchestrator.precedents import Precedents, taken_in

service = Service("orchestrator", at_once=16)
applicants = Applicants()
precedents = Precedents()

ENDING = frozenset({"intake", "orchestrator", "specialist"})
"""The services without which a task has no answer; what others fail at does not fail it."""


@service.reaction(TaskSummarised, TaskReopened)
async def route(event: TaskSummarised | TaskReopened, resources: Resources) -> Outcome:
    """Choose who works on the task, or find that nobody can."""
    task = (await resources.views.task(event.task_id)).task
    if task is None or task.summary is None or task.routed or task.status != "open":
        return None
    known = await precedents.like(task, resources)
    return routing.route(event, task, await applicants.all(resources.views), known)


@service.reaction(TaskRouted)
async def assign(event: TaskRouted, resources: Resources) -> Outcome:  # noqa: ARG001 - every reaction has this form
    """One assignment for each choice, and the use of what the choice rests on."""
    return [*routing.assignments(event), *precedents_used(event)]


@service.reaction(TaskAnswered)
async def join(event: TaskAnswered, resources: Resources) -> TaskCompleted | None:
    """Once the last assignment is answered the task is done, whichever was last."""
    return fan_in.complete(event, await resources.views.task(event.task_id))


@service.reaction(ReactionFailed)
async def fail(event: ReactionFailed, resources: Resources) -> TaskCompleted | TaskFailed | None:
    """What nobody could handle fails the task, if it has no answer."""
    state = await resources.views.task(event.task_id)
    if state.task is None or state.task.status in {"done", "failed"} or event.service not in ENDING:
        return None
    reason = f"{event.service} could not handle {event.cause_kind}: {event.error}"
    return fan_in.complete(event, state) or routing.fail(event, state.task, reason)


@service.reaction(TaskCompleted)
async def remember(event: TaskCompleted, resources: Resources) -> Outcome:
    """What was asked and who did it becomes a memory of the orchestrator's own, and its session ends."""
    state = await resources.views.task(event.task_id)
    if state.task is None or not state.present:
        return None
    taken = await taken_in(
        event, state.present[0].agent_id, routing_memory(state), f"routing/{event.event_id}", resources
    )
    return [*taken, session_ended(event, state.task)] if taken else None


@service.reaction(ImpactCredited)
async def remember_outcome(event: ImpactCredited, resources: Resources) -> Outcome:
    """How an agent's work was judged becomes a memory of what that agent is good at."""
    task = (await resources.views.task(event.correlation_id)).task if event.correlation_id else None
    if task is None:
        return None
    memory = aptitude_memory(task, event.agent_id, event.reason)
    return await taken_in(event, event.agent_id, memory, f"{task.task_id}/{event.agent_id}/{event.reason}", resources)
