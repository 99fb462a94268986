"""Event handlers of the specialist, and the handler of recall queries."""

from collections.abc import Sequence
from dataclasses import replace

from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.memory_views import PrincipleView, RecalledMemory, RecallView
from nemuri_contracts.queries import RecallQuery, Refusal
from nemuri_contracts.strength import MemoriesRetrieved
from nemuri_contracts.tasks import Part, TaskAnswered, TaskAssigned
from nemuri_domain.strength.agent_topics import memo
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.ranking import context_principles, selected
from nemuri_domain.tasks.aggregate import Assignment
from nemuri_domain.tasks.read_share import Share, taken
from nemuri_infra.bus.answer_drafts import draft_writer
from nemuri_infra.models.protocol import AnswerJob, Source
from nemuri_infra.projections.erasure import absent
from nemuri_infra.retrieval.agent_indexes import AgentIndexes
from nemuri_infra.retrieval.topic_cache import TopicCache
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.specialist.memory_sources import memory_sources, missing_successors
from nemuri_services.specialist.organisation_principles import organisation_principles
from nemuri_services.specialist.overview import overview_material
from nemuri_services.specialist.task_passages import cited_numbers, detail_sources, passages_for

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
    query = state.task.part(event.part).text
    found = await minds.recall(
        resources,
        agent,
        query,
        perspective=event.perspective,
        setting=state.task.setting,
        deep=state.task.deep,
        now=event.recorded_at,
        summary=state.task.background,
    )
    shared = await organisation_principles(state.task.setting, resources.views)
    kept = context_principles(agent, found.principles, [content.memory_id for content, _ in shared])
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
async def answer(event: MemoriesRetrieved, resources: Resources) -> TaskAnswered | None:
    """Answer the agent's part of the task with a model, from the retrieved memories and from passages of the documents.

    Returns None if the assignment is answered already.
    """
    state, agent = await resources.views.task(event.task_id), await resources.views.agent(event.agent_id)
    work = state.assignments.get(event.assignment_id)
    if state.task is None or agent is None or work is None or work.answer is not None:
        return None
    part = state.task.part(work.part)
    known = await resources.views.memories_by_id(event.in_context)
    shown = [known[each] for each in event.in_context if each in known]
    fetched = await passages_for(event, agent, part.text, state.task, shown, resources)
    labels = {f"m{number}": content.memory_id for number, (content, _) in enumerate(shown, 1)}
    newer = await missing_successors(shown, event.setting, resources.views)
    memories = memory_sources(event, agent, shown, newer)
    contents = memo(await knowledge.topics(agent, state.task.setting, resources.views), agent.rules.index_memo_tokens)
    share = taken(state.task.details, [each.detail for each in fetched])
    sources = detail_sources(fetched)
    drafts = draft_writer(resources.log, event.task_id, event.assignment_id) if state.task.shows_drafts else None
    job = replace(_job(agent, work, part, memories, sources, contents, share), on_text=drafts)
    read, model = [each.detail for each in fetched], resources.models.main
    whole = await overview_material(part.text, state, resources)
    reply = await (model.answer(job) if whole is None else model.overview(whole.job(job)))
    return TaskAnswered.following(
        event,
        assignment_id=event.assignment_id,
        text=reply.value.text,
        citations=[labels[label] for label in reply.value.cited if label in labels],
        citations_complete=reply.value.complete,
        details=read if whole is None else whole.details(part.text, read),
        cited_details=cited_numbers(reply.value.cited),
        usage=reply.usage,
        overview=whole.overview if whole else None,
    )


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
    shared = await organisation_principles(query.setting, resources.views)
    held = {content.memory_id: content.memory for content, _ in (*shared, *found.principles)}
    kept = context_principles(agent, found.principles, [content.memory_id for content, _ in shared])
    principles = tuple(PrincipleView(memory_id=each, memory=held[each]) for each in kept)
    return RecallView(ranking=found.ranking, memories=memories, deep=found.deep, principles=principles)


def _job(
    agent: Agent,
    work: Assignment,
    part: Part,
    memories: Sequence[Source],
    details: Sequence[Source],
    contents: str,
    share: Share | None,
) -> AnswerJob:
    return AnswerJob(
        role=agent.definition.role,
        system_prompt=agent.definition.system_prompt,
        perspective=work.perspective,
        question=part.text,
        memories=tuple(memories),
        details=tuple(details),
        memo=contents,
        share=share,
    )
