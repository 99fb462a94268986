"""Event handlers of the intake."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nemuri_contracts.agents import ORGANISATION, AgentDefined, Embedding
from nemuri_contracts.client_events import (
    AGENT_OPTION,
    MemoryChangeRequested,
    MemoryContent,
    MemoryOffered,
    NegotiationAnswered,
    TaskSubmitted,
)
from nemuri_contracts.event import Event
from nemuri_contracts.principles import PrincipleDecided, PrincipleDecisionGiven
from nemuri_contracts.strength import MemoryAmended, MemoryEncoded, MemoryRefused, NewMemory, Origin, Relation
from nemuri_contracts.tasks import (
    ChunkReady,
    ChunkSummarised,
    NegotiationOpened,
    NegotiationRefused,
    NotesCondensed,
    NotesReady,
    TaskChunked,
    TaskReopened,
    TaskSummarised,
)
from nemuri_domain.language.keywords import keywords
from nemuri_domain.strength.aggregate import Agent, Content
from nemuri_domain.strength.amendments import change_refusal
from nemuri_domain.strength.memory_content import embedded_text, encoded, new_memory, principle_key
from nemuri_domain.strength.offer_validation import PRINCIPLE, edit_refusal, refusal_reason
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.principles import decision, decision_refusal, organisation_defined
from nemuri_domain.tasks import chunk_order, client_negotiation, fan_in
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.reading_plan import group_of_chunks
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.intake.begin_reading import summarise_or_chunk
from nemuri_services.intake.items import items_of, open_negotiation
from nemuri_services.intake.overview_notes import condense, notes_on_chunk
from nemuri_services.intake.summaries import with_summary

service = Service(
    "intake",
    concurrency=16,
    consumes_client_events=True,
    capabilities=frozenset({Capability.READS_INPUTS, Capability.MAKES_VECTORS}),
)


@service.handles(TaskSubmitted, TaskReopened)
async def begin_task(
    event: TaskSubmitted | TaskReopened, resources: Resources
) -> NegotiationOpened | TaskSummarised | TaskChunked | Sequence[ChunkReady | NotesReady] | None:
    """Summarise a small task at once, split a large one into chunks, or open a negotiation if the task has too many
    items.

    A reopened task continues with its unread chunks.
    """
    state = await resources.tasks.state(event)
    task = state.task
    if task is None or task.summary is not None or (state.begun and isinstance(event, TaskSubmitted)):
        return None
    if task.chunks:
        return await _finish_reading(event, state, resources) or chunk_order.unread_chunks(event, state)
    items = await items_of(task, resources)
    return await open_negotiation(event, task, items, resources) or await summarise_or_chunk(
        event, task, items, resources
    )


@service.handles(NegotiationAnswered)
async def continue_with_choice(
    event: NegotiationAnswered, resources: Resources
) -> TaskSummarised | TaskChunked | NegotiationOpened | NegotiationRefused | None:
    """Continue with the option that the task's client chose in the negotiation. Refuse the choice of another client."""
    state = await resources.tasks.state(event)
    if state.task is None:
        return None
    if refused := client_negotiation.refuse(event, state.task):
        return refused
    if state.begun or event.option not in {state.task.option, f"{AGENT_OPTION}{state.task.wanted_agent}"}:
        return None
    return await summarise_or_chunk(event, state.task, await items_of(state.task, resources), resources)


@service.handles(TaskChunked, log_only=True)
async def start_first_chunks(event: TaskChunked, resources: Resources) -> Sequence[ChunkReady]:  # noqa: ARG001
    """Start the first `CHUNKS_IN_FLIGHT` chunks. `continue_chunks` starts another chunk after each finished one."""
    return chunk_order.first_chunks(event)


@service.handles(ChunkReady, log_only=True)
async def extract_key_point(event: ChunkReady, resources: Resources) -> ChunkSummarised | None:
    """Extract the key point of a chunk with the light model, or notes if the request is about the whole."""
    state = await resources.tasks.state(event)
    task, chunk = state.task, state.chunks.get(event.ordinal)
    if task is None or task.status != "open" or chunk is None or chunk.point is not None:
        return None
    if task.plan is not None:
        noted = await notes_on_chunk(task, task.plan, chunk, resources)
        point = chunk_order.capped(noted.value[0].text if noted.value else "")
        return ChunkSummarised.following(
            event, ordinal=event.ordinal, point=point, notes=noted.value, usage=noted.usage
        )
    text = (await resources.blobs.get(chunk.detail.ref))[chunk.detail.start : chunk.detail.end]
    reply = await resources.models.light.do(KeyPointJob(question=task.text, text=text))
    return ChunkSummarised.following(
        event, ordinal=event.ordinal, point=chunk_order.capped(reply.value), usage=reply.usage
    )


@service.handles(ChunkSummarised, log_only=True)
async def continue_chunks(
    event: ChunkSummarised, resources: Resources
) -> TaskSummarised | ChunkReady | Sequence[NotesReady] | None:
    """Start another chunk after a finished one; after the last one, summarise the task or condense the notes."""
    history = await resources.tasks.of(event)
    task = history.state.task
    if task is None or task.summary is not None:
        return None
    if not task.chunks_read:
        return chunk_order.next_chunk(event, task)
    if history.newest[event.kind] != event.sequence:
        return None
    return await _finish_reading(event, history.state, resources)


@service.handles(NotesReady, log_only=True)
async def condense_notes(event: NotesReady, resources: Resources) -> NotesCondensed | None:
    """Condense the notes on a group of chunks with the light model."""
    state = await resources.tasks.state(event)
    task = state.task
    if task is None or task.status != "open" or task.plan is None or event.group in task.condensed:
        return None
    known = state.chunks
    group = group_of_chunks(task.plan, task.chunks, event.group)
    reply = await condense(task, [known[ordinal] for ordinal in group if ordinal in known], resources)
    return NotesCondensed.following(event, group=event.group, notes=reply.value, usage=reply.usage)


@service.handles(NotesCondensed, log_only=True)
async def finish_notes(event: NotesCondensed, resources: Resources) -> TaskSummarised | None:
    """Summarise the task after the notes of its last group are condensed."""
    history = await resources.tasks.of(event)
    task = history.state.task
    if task is None or not task.all_read or history.newest[event.kind] != event.sequence:
        return None
    return await with_summary(fan_in.summarise(event, history.state), task, resources)


async def _finish_reading(
    event: Event, state: TaskState, resources: Resources
) -> TaskSummarised | Sequence[NotesReady] | None:
    """Return the task's summary, or the start of condensing its notes; None if chunks are unread."""
    task = state.task
    if task is None or not task.chunks_read:
        return None
    if not task.all_read:
        return chunk_order.notes_to_condense(event, task)
    return await with_summary(fan_in.summarise(event, state), task, resources)


@service.handles_together(MemoryOffered)
async def encode(events: Sequence[MemoryOffered], resources: Resources) -> Sequence[MemoryEncoded | MemoryRefused]:
    """Encode offered memories. Refuse a memory if the agent is unknown or has no strength memory, or if the content is
    not acceptable (`refusal_reason`).
    """
    agents = {name: await resources.views.agent(name, only_rules=True) for name in {event.agent_id for event in events}}
    replaced = {event.replaces for event in events if event.replaces is not None}
    older = await resources.views.memories_by_id(replaced) if replaced else {}
    contents = {memory_id: content for memory_id, (content, _) in older.items()}
    found = [_encoded_or_refused(event, agents[event.agent_id], contents, resources) for event in events]
    for agent in filter(None, agents.values()):
        mine = [event for event in found if isinstance(event, MemoryEncoded) and event.agent_id == agent.agent_id]
        vectors = resources.vectors.with_embedder_of(agent.embedding)
        await vectors.store_missing([embedded_text(event.memory) for event in mine])
    return found


def _encoded_or_refused(
    event: MemoryOffered, agent: Agent | None, contents: Mapping[UUID, Content], resources: Resources
) -> MemoryEncoded | MemoryRefused:
    if agent is None:
        return MemoryRefused.following(event, reason=f"there is no agent {event.agent_id!r}")
    if (kind := agent.definition.memory) != "strength":
        takes = "turns" if kind == "affective" else "experiences"
        return MemoryRefused.following(event, reason=f"{event.agent_id} takes {takes}, not memories")
    older = contents.get(event.replaces) if event.replaces else None
    refused = refusal_reason(event.memory) or edit_refusal(event, agent, older)
    if refused is not None:
        return MemoryRefused.following(event, reason=refused)
    key = resources.vectors.with_embedder_of(agent.embedding).key(embedded_text(event.memory))
    new = new_memory(agent, event.memory, key, origin=Origin(client_id=event.client_id))
    if event.replaces is not None:
        relations = (Relation(older=event.replaces, sort="supersedes"),)
        new = new.model_copy(update={"links": (event.replaces,), "relations": relations})
    return encoded(event, new, source="manual")


@service.handles(MemoryChangeRequested)
async def amend(event: MemoryChangeRequested, resources: Resources) -> MemoryAmended | MemoryRefused | None:
    """Change the standing of a memory as a client asks, or refuse it (`change_refusal`).

    Returns None if that is decided already: by now the memory may be in another state than it was then.
    """
    if await resources.views.decided(event, MemoryAmended, MemoryRefused):
        return None
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    if agent is None:
        return MemoryRefused.following(event, reason=f"there is no agent {event.agent_id!r}")
    known = await resources.views.memories_by_id([event.memory_id])
    refused = change_refusal(event, agent, known.get(event.memory_id))
    if refused is not None:
        return MemoryRefused.following(event, reason=refused)
    return MemoryAmended.following(
        event,
        memory_id=event.memory_id,
        change=event.change,
        scope=event.scope,
        older=event.older,
        asked_by=event.client_id,
    )


@service.handles(AgentDefined)
async def encode_principles(event: AgentDefined, resources: Resources) -> Sequence[MemoryEncoded]:
    """Encode the principles in an agent's definition as memories.

    The id of such a memory is derived from the agent, the principle's text and its scope, so a principle is encoded
    only once. The principles of a clone follow with its other memories, in the state of the original.
    """
    if event.cloned is not None:
        return ()
    known = await resources.views.agent(event.agent_id, only_rules=True)
    rules = known.rules if known else Policy()
    held, vectors = event.definition.held, resources.vectors.with_embedder_of(event.embedding)
    await vectors.store_missing([text for text, _ in held])
    return [
        encoded(
            event,
            NewMemory(
                memory=MemoryContent(content=text, tags=(PRINCIPLE, *keywords(text)), scope=scope),
                vector=vectors.key(text),
                strength=rules.initial_strength,
                perspectives=event.definition.perspective_names,
            ),
            key=principle_key(event.agent_id, text, scope),
            source="definition",
        )
        for text, scope in held
    ]


@service.handles(PrincipleDecisionGiven)
async def decide_principle(
    event: PrincipleDecisionGiven, resources: Resources
) -> Sequence[AgentDefined | MemoryEncoded | PrincipleDecided | MemoryRefused]:
    """Carry out a person's decision on a principle, or refuse it (`decision_refusal`).

    An adopted principle is encoded as a memory, which links to the lessons from which it was proposed. The first
    decision about the organisation's principles also defines the organisation. Nothing is returned if that is decided
    already: by now the principle has another standing.
    """
    if await resources.views.decided(event, PrincipleDecided, MemoryRefused):
        return ()
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    refused = decision_refusal(event, agent)
    if refused is not None:
        return (MemoryRefused.following(event, reason=refused),)
    made, embedder = decision(event, agent), resources.vectors.embedder
    defined = organisation_defined(event, Embedding(model=embedder.model, dimension=embedder.dimension))
    owner = agent or Agent(
        agent_id=ORGANISATION, definition=defined.definition, embedding=defined.embedding, defined_at=event.at
    )
    before: list[AgentDefined | MemoryEncoded] = [] if agent else [defined]
    if made.decision == "adopt":
        before.append(await _adopted(event, made, owner, resources))
    return (*before, made)


async def _adopted(
    event: PrincipleDecisionGiven, made: PrincipleDecided, owner: Agent, resources: Resources
) -> MemoryEncoded:
    vectors = resources.vectors.with_embedder_of(owner.embedding)
    await vectors.store_missing([made.text])
    content = MemoryContent(content=made.text, tags=(PRINCIPLE, *keywords(made.text)), scope=made.scope)
    origin, key = Origin(client_id=made.asked_by), principle_key(owner.agent_id, made.text, made.scope)
    new = new_memory(owner, content, vectors.key(made.text), origin=origin, links=made.lessons)
    return encoded(event, new, key=key, source="adopted", agent_id=owner.agent_id)
