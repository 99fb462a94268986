"""The reactions of the intake."""

from nemuri.contracts.agents import AgentDefined
from nemuri.contracts.clients import MemoryContent, MemoryOffered, NegotiationAnswered, TaskSubmitted
from nemuri.contracts.memories import MemoryEncoded, MemoryRefused
from nemuri.contracts.tasks import ChunkReady, ChunkSummarised, DetailPoint, TaskSummarised
from nemuri.domain.language.keywords import keywords
from nemuri.domain.memory.content import embedded_text
from nemuri.domain.memory.mind import PRINCIPLE
from nemuri.domain.tasks import fan_in
from nemuri.domain.tasks.state import TaskState
from nemuri.infra.models.protocol import KeyPointJob
from nemuri.infra.reactions import Outcome, Service
from nemuri.infra.resources import Resources
from nemuri.services.intake.splitting import details_of, items_of

service = Service("intake", at_once=16)


@service.reaction(TaskSubmitted)
async def take_in(event: TaskSubmitted, resources: Resources) -> Outcome:
    """A small task is summarised as it stands; a large one is cut; one of too many items is negotiated."""
    state = await resources.views.task(event.task_id)
    if state.begun:
        return None
    return fan_in.negotiate(event, await items_of(event, resources.blobs)) or await _cut(event, state, resources)


@service.reaction(NegotiationAnswered)
async def go_on(event: NegotiationAnswered, resources: Resources) -> Outcome:
    """The client chose: the task goes on with the items of its choice."""
    state = await resources.views.task(event.task_id)
    if state.task is None or state.task.option != event.option or state.begun:
        return None
    return await _cut(event, state, resources)


async def _cut(event: TaskSubmitted | NegotiationAnswered, state: TaskState, resources: Resources) -> Outcome:
    if state.task is None:
        return None
    details = await details_of(state.task, resources.blobs)
    if not details or state.task.supplied_summary is not None:
        return fan_in.supplied(event, state.task, tuple(DetailPoint(detail=each, point=None) for each in details))
    return [
        ChunkReady.following(event, key=state.task.task_id, number=number, ordinal=number, of=len(details), detail=each)
        for number, each in enumerate(details)
    ]


@service.reaction(ChunkReady)
async def find_point(event: ChunkReady, resources: Resources) -> ChunkSummarised | None:
    """The one key point of a chunk, by the light model."""
    state = await resources.views.task(event.task_id)
    known = state.chunks.get(event.ordinal)
    if state.task is None or known is None or known.point is not None:
        return None
    text = (await resources.blobs.get(event.detail.ref))[event.detail.start : event.detail.end]
    reply = await resources.models.light.key_point(KeyPointJob(question=state.task.text, text=text))
    return ChunkSummarised.following(event, ordinal=event.ordinal, point=reply.value, usage=reply.usage)


@service.reaction(ChunkSummarised)
async def join(event: ChunkSummarised, resources: Resources) -> TaskSummarised | None:
    """Once the last chunk has its point, the task has its summary, whichever chunk was last."""
    return fan_in.summarise(event, await resources.views.task(event.task_id))


@service.reaction(MemoryOffered)
async def encode(event: MemoryOffered, resources: Resources) -> MemoryEncoded | MemoryRefused:
    """An offered memory becomes one of the agent's, if there is such an agent."""
    agent = await resources.views.agent(str(event.agent_id))
    if agent is None:
        return MemoryRefused.following(event, reason=f"there is no agent {event.agent_id!r}")
    text, vectors = embedded_text(event.memory), resources.vectors.serving(agent.embedding)
    await vectors.of([text])
    return MemoryEncoded.following(
        event,
        memory=event.memory,
        vector=vectors.key(text),
        source="manual",
        strength=agent.rules.initial_strength,
        perspectives=agent.definition.perspective_names,
    )


@service.reaction(AgentDefined)
async def encode_principles(event: AgentDefined, resources: Resources) -> Outcome:
    """The principles of a definition become memories, each once however often the agent is defined."""
    agent = await resources.views.agent(event.agent_id)
    if agent is None:
        return None
    texts, vectors = event.definition.principles, resources.vectors.serving(agent.embedding)
    await vectors.of(texts)
    return [
        MemoryEncoded.following(
            event,
            key=f"{event.agent_id}/{text}",
            memory=MemoryContent(content=text, tags=(PRINCIPLE, *keywords(text))),
            vector=vectors.key(text),
            source="definition",
            strength=agent.rules.initial_strength,
            perspectives=agent.definition.perspective_names,
        )
        for text in texts
    ]
