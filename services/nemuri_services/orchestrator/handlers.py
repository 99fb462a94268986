"""Event handlers of the orchestrator."""

from collections.abc import Sequence
from dataclasses import replace

from nemuri_contracts.clarifications import ClarificationAsked
from nemuri_contracts.client_events import NegotiationAnswered
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.steps import ConsultationEnded
from nemuri_contracts.tasks import (
    NegotiationOpened,
    ReactionFailed,
    TaskAnswered,
    TaskAssigned,
    TaskCompleted,
    TaskFailed,
    TaskReopened,
    TaskRouted,
    TaskSummarised,
)
from nemuri_domain.tasks import consultations, fan_in, panel, rebuttals, routing
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_infra.routing.advice import advice
from nemuri_infra.routing.applicants import Applicants
from nemuri_infra.routing.fitness import Fitness
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.orchestrator import model_requests

service = Service("orchestrator", concurrency=16, capabilities=frozenset({Capability.MAKES_VECTORS}))
applicants = Applicants()
fitness = Fitness()

ENDING = frozenset({"intake", "orchestrator", "specialist"})
"""Services that a task needs for its answer. A failure of any other service does not fail the task."""
PASSING_ON = (TaskCompleted, TaskFailed, NegotiationOpened, ClarificationAsked)
"""Events after which the next turn of a conversation may be routed."""


@service.handles(TaskSummarised, TaskReopened, NegotiationAnswered)
async def route(
    event: TaskSummarised | TaskReopened | NegotiationAnswered, resources: Resources
) -> TaskRouted | NegotiationOpened | TaskFailed | None:
    """Choose the agents for a task. Ask the client if the task fits no agent, or fail the task if no agent can do it.

    A task in a conversation waits while an earlier task of the conversation is open: this handler then returns None,
    and `route_next_turn` routes the task when the earlier one ends or waits for its client.
    """
    return await _route_task(event, await resources.tasks.state(event), resources)


@service.handles(*PASSING_ON)
async def route_next_turn(event: Event, resources: Resources) -> TaskRouted | NegotiationOpened | TaskFailed | None:
    """Route the next task of the conversation, because this task has ended or waits for its client's choice."""
    following = await _next_turn(event, resources)
    return None if following is None else await _route_task(event, following, resources)


async def _next_turn(event: Event, resources: Resources) -> TaskState | None:
    """Return the next task of the conversation that waits to be routed; None if there is none."""
    task = (await resources.tasks.state(event)).task
    if task is None or task.conversation is None:
        return None
    await resources.views.wait_for(event)
    following = await resources.views.next_turn(event.task_id)
    return None if following is None else (await resources.tasks.at(following, event.sequence or 0)).state


async def _route_task(
    event: Event, state: TaskState, resources: Resources
) -> TaskRouted | NegotiationOpened | TaskFailed | None:
    task = state.task
    if task is None or task.summary is None or task.routed or task.status != "open":
        return None
    rewritten = await model_requests.with_complete_request(task, resources)
    if rewritten is None:
        return None
    task, usage = rewritten
    candidates = await applicants.all(resources.views, task.setting)
    evidence = await fitness.of(task, candidates, resources)
    close = routing.close_call(task, candidates, evidence)
    advised = await advice(task, [candidate for candidate in candidates if candidate.agent_id in close], resources)
    routed = routing.route(event, task, candidates, replace(evidence, advice=advised))
    if usage is None or isinstance(routed, TaskFailed):
        return routed
    return routed.model_copy(update={"usage": Usage.together([usage, routed.usage]) if routed.usage else usage})


@service.handles(TaskRouted, log_only=True)
async def assign(event: TaskRouted, resources: Resources) -> Sequence[TaskAssigned]:  # noqa: ARG001 - every handler has this form
    """Append one assignment for each agent that was chosen for a part of the task."""
    return routing.assignments(event)


@service.handles(TaskAnswered, log_only=True)
async def complete(
    event: TaskAnswered, resources: Resources
) -> TaskCompleted | ConsultationEnded | Sequence[RebuttalRequested] | None:
    """Complete the task when its last assignment is answered. If several agents answered as a panel, a model merges
    their answers, or the members are shown each other's answers first.

    The answer to a colleague's question goes back to the assignment that asked.
    """
    history = await resources.tasks.of(event)
    state = history.state
    if (ended := consultations.ended(event, state, event.assignment_id)) is not None:
        return ended
    if panel.voices_of(state) and history.newest[event.kind] != event.sequence:
        return None
    if rebuttals.wants_rebuttal(state):
        return rebuttals.requests(event, state)
    return await _complete_task(event, state, resources)


@service.handles(AnswerRevised, log_only=True)
async def merge_revised(event: AnswerRevised, resources: Resources) -> TaskCompleted | None:
    """Merge the answers of a panel when its last member has read the answers of the others."""
    state = await resources.tasks.state(event)
    return await _complete_task(event, state, resources) if rebuttals.is_last(event, state) else None


async def _complete_task(event: Event, state: TaskState, resources: Resources) -> TaskCompleted | None:
    heard = panel.voices_of(state)
    if heard is None or state.task is None:
        return fan_in.complete(event, state)
    reply = await model_requests.merge_answers(state.task, heard, resources)
    end = panel.concluded(event, state.task, heard, reply.value.text, reply.value.dissent, reply.usage)
    return end.model_copy(update={"answer": fan_in.with_notes(end.answer, state)})


@service.handles(ReactionFailed, log_only=True)
async def fail(
    event: ReactionFailed, resources: Resources
) -> TaskCompleted | TaskFailed | ConsultationEnded | AnswerRevised | None:
    """End a task after a service gave up one of its events: complete it if all its assignments are answered, or else
    fail it. A question to a colleague that cannot be answered does not fail the task, nor does a rebuttal.

    If the event was only to start the next task of the conversation, the next task is ended instead. Failures of
    services outside `ENDING`, and of earlier attempts at the task, are ignored.
    """
    held_up = event.service == service.name and event.cause_kind in {kind.kind_of() for kind in PASSING_ON}
    state = await _next_turn(event, resources) if held_up else await resources.tasks.state(event)
    if state is None or state.task is None or state.task.status in {"done", "failed"} or event.service not in ENDING:
        return None
    if not held_up and event.attempt != state.task.attempt:  # The failure belongs to an earlier attempt.
        return None
    ended = consultations.given_up(event, state) or rebuttals.given_up(event, state)
    if ended is not None:
        return ended
    reason = f"{event.service} could not handle {event.cause_kind}: {event.error}"
    return await _complete_task(event, state, resources) or routing.fail(event, state.task, reason)
