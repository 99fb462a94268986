"""Event handlers of the specialist, and the handler of recall queries."""

from collections.abc import Sequence
from dataclasses import replace

from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.colleagues import HandoverRequested, MemoriesHandedOver
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.event import Event
from nemuri_contracts.memory_views import PrincipleView, RecalledMemory, RecallView
from nemuri_contracts.queries import HandoverPlanQuery, RecallQuery, Refusal
from nemuri_contracts.rebuttals import AnswerRevised, RebuttalRequested
from nemuri_contracts.steps import AssignmentStepped, ConsultationEnded
from nemuri_contracts.strength import MemoriesRetrieved, MemoryEncoded
from nemuri_contracts.tasks import TaskAnswered, TaskAssigned
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.handed_over_memories import told_memories, view_of
from nemuri_domain.strength.ranking import context_principles, selected
from nemuri_domain.tasks import consultations
from nemuri_domain.tasks.aggregate import Assignment
from nemuri_domain.tasks.read_share import Share, taken
from nemuri_infra.bus.answer_drafts import draft_writer
from nemuri_infra.models.protocol import AnswerJob, Source, ToolRequest
from nemuri_infra.projections.erasure import absent
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
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
from nemuri_services.specialist.rebuttal import rebut
from nemuri_services.specialist.task_passages import cited_numbers, detail_sources, outline, passages_for

service = Service(
    "specialist",
    concurrency=8,
    lag_per_replica=20,
    capabilities=frozenset({Capability.READS_INPUTS, Capability.MAKES_VECTORS, Capability.SENDS_DRAFTS}),
)
minds = AgentIndexes()
knowledge = TopicCache()


@service.handles(TaskAssigned)
async def retrieve(event: TaskAssigned, resources: Resources) -> MemoriesRetrieved | None:
    """Retrieve the agent's memories for its part of the task.

    Raises LookupError if the agent or the task does not exist.
    """
    state = await resources.views.task(event.task_id)
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    if state.task is None or agent is None:
        raise LookupError(f"{event.agent_id} was assigned to a task, but the agent or the task does not exist")
    query = event.question or state.task.part(event.part).text
    found = await minds.recall(
        resources,
        agent,
        query,
        perspective=event.perspective,
        setting=state.task.setting,
        deep=state.task.deep,
        now=event.recorded_at,
        summary=state.task.background if event.question is None else None,
    )
    kept = context_principles(agent, found.principles)
    seed = event.assignment_id.int % 2**32
    chosen = selected(found.candidates, agent.rules, top=None, seed=seed, apart=kept, items=found.items)
    return MemoriesRetrieved.following(
        event,
        agent_id=event.agent_id,
        assignment_id=event.assignment_id,
        query=query,
        terms=found.terms,
        expansions=found.expansions,
        vector=resources.vectors.with_embedder_of(agent.embedding).key(query),
        perspective=event.perspective,
        setting=state.task.setting,
        seed=seed,
        ranking=found.ranking,
        candidates=found.candidates,
        selected=chosen.memory_ids,
        crowded=chosen.crowded,
        principles=kept,
        deep=found.deep,
    )


@service.handles(MemoriesRetrieved)
async def answer(event: MemoriesRetrieved, resources: Resources) -> TaskAnswered | AssignmentStepped | None:
    """Answer the agent's part of the task with a model, from the retrieved memories and from passages of the documents.
    A language model may take a step first.

    Returns None if the outcome is recorded already.
    """
    return await _step_or_answer(event, await situation(event, event.assignment_id, 0, resources), resources)


@service.handles(AssignmentStepped)
async def continue_after_step(
    event: AssignmentStepped, resources: Resources
) -> TaskAnswered | AssignmentStepped | TaskAssigned | ConsultationEnded | None:
    """Take the next step of an assignment, or answer. If the step asks a colleague, assign the question to it."""
    if event.tool == "consult" and not event.problem:
        return await _consult(event, resources)
    return await _step_or_answer(event, await situation(event, event.assignment_id, event.number, resources), resources)


@service.handles(ConsultationEnded)
async def continue_after_consultation(
    event: ConsultationEnded, resources: Resources
) -> TaskAnswered | AssignmentStepped | None:
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


async def _step_or_answer(
    event: Event, now: Situation | None, resources: Resources
) -> TaskAnswered | AssignmentStepped | None:
    """Ask the model once, and return its answer or the step that it takes."""
    if now is None or now.state.task is None:
        return None
    task, retrieved = now.state.task, now.retrieved
    question = now.state.question(now.work)
    known = await resources.views.memories_by_id(retrieved.in_context)
    shown = [known[each] for each in retrieved.in_context if each in known]
    asks_itself = now.work.consulted_by is None
    fetched = await passages_for(retrieved, now.agent, question, task, shown, resources) if asks_itself else ()
    now = replace(now, first=tuple(each.detail for each in fetched))
    labels = {f"m{number}": content.memory_id for number, (content, _) in enumerate(shown, 1)}
    newer = await missing_successors(shown, retrieved.setting, resources.views)
    memories = memory_sources(retrieved, now.agent, shown, newer)
    topics = await knowledge.topics(now.agent, task.setting, resources.views)
    contents = memo(topics, now.agent.rules.index_memo_tokens)
    share = taken(task.details, now.details) if asks_itself else None
    offered = await offer(now, knowledge, resources)
    shows = task.shows_drafts and asks_itself
    drafts = draft_writer(resources.log, event.task_id, now.work.assignment_id) if shows else None
    steps, more = await shown_steps(now, resources, len(memories), len(fetched))
    job = replace(
        _job(now.agent, now.work, question, memories, detail_sources(fetched), contents, share, outline(task)),
        tools=offered.tools,
        colleagues=offered.colleagues,
        steps=steps,
        steps_left=now.steps_left if offered.tools else 0,
        on_text=drafts,
    )
    whole = await overview_material(question, now.state, resources) if asks_itself else None
    model = resources.models.main
    reply = await (model.answer(job) if whole is None else model.overview(whole.job(job)))
    if isinstance(reply.value, ToolRequest):
        return await take_step(event, now, reply.value, reply.usage, minds, resources)
    labels |= more
    return TaskAnswered.following(
        event,
        agent_id=now.agent.agent_id,
        assignment_id=now.work.assignment_id,
        text=reply.value.text,
        citations=[labels[label] for label in reply.value.cited if label in labels],
        citations_complete=reply.value.complete,
        details=now.details if whole is None else whole.details(question, now.first),
        cited_details=cited_numbers(reply.value.cited),
        usage=reply.usage,
        overview=whole.overview if whole else None,
    )


@service.handles(RebuttalRequested)
async def rebut_others(event: RebuttalRequested, resources: Resources) -> AnswerRevised | None:
    """Let a member of a panel read the answers of the others, and revise its own or stand by it."""
    return await rebut(event, await resources.views.task(event.task_id), resources)


@service.handles(HandoverRequested)
async def hand_over(event: HandoverRequested, resources: Resources) -> MemoriesHandedOver | None:
    """Choose the memories that one agent passes on to another. Returns None if they are chosen already."""
    if await resources.views.decided(event, MemoriesHandedOver):
        return None
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


def _job(
    agent: Agent,
    work: Assignment,
    question: str,
    memories: Sequence[Source],
    details: Sequence[Source],
    contents: str,
    share: Share | None,
    known: str,
) -> AnswerJob:
    return AnswerJob(
        role=agent.definition.role,
        system_prompt=agent.definition.system_prompt,
        perspective=work.perspective,
        question=question,
        memories=tuple(memories),
        details=tuple(details),
        memo=contents,
        outline=known,
        share=share,
    )
