"""Event handlers of the specialist, and the handler of recall queries."""

from collections.abc import Sequence
from datetime import timedelta
from typing import assert_never

from nemuri_contracts.clarifications import (
    ClarificationAnswered,
    ClarificationAsked,
    ClarificationExpired,
    ClarificationRefused,
    ClarificationRequest,
)
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverRequested, MemoriesHandedOver
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import Event, Usage
from nemuri_contracts.memory_views import NearestMemory, PrincipleView, RecalledMemory, RecallView
from nemuri_contracts.queries import HandoverPlanQuery, RecallQuery, Refusal
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import MemoriesRetrieved, MemoryEncoded
from nemuri_contracts.tasks import TaskAnswered, TaskAssigned
from nemuri_domain.strength.context_principles import context_principles
from nemuri_domain.strength.handed_over_memories import told_memories, view_of
from nemuri_domain.strength.ranking import selected
from nemuri_domain.tasks import clarification, consultations
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.jobs.answer_tools import ToolRequest
from nemuri_infra.retrieval.strength_recall import recall_memories
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.specialist.answer_job import AnswerCall, answer_call
from nemuri_services.specialist.assignment_retrieval import retrieved
from nemuri_services.specialist.assignment_steps import (
    Situation,
    situation,
    steps_before,
    take_step,
)
from nemuri_services.specialist.handover import handed_over, plan_handover
from nemuri_services.specialist.organisation_principles import organisation_principles
from nemuri_services.specialist.question_timers import expire_questions, set_timer
from nemuri_services.specialist.rebuttal import rebut
from nemuri_services.specialist.task_passages import cited_numbers

service = Service(
    "specialist",
    concurrency=8,
    lag_per_replica=20,
    background=expire_questions,
    also_emits=(ClarificationExpired,),
    capabilities=frozenset(
        {
            Capability.READS_INPUTS,
            Capability.MAKES_VECTORS,
            Capability.SENDS_DRAFTS,
            Capability.READS_CLOCK,
            Capability.SETS_TIMERS,
        }
    ),
)
knowledge = TopicCache()
Outcome = TaskAnswered | AssignmentStepped | ClarificationAsked
"""The possible outcomes of a call of the answering model."""


@service.handles(TaskAssigned)
async def retrieve(event: TaskAssigned, resources: Resources) -> MemoriesRetrieved:
    """Retrieve the agent's memories for its part of the task.

    Raises LookupError if the agent or the task does not exist.
    """
    state = await resources.tasks.state(event)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or work is None:
        raise LookupError(f"{event.agent_id} was assigned to a task, but the task does not exist")
    return await retrieved(event, state.task, work, resources)


@service.handles(ClarificationAsked)
async def wait_for_answer(event: ClarificationAsked, resources: Resources) -> None:
    """Set the timer of the agent's question, after which the agent goes on without an answer. The projections contain
    the question by then, for whoever hears the timer.
    """
    state = await resources.tasks.state(event)
    if (known := clarification.waiting(state.task)) is not None:
        await set_timer(event.task_id, known, resources)


@service.handles(ClarificationAnswered, ClarificationExpired)
async def continue_after_question(
    event: ClarificationAnswered | ClarificationExpired, resources: Resources
) -> MemoriesRetrieved | ClarificationRefused | None:
    """Retrieve the agent's memories again, because its question was answered or has expired. The first of both counts.

    Refuse an answer of another client, and one that nobody waits for.
    """
    state = await resources.tasks.state(event)
    if state.task is None:
        return None
    if isinstance(event, ClarificationAnswered) and (refused := clarification.refuse(event, state.task)):
        return refused
    work = clarification.resumed(event, state)
    return None if work is None else await retrieved(event, state.task, work, resources)


@service.handles(MemoriesRetrieved)
async def answer(event: MemoriesRetrieved, resources: Resources) -> Outcome | None:
    """Answer the agent's part of the task with a model, from the retrieved memories and from passages of the documents.
    A language model may take a step first. The model may also ask the client a question instead.

    Returns None if the outcome is recorded already.
    """
    done = clarification.steps_before(event, (await resources.tasks.state(event)).task)
    return await _step_or_answer(event, await situation(event, event.assignment_id, done, resources), resources)


@service.handles(AssignmentStepped)
async def continue_after_step(
    event: AssignmentStepped, resources: Resources
) -> Outcome | TaskAssigned | ConsultationEnded | None:
    """Take the next step of an assignment, or answer. If the step asks a colleague, assign the question to it."""
    if event.tool == "consult" and not event.problem:
        return await _consult(event, resources)
    return await _step_or_answer(event, await situation(event, event.assignment_id, event.number, resources), resources)


@service.handles(ConsultationEnded)
async def continue_after_consultation(event: ConsultationEnded, resources: Resources) -> Outcome | None:
    """Take the next step of the assignment that asked a colleague, or answer."""
    done = steps_before(event, await resources.tasks.state(event))
    return await _step_or_answer(event, await situation(event, event.assignment_id, done, resources), resources)


async def _consult(event: AssignmentStepped, resources: Resources) -> TaskAssigned | ConsultationEnded | None:
    state = await resources.tasks.state(event)
    work = state.assignments.get(event.assignment_id)
    colleague = await resources.views.agent(event.colleague or "")
    if work is None or state.task is None:
        return None
    known = await knowledge.of(colleague, state.task.setting, resources.views) if colleague else None
    return consultations.assigned(event, work, colleague, known.perspectives if known else {})


async def _step_or_answer(event: Event, now: Situation | None, resources: Resources) -> Outcome | None:
    """Ask the model once, and return its answer, the step that it takes, or its question to the client."""
    if now is None or now.state.task is None:
        return None
    call = await answer_call(event, now, now.state.task, knowledge, resources)
    reply = await call.reply(resources.models)
    match reply.value:
        case ToolRequest():
            return await take_step(event, call.now, reply.value, reply.usage, resources)
        case ClarificationRequest():
            until = await resources.clock.now() + timedelta(minutes=call.minutes)
            return clarification.asked(event, now.work, reply.value, until, reply.usage)
        case Answer():
            return _answered(event, call, reply.value, reply.usage)
        case _:
            assert_never(reply.value)


def _answered(event: Event, call: AnswerCall, said: Answer, usage: Usage) -> TaskAnswered:
    return TaskAnswered.following(
        event,
        agent_id=call.now.agent.agent_id,
        assignment_id=call.now.work.assignment_id,
        text=said.text,
        citations=[call.labels[label] for label in said.cited if label in call.labels],
        citations_complete=said.complete,
        details=call.details,
        cited_details=cited_numbers(said.cited, len(call.details)),
        signs=said.signs,
        usage=usage,
        overview=call.whole.overview if call.whole else None,
    )


@service.handles(RebuttalRequested)
async def rebut_others(event: RebuttalRequested, resources: Resources) -> AnswerRevised | None:
    """Let a member of a panel read the answers of the others, and revise its own or stand by it."""
    return await rebut(event, await resources.tasks.state(event), resources)


@service.handles(HandoverRequested)
async def hand_over(event: HandoverRequested, resources: Resources) -> MemoriesHandedOver | None:
    """Choose the memories that one agent passes on to another. Returns None if they are chosen already."""
    if await resources.views.decided(event, MemoriesHandedOver):
        return None
    return handed_over(event, await plan_handover(event.agent_id, event.wish, resources))


@service.handles(MemoriesHandedOver, log_only=True)
async def encode_handed_over(event: MemoriesHandedOver, resources: Resources) -> Sequence[MemoryEncoded]:  # noqa: ARG001
    """Encode each memory that another agent passed on."""
    return told_memories(event)


@service.answers(HandoverPlanQuery)
async def handover_plan(query: HandoverPlanQuery, resources: Resources) -> HandoverView | Refusal:
    """Return the memories that one agent would pass on to another. No event is recorded."""
    plan = await plan_handover(query.agent_id, query.wish, resources)
    return Refusal(refused=plan.refused) if plan.refused else view_of(query.wish.source, query.agent_id, plan)


@service.answers(RecallQuery)
async def recall(query: RecallQuery, resources: Resources) -> RecallView | Refusal:
    """Return the memories that the agent would get for a query. No event is recorded.

    Refuse if the agent is unknown, has no strength memory, or does not have the query's perspective.
    """
    agent = await resources.views.agent(query.agent_id)
    if agent is None:
        return Refusal(refused=await resources.views.absent("agent", query.agent_id), missing=True)
    if agent.definition.memory != "strength":
        return Refusal(refused=not_by_use(query.agent_id, agent.definition.memory))
    if query.perspective not in {None, *agent.definition.perspective_names}:
        known = ", ".join(agent.definition.perspective_names)
        return Refusal(refused=f"{query.agent_id} has no perspective {query.perspective!r}; it has {known}")
    found = await recall_memories(
        resources,
        agent,
        query.query,
        perspective=query.perspective,
        setting=query.setting,
        deep=query.deep,
        at=query.at,
        wanted=query,
    )
    best = selected(found.candidates, agent.rules, top=query.top, seed=0).memory_ids
    by_id = {candidate.memory_id: candidate for candidate in found.candidates}
    shared = await organisation_principles(query.setting, resources.views)
    kept = context_principles(agent, found.principles, [content.memory_id for content, _ in shared])
    near = [found.nearest[0]] if found.nearest else []
    contents = await resources.views.memories_by_id({*best, *near, *(found.principles.keys() & kept)})
    told = {content.memory_id: content.memory for content, _ in (*shared, *contents.values())}
    memories = tuple(
        RecalledMemory(candidate=by_id[best_id], memory=told[best_id]) for best_id in best if best_id in told
    )
    principles = tuple(PrincipleView(memory_id=kept_id, memory=told[kept_id]) for kept_id in kept if kept_id in told)
    nearest = None
    if found.nearest is not None and found.nearest[0] in told and not memories:
        memory_id, relevance = found.nearest
        nearest = NearestMemory(memory_id=memory_id, memory=told[memory_id], relevance=relevance)
    return RecallView(ranking=found.ranking, memories=memories, nearest=nearest, deep=found.deep, principles=principles)
