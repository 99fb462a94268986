"""Event handlers of the specialist, and the handler of recall queries."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

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
from nemuri_contracts.event import Event
from nemuri_contracts.memory_views import PrincipleView, RecalledMemory, RecallView
from nemuri_contracts.queries import HandoverPlanQuery, RecallQuery, Refusal
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import MemoriesRetrieved, MemoryEncoded
from nemuri_contracts.tasks import TaskAnswered, TaskAssigned
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.handed_over_memories import told_memories, view_of
from nemuri_domain.strength.ranking import context_principles, selected
from nemuri_domain.tasks import clarification, consultations
from nemuri_domain.tasks.aggregate import Assignment, Task
from nemuri_domain.tasks.read_share import taken
from nemuri_infra.bus.answer_drafts import draft_writer
from nemuri_infra.models.protocol import AnswerOutcome, Reply, ToolRequest
from nemuri_infra.projections.erasure import absent
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.specialist.answer_job import answer_job, missing_from
from nemuri_services.specialist.assignment_steps import (
    Situation,
    offer,
    shown_steps,
    situation,
    steps_before,
    take_step,
)
from nemuri_services.specialist.handover import handed_over, plan_handover
from nemuri_services.specialist.memory_sources import memory_sources, missing_successors
from nemuri_services.specialist.overview import overview_material
from nemuri_services.specialist.question_timers import expire_questions, set_timer
from nemuri_services.specialist.task_passages import cited_numbers, passages_for

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
minds = AgentIndexes()
knowledge = TopicCache()
Outcome = TaskAnswered | AssignmentStepped | ClarificationAsked
"""What follows a call of the answering model."""


@service.handles(TaskAssigned)
async def retrieve(event: TaskAssigned, resources: Resources) -> MemoriesRetrieved:
    """Retrieve the agent's memories for its part of the task.

    Raises LookupError if the agent or the task does not exist.
    """
    state = await resources.views.task(event.task_id)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or work is None:
        raise LookupError(f"{event.agent_id} was assigned to a task, but the task does not exist")
    return await _retrieved(event, state.task, work, resources)


@service.handles(ClarificationAsked)
async def wait_for_answer(event: ClarificationAsked, resources: Resources) -> None:
    """Set the timer of the agent's question, after which the agent goes on without an answer."""
    await resources.views.wait_for(event)  # whoever hears the timer reads the question from the projections
    state = await resources.views.task(event.task_id)
    if (known := clarification.waiting(state.task)) is not None:
        await set_timer(event.task_id, known, resources)


@service.handles(ClarificationAnswered, ClarificationExpired)
async def continue_after_question(
    event: ClarificationAnswered | ClarificationExpired, resources: Resources
) -> MemoriesRetrieved | ClarificationRefused | None:
    """Retrieve the agent's memories again, because its question was answered or has expired. The first of both counts.

    Refuse an answer of another client, and one that nobody waits for.
    """
    state = await resources.views.task(event.task_id)
    if state.task is None:
        return None
    if isinstance(event, ClarificationAnswered) and (refused := clarification.refuse(event, state.task)):
        return refused
    work = clarification.resumed(event, state)
    return None if work is None else await _retrieved(event, state.task, work, resources)


@service.handles(MemoriesRetrieved)
async def answer(event: MemoriesRetrieved, resources: Resources) -> Outcome | None:
    """Answer the agent's part of the task with a model, from the retrieved memories and from passages of the documents.
    A language model may take a step first. The model may also ask the client a question instead.

    Returns None if the outcome is recorded already.
    """
    done = clarification.steps_before(event, (await resources.views.task(event.task_id)).task)
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
    done = steps_before(event, await resources.views.task(event.task_id))
    return await _step_or_answer(event, await situation(event, event.assignment_id, done, resources), resources)


async def _consult(event: AssignmentStepped, resources: Resources) -> TaskAssigned | ConsultationEnded | None:
    state = await resources.views.task(event.task_id)
    work = state.assignments.get(event.assignment_id)
    colleague = await resources.views.agent(event.colleague or "", only_rules=True)
    if work is None:
        return None
    return consultations.assigned(event, work, colleague)


async def _step_or_answer(event: Event, now: Situation | None, resources: Resources) -> Outcome | None:
    """Ask the model once, and return its answer, the step that it takes, or its question to the client."""
    if now is None or now.state.task is None:
        return None
    task, retrieved, alone = now.state.task, now.retrieved, now.work.consulted_by is None
    question = now.state.question(now.work)
    stepped = {each for step in now.work.steps for each in step.memories}  # The steps show what they found themselves.
    known = await resources.views.memories_by_id(retrieved.in_context)
    shown = [known[each] for each in retrieved.in_context if each in known and each not in stepped]
    found = await passages_for(retrieved, now.agent, question, task, shown, resources) if alone else ()
    fetched = [each for each in found if each.detail not in now.details]
    now = replace(now, first=tuple(each.detail for each in fetched))
    labels = {f"m{number}": content.memory_id for number, (content, _) in enumerate(shown, 1)}
    newer = await missing_successors(shown, retrieved.setting, resources.views)
    memories = memory_sources(retrieved, now.agent, shown, newer)
    topics = await knowledge.topics(now.agent, task.setting, resources.views)
    contents = memo(topics, now.agent.rules.index_memo_tokens)
    share = taken(task.details, now.details) if alone else None
    offered = await offer(now, knowledge, resources)
    drafts = draft_writer(resources.log, event.task_id, now.work.assignment_id) if task.shows_drafts and alone else None
    steps, more = await shown_steps(now, resources, len(memories), len(fetched))
    minutes = clarification.minutes_to_wait(task, resources.settings.question_minutes) if alone else 0.0
    missing = await missing_from(task, resources.views) if minutes else None
    job = replace(
        answer_job(now, task, memories, fetched, steps, contents, share, missing, may_ask=minutes > 0),
        tools=offered.tools,
        colleagues=offered.colleagues,
        steps=steps,
        steps_left=now.steps_left if offered.tools else 0,
        on_text=drafts,
    )
    whole = await overview_material(question, now.state, resources) if alone else None
    model = resources.models.main
    reply: Reply[AnswerOutcome] = await (model.answer(job) if whole is None else model.overview(whole.job(job)))
    if isinstance(reply.value, ToolRequest):
        return await take_step(event, now, reply.value, reply.usage, minds, resources)
    if isinstance(reply.value, ClarificationRequest):
        until = await resources.clock.now() + timedelta(minutes=minutes)
        return clarification.asked(event, now.work, reply.value, until, reply.usage)
    labels |= more
    details = now.details if whole is None else whole.details(question, now.first)
    return TaskAnswered.following(
        event,
        agent_id=now.agent.agent_id,
        assignment_id=now.work.assignment_id,
        text=reply.value.text,
        citations=[labels[label] for label in reply.value.cited if label in labels],
        citations_complete=reply.value.complete,
        details=details,
        cited_details=cited_numbers(reply.value.cited, len(details)),
        signs=reply.value.signs,
        usage=reply.usage,
        overview=whole.overview if whole else None,
    )


@service.handles(HandoverRequested)
async def hand_over(event: HandoverRequested, resources: Resources) -> MemoriesHandedOver:
    """Choose the memories that one agent passes on to another."""
    return handed_over(event, await plan_handover(minds, event.agent_id, event.wish, resources))


@service.handles(MemoriesHandedOver)
async def encode_handed_over(event: MemoriesHandedOver, resources: Resources) -> Sequence[MemoryEncoded]:  # noqa: ARG001
    """Encode each memory that another agent passed on."""
    return told_memories(event)


@service.answers(HandoverPlanQuery)
async def handover_plan(query: HandoverPlanQuery, resources: Resources) -> HandoverView | Refusal:
    """Return the memories that one agent would pass on to another. No event is recorded."""
    plan = await plan_handover(minds, query.agent_id, query.wish, resources)
    return Refusal(refused=plan.refused) if plan.refused else view_of(query.wish.source, query.agent_id, plan)


@service.answers(RecallQuery)
async def recall(query: RecallQuery, resources: Resources) -> RecallView | Refusal:
    """Return the memories that the agent would get for a query. No event is recorded.

    Refuse if the agent is unknown, has no strength memory, or does not have the query's perspective.
    """
    agent = await resources.views.agent(query.agent_id)
    if agent is None:
        return Refusal(refused=await absent(resources.database, "agent", query.agent_id))
    if agent.definition.memory != "strength":
        return Refusal(refused=not_by_use(query.agent_id, agent.definition.memory))
    if query.perspective not in {None, *agent.definition.perspective_names}:
        known = ", ".join(agent.definition.perspective_names)
        return Refusal(refused=f"{query.agent_id} has no perspective {query.perspective!r}; it has {known}")
    found = await minds.recall(
        resources, agent, query.query, perspective=query.perspective, setting=query.setting, deep=query.deep
    )
    best = selected(found.candidates, agent.rules, top=query.top, seed=0).memory_ids
    by_id = {each.memory_id: each for each in found.candidates}
    memories = tuple(
        RecalledMemory(candidate=by_id[memory_id], memory=found.known[memory_id][0].memory) for memory_id in best
    )
    held = {content.memory_id: content.memory for content, _ in found.principles}
    principles = tuple(
        PrincipleView(memory_id=each, memory=held[each]) for each in context_principles(agent, found.principles)
    )
    return RecallView(ranking=found.ranking, memories=memories, deep=found.deep, principles=principles)


async def _retrieved(event: Event, task: Task, work: Assignment, resources: Resources) -> MemoriesRetrieved:
    """Return the retrieval for an assignment. Its id is derived from the assignment and the state of its question."""
    agent = await resources.views.agent(work.agent_id, only_rules=True)
    if agent is None:
        raise LookupError(f"{work.agent_id} was assigned to a task, but the agent does not exist")
    query = clarification.query(task, work)
    found = await minds.recall(
        resources,
        agent,
        query,
        perspective=work.perspective,
        setting=task.setting,
        deep=task.deep,
        now=event.recorded_at,
        summary=task.background if work.question is None else None,
    )
    kept = context_principles(agent, found.principles)
    seed = work.assignment_id.int % 2**32
    chosen = selected(found.candidates, agent.rules, top=None, seed=seed, apart=kept, items=found.items)
    return MemoriesRetrieved.following(
        event,
        key=clarification.retrieval_key(task, work),
        agent_id=work.agent_id,
        assignment_id=work.assignment_id,
        query=query,
        terms=found.terms,
        expansions=found.expansions,
        vector=resources.vectors.with_embedder_of(agent.embedding).key(query),
        perspective=work.perspective,
        setting=task.setting,
        seed=seed,
        ranking=found.ranking,
        candidates=found.candidates,
        selected=chosen.memory_ids,
        crowded=chosen.crowded,
        principles=kept,
        deep=found.deep,
    )
