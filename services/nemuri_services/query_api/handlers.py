"""Event handlers that publish the states of tasks to clients, and query handlers that read the projections."""

import asyncio
from collections.abc import Sequence
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR, ORGANISATION, RESERVED_AGENTS
from nemuri_contracts.clarifications import ClarificationAsked
from nemuri_contracts.codec import digest
from nemuri_contracts.colleague_views import HandoverView
from nemuri_contracts.conversation_views import ConversationView
from nemuri_contracts.error_messages import not_by_use
from nemuri_contracts.explanation_views import RoutingView, WhyView
from nemuri_contracts.health_views import HealthView
from nemuri_contracts.journal_views import JournalView
from nemuri_contracts.memory_views import (
    AgentsView,
    EventView,
    IdView,
    KeywordsView,
    MemoriesView,
    MemoryView,
    MemoView,
    ProfileView,
    RememberedView,
    StatusView,
)
from nemuri_contracts.queries import (
    AgentsQuery,
    ConversationQuery,
    EventQuery,
    FeedbackQuery,
    HandoverQuery,
    HealthQuery,
    IdQuery,
    JournalQuery,
    KeywordsQuery,
    MemoQuery,
    MemoriesQuery,
    MemoryQuery,
    ProfileQuery,
    Refusal,
    RememberedQuery,
    RoutingQuery,
    ScorerQuery,
    StatusQuery,
    TaskQuery,
    TasksQuery,
    WhyQuery,
)
from nemuri_contracts.scorers import ScorerView
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.task_list_views import TasksView
from nemuri_contracts.task_views import FeedbackStanding, TaskResult
from nemuri_contracts.tasks import NegotiationOpened, TaskCompleted, TaskFailed
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_domain.strength.training_samples import MAX_ASSIGNMENTS
from nemuri_infra.projections.id_lookup import find_by_prefix
from nemuri_infra.projections.learning_queries import count_samples
from nemuri_infra.runtime.fair_turns import slot_released
from nemuri_infra.runtime.readiness import halted_reason
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_infra.stores.calibration_view import calibration_view
from nemuri_infra.stores.results import shortened_result
from nemuri_services.query_api.conversations import conversation_view
from nemuri_services.query_api.explanations import LostError, explanation, routing
from nemuri_services.query_api.handover_outcome import handover_outcome
from nemuri_services.query_api.health import health_of, memo_of
from nemuri_services.query_api.keyword_proposals import keywords_of
from nemuri_services.query_api.offer_outcomes import OUTCOMES, OfferOutcomes
from nemuri_services.query_api.presenters import (
    agent_view,
    feedback_of,
    memory_view,
    page,
    result_of,
    source_memory,
)
from nemuri_services.query_api.profiles import profile_of
from nemuri_services.query_api.scorers import scorer_view

LONGEST_WAIT = 2.0
"""Maximum seconds that a query waits for an outcome that is not decided yet."""

service = Service(
    "query-api",
    concurrency=16,
    lag_per_replica=100,
    capabilities=frozenset({Capability.TELLS_RESULTS, Capability.READS_VECTORS}),
)


@service.handles(TaskCompleted, TaskFailed, NegotiationOpened, ClarificationAsked, SessionEnded)
async def publish_state(
    event: TaskCompleted | TaskFailed | NegotiationOpened | ClarificationAsked | SessionEnded, resources: Resources
) -> None:
    """Publish the state of the task to clients that wait for it. Nothing is published while the task is open.

    The projections contain the event by then, so whoever hears of the state can query it.
    """
    task_id = event.thread
    if task_id is None or event.agent_id == ORCHESTRATOR:  # its sessions are no part of a task's state
        return

    async def standing() -> TaskResult | None:
        history = await resources.tasks.at(task_id, resources.views.progress.sequence)
        result = result_of(history.state)
        return None if result is None or result.status == "open" else result

    await resources.results.publish(task_id, standing)


@service.answers(TaskQuery)
async def task(query: TaskQuery, resources: Resources) -> TaskResult | Refusal:
    """Return the state of a task, shortened if it exceeds the server's message limit."""
    known = result_of(await resources.views.task(query.task_id))
    if known is None:
        return await _not_found("task", query.task_id, resources)
    return shortened_result(known, resources.log.max_event_bytes)


@service.answers(FeedbackQuery)
async def feedback(query: FeedbackQuery, resources: Resources) -> FeedbackStanding | Refusal:
    """Return the outcome of a client's feedback.

    If it is not decided yet, wait for it, at most `LONGEST_WAIT` seconds.
    """
    until = asyncio.get_running_loop().time() + LONGEST_WAIT
    while True:
        here = resources.views.progress.sequence
        known = {standing.feedback_id: standing for standing in feedback_of(await resources.views.task(query.task_id))}
        said = known.get(query.feedback_id)
        if said is None:
            if await resources.views.erased_of([query.task_id]):
                return await _not_found("task", query.task_id, resources)
            return Refusal(refused=f"there is no feedback {query.feedback_id} on task {query.task_id}", missing=True)
        left = until - asyncio.get_running_loop().time()
        if said.decided or left <= 0 or not await _wait_for_progress(here, left, resources):
            return said


@service.answers(EventQuery)
async def event(query: EventQuery, resources: Resources) -> EventView:
    """Return the sequence and the digest of the first event with this id; an empty view if there is none."""
    sequence = await resources.views.sequence_of(query.event_id)
    first = None if sequence is None else await resources.log.at(sequence)
    if first is not None:
        return EventView(sequence=sequence, digest=digest(first))
    if sequence is not None or await resources.views.erased_of([query.event_id]):
        return EventView(erased=True)
    return EventView()


@service.answers(IdQuery)
async def complete_id(query: IdQuery, resources: Resources) -> IdView | Refusal:
    """Return the only id that begins with the given digits. Refuse if no id or several ids do."""
    first, number = await find_by_prefix(resources.database, query.of, query.beginning)
    if first is None:
        return Refusal(refused=f"there is no {query.of} whose id begins with {query.beginning}")
    if number > 1:
        return Refusal(refused=f"{query.of} {query.beginning} matches {number}; give more of its id")
    return IdView(found=first)


@service.answers(WhyQuery)
async def explain_retrieval(query: WhyQuery, resources: Resources) -> WhyView | Refusal:
    """Return the explanation of one retrieval for a task.

    Refuse if the task or an event that is needed does not exist.
    """
    state = await resources.views.task(query.task_id)
    if state.task is None:
        return await _not_found("task", query.task_id, resources)
    try:
        return await explanation(state, query.task_id, query.number, resources)
    except LostError as error:
        return Refusal(refused=str(error))


@service.answers(RoutingQuery)
async def explain_routing(query: RoutingQuery, resources: Resources) -> RoutingView | Refusal:
    """Return the explanation of a task's routing. Refuse if the task or its routing event does not exist."""
    if (await resources.views.task(query.task_id)).task is None:
        return await _not_found("task", query.task_id, resources)
    try:
        return await routing(query.task_id, resources)
    except LostError as error:
        return Refusal(refused=str(error))


@service.answers(AgentsQuery)
async def agents(query: AgentsQuery, resources: Resources) -> AgentsView | Refusal:
    """Return all agents, or the one that the query names. The orchestrator and the organisation are included only on
    request.
    """
    if query.agent_id is None:
        found = await resources.views.agents.read()
    elif (agent := await resources.views.agent(query.agent_id)) is not None:
        found = [agent]
    else:
        return await _unknown_agent(query.agent_id, resources)
    hidden = RESERVED_AGENTS - {query.agent_id}
    hidden -= {ORCHESTRATOR} if query.orchestrator else set()
    hidden -= {ORGANISATION} if query.organisation else set()
    listed = [definition for definition in found if definition.agent_id not in hidden]
    return AgentsView(agents=tuple(agent_view(definition) for definition in listed))


@service.answers(MemoriesQuery)
async def memories(query: MemoriesQuery, resources: Resources) -> MemoriesView | Refusal:
    """Return a page of an agent's memories. Refuse if the agent has no strength memory."""
    agent = await _strength_agent(query.agent_id, resources)
    if isinstance(agent, Refusal):
        return agent
    found = await resources.views.memory_page(agent, query)
    views = await _memory_views(agent, found.memories, resources)
    return page(views, found, resources.log.max_event_bytes)


@service.answers(TasksQuery)
async def tasks(query: TasksQuery, resources: Resources) -> TasksView:
    """Return a page of tasks, the ones submitted last first."""
    return await resources.views.task_page(query)


@service.answers(JournalQuery)
async def journal(query: JournalQuery, resources: Resources) -> JournalView:
    """Return the positions of events in the log, by their task, their agent or their ids."""
    return await resources.views.journal_page(query)


@service.answers(MemoryQuery)
async def memory(query: MemoryQuery, resources: Resources) -> MemoryView | Refusal:
    """Return one strength memory by its id."""
    found = (await resources.views.memories_by_id([query.memory_id])).get(query.memory_id)
    agent = await resources.views.agent(found[0].agent_id) if found else None
    if found is None or agent is None:
        return await _not_found("memory", query.memory_id, resources)
    view = (await _memory_views(agent, [found], resources))[0]
    sources = await resources.views.sources_of(query.memory_id)
    return view.model_copy(update={"sources": tuple(source_memory(*source) for source in sources)})


async def _memory_views(agent: Agent, found: Sequence[Remembered], resources: Resources) -> list[MemoryView]:
    """Return the views of memories, each with the time of its last change."""
    times = await resources.views.recorded_at(agent.agent_id, {memory.changed for _, memory in found})
    return [memory_view(agent, content, memory, times.get(memory.changed)) for content, memory in found]


@service.answers(RememberedQuery)
async def offer_outcomes(query: RememberedQuery, resources: Resources) -> RememberedView | Refusal:
    """Return the offered memories that are undecided or refused. If some are undecided, wait, at most `LONGEST_WAIT`
    seconds.
    """
    # The organisation exists from the first decision about its principles on.
    there = query.agent_id == ORGANISATION or await resources.views.agent(query.agent_id, only_rules=True)
    if not there:
        return await _unknown_agent(query.agent_id, resources)
    outcomes, until = OfferOutcomes.of(query.offers), asyncio.get_running_loop().time() + LONGEST_WAIT
    decided = query.offered_at
    while True:
        here, changes = resources.views.progress.sequence, resources.views.progress.changes
        if not decided or changes.excluded > decided or changes.changed(query.agent_id, decided, OUTCOMES):
            await outcomes.update(resources)
            decided = query.offered_at and here
        left = until - asyncio.get_running_loop().time()
        if not outcomes.pending or left <= 0 or not await _wait_for_progress(here, left, resources):
            return await outcomes.view(resources)


@service.answers(ConversationQuery)
async def conversation(query: ConversationQuery, resources: Resources) -> ConversationView | Refusal:
    """Return what is known of a conversation. If facts of the wanted stretches are no memories yet, wait, at most
    `LONGEST_WAIT` seconds.
    """
    if not await resources.views.agent(query.agent_id, only_rules=True):
        return await _unknown_agent(query.agent_id, resources)
    until = asyncio.get_running_loop().time() + LONGEST_WAIT
    while True:
        here = resources.views.progress.sequence
        found = await conversation_view(query, resources)
        left = until - asyncio.get_running_loop().time()
        if not found.pending or left <= 0 or not await _wait_for_progress(here, left, resources):
            return found


@service.answers(HandoverQuery)
async def handover(query: HandoverQuery, resources: Resources) -> HandoverView | Refusal:
    """Return the outcome of a requested handover.

    If the receiver cannot recall all of the memories yet, wait for it, at most `LONGEST_WAIT` seconds.
    """
    until = asyncio.get_running_loop().time() + LONGEST_WAIT
    while True:
        here = resources.views.progress.sequence
        found = await handover_outcome(query, resources)
        left = until - asyncio.get_running_loop().time()
        if isinstance(found, Refusal) or not found.pending or left <= 0:
            return found
        if not await _wait_for_progress(here, left, resources):
            return found


async def _wait_for_progress(beyond: int, seconds: float, resources: Resources) -> bool:
    """Wait at most `seconds` until the projections go beyond the sequence `beyond`. Return True if they do.

    The query's slot is released during the wait, so other queries are answered meanwhile.
    """
    async with slot_released():
        return await resources.views.progress.wait_beyond(beyond, seconds=seconds)


@service.answers(ScorerQuery)
async def scorer(query: ScorerQuery, resources: Resources) -> ScorerView | Refusal:
    """Return the state of an agent's learned scorer."""
    agent, known = await resources.views.agent(query.agent_id), await resources.views.agents.scorer(query.agent_id)
    if agent is None:
        return await _unknown_agent(query.agent_id, resources)
    since = known.until if known else 0
    fresh = await count_samples(resources.database, query.agent_id, after=since, window=MAX_ASSIGNMENTS)
    return scorer_view(agent, known, fresh)


@service.answers(StatusQuery)
async def status(query: StatusQuery, resources: Resources) -> StatusView:  # noqa: ARG001 - every answer has this form
    """Return the position of the projections, their numbers of tasks, agents and memories, their size on disk, the
    tasks that wait for their client, and the reason if the projections are halted.
    """
    tasks_known, agents_known, memories_known = await resources.views.totals()
    position = await resources.projection.position()
    return StatusView(
        projected=position.sequence,
        tasks=tasks_known,
        waiting=tuple(await resources.views.waiting_tasks()),
        agents=agents_known,
        memories=sum(memories_known.values()),
        memories_by_kind=memories_known,
        embedding=resources.vectors.embedding,
        calibration=calibration_view(await resources.vectors.calibrated()),
        database_bytes=await resources.views.stored_bytes(),
        halted=halted_reason(position, resources),
        halted_at=position.halted_at,
        halted_services=dict(resources.halted),
    )


@service.answers(HealthQuery)
async def health(query: HealthQuery, resources: Resources) -> HealthView | Refusal:
    """Return findings about the health of one agent's memory, or of every agent's."""
    found = await resources.views.agents.read([query.agent_id] if query.agent_id is not None else None)
    if query.agent_id is not None and not found:
        return await _unknown_agent(query.agent_id, resources)
    return HealthView(agents=tuple([await health_of(agent, resources) for agent in found]))


@service.answers(MemoQuery)
async def memo(query: MemoQuery, resources: Resources) -> MemoView | Refusal:
    """Return the table of contents (memo) of an agent's memory, as the agent would get it now with a task in this
    setting.
    """
    agent = await resources.views.agent(query.agent_id)
    return (
        await _unknown_agent(query.agent_id, resources)
        if agent is None
        else await memo_of(agent, query.setting, resources)
    )


@service.answers(ProfileQuery)
async def profile(query: ProfileQuery, resources: Resources) -> ProfileView | Refusal:
    """Return what an agent knows of a person now. Refuse if it is unknown or has no strength memory."""
    agent = await _strength_agent(query.agent_id, resources)
    if isinstance(agent, Refusal):
        return agent
    return await profile_of(agent, query, resources)


@service.answers(KeywordsQuery)
async def keywords(query: KeywordsQuery, resources: Resources) -> KeywordsView | Refusal:
    """Return the keywords that the memories of an agent suggest for its perspectives."""
    agent = await resources.views.agent(query.agent_id)
    if agent is None:
        return await _unknown_agent(query.agent_id, resources)
    if agent.definition.memory != "strength":
        return Refusal(refused=f"{query.agent_id} has {agent.definition.memory} memory, which has no perspectives")
    return await keywords_of(agent, resources)


async def _strength_agent(agent_id: str, resources: Resources) -> Agent | Refusal:
    """Return an agent; a refusal if it is unknown or has no strength memory."""
    agent = await resources.views.agent(agent_id)
    if agent is None:
        return await _unknown_agent(agent_id, resources)
    if agent.definition.memory != "strength":
        return Refusal(refused=not_by_use(agent_id, agent.definition.memory))
    return agent


async def _unknown_agent(agent_id: str, resources: Resources) -> Refusal:
    return await _not_found("agent", agent_id, resources)


async def _not_found(sort: str, name: UUID | str, resources: Resources) -> Refusal:
    return Refusal(refused=await resources.views.absent(sort, name), missing=True)
