"""The reactions of the orchestrator."""

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
from nemuri.infra.reactions import Outcome, Service
from nemuri.infra.resources import Resources
from nemuri.services.orchestrator.applicants import Applicants
from nemuri.services.orchestrator.precedents import Precedents

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
    """One assignment for each choice."""
    return routing.assignments(event)


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
