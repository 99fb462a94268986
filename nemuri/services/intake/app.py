"""The reactions of the intake."""

from collections.abc import Sequence

from nemuri.contracts.agents import AgentDefined
from nemuri.contracts.clients import MemoryContent, MemoryOffered, NegotiationAnswered, TaskSubmitted
from nemuri.contracts.event import Event
from nemuri.contracts.memories import MemoryEncoded, MemoryRefused, NewMemory, Origin
from nemuri.contracts.tasks import (
    ChunkReady,
    ChunkSummarised,
    DetailPoint,
    NegotiationOpened,
    TaskReopened,
    TaskSummarised,
)
from nemuri.domain.language.keywords import keywords
from nemuri.domain.memory.content import beginning, embedded_text, encoded, principle_key
from nemuri.domain.memory.offers import PRINCIPLE, refusal
from nemuri.domain.memory.policy import Policy
from nemuri.domain.tasks import fan_in, negotiation
from nemuri.domain.tasks.state import Task
from nemuri.infra.models.protocol import KeyPointJob
from nemuri.infra.reactions import Service, Use
from nemuri.infra.resources import Resources
from nemuri.services.intake.points import capped
from nemuri.services.intake.splitting import details_of, items_beside, items_of

service = Service("intake", at_once=16, hears_clients=True, uses=frozenset({Use.READS_INPUTS, Use.MAKES_VECTORS}))


@service.reaction(TaskSubmitted, TaskReopened)
async def take_in(
    event: TaskSubmitted | TaskReopened, resources: Resources
) -> NegotiationOpened | TaskSummarised | Sequence[ChunkReady] | None:
    """A small task is summarised as it stands; a large one is cut; one of too many items is negotiated."""
    state = await resources.views.task(event.task_id)
    task = state.task
    if task is None or task.summary is not None or (state.begun and isinstance(event, TaskSubmitted)):
        return None
    if state.chunks and (summarised := fan_in.summarise(event, state, await items_beside(task, resources.blobs))):
        return summarised
    listed = () if task.option else await items_of(task, resources.blobs)
    return negotiation.negotiate(event, listed) or await _cut(event, task, resources)


@service.reaction(NegotiationAnswered)
async def go_on(event: NegotiationAnswered, resources: Resources) -> TaskSummarised | Sequence[ChunkReady] | None:
    """The client chose: the task goes on with the items of its choice."""
    state = await resources.views.task(event.task_id)
    if state.task is None or state.task.option != event.option or state.begun:
        return None
    return await _cut(event, state.task, resources)


async def _cut(event: Event, task: Task, resources: Resources) -> TaskSummarised | Sequence[ChunkReady]:
    details = await details_of(task, resources.blobs)
    if not details or task.supplied_summary is not None:
        listed = await items_beside(task, resources.blobs)
        return fan_in.supplied(event, task, tuple(DetailPoint(detail=each, point=None) for each in details), listed)
    key = fan_in.attempt_key(task.task_id, task.attempt)
    return [
        ChunkReady.following(event, key=key, nth=ordinal, ordinal=ordinal, of=len(details), detail=each)
        for ordinal, each in enumerate(details)
    ]


@service.reaction(ChunkReady)
async def find_point(event: ChunkReady, resources: Resources) -> ChunkSummarised | None:
    """The one key point of a chunk, by the light model."""
    known = await resources.views.piece(event.task_id, event.ordinal)
    if known is None or known[1].point is not None:
        return None
    text = (await resources.blobs.get(event.detail.ref))[event.detail.start : event.detail.end]
    reply = await resources.models.light.key_point(KeyPointJob(question=known[0].text, text=text))
    return ChunkSummarised.following(event, ordinal=event.ordinal, point=capped(reply.value), usage=reply.usage)


@service.reaction(ChunkSummarised)
async def join(event: ChunkSummarised, resources: Resources) -> TaskSummarised | None:
    """Once the last chunk has its point, the task has its summary, whichever chunk was last."""
    if await resources.views.lacks_points(event.task_id):
        return None
    state = await resources.views.task(event.task_id)
    beside = await items_beside(state.task, resources.blobs) if state.task else ()
    return fan_in.summarise(event, state, beside)


@service.reaction(MemoryOffered)
async def encode(event: MemoryOffered, resources: Resources) -> MemoryEncoded | MemoryRefused:
    """An offered memory becomes one of the agent's, if there is such an agent and anything to remember."""
    agent = await resources.views.agent(str(event.agent_id))
    if agent is None:
        return MemoryRefused.following(event, reason=f"there is no agent {event.agent_id!r}")
    if (kind := agent.definition.memory) != "strength":
        takes = "turns" if kind == "affective" else "experiences"
        return MemoryRefused.following(event, reason=f"{event.agent_id} remembers {takes}, and nothing else")
    refused = refusal(event.memory)
    if refused is not None:
        return MemoryRefused.following(event, reason=refused)
    origin = Origin(client_id=event.client_id)
    text, vectors = embedded_text(event.memory), resources.vectors.serving(agent.embedding)
    await vectors.of([text])
    return encoded(event, beginning(agent, event.memory, vectors.key(text), origin=origin), source="manual")


@service.reaction(AgentDefined)
async def encode_principles(event: AgentDefined, resources: Resources) -> Sequence[MemoryEncoded]:
    """The principles of a definition become memories, each once however often the agent is defined."""
    known = await resources.views.agent(event.agent_id)
    rules = known.rules if known else Policy()
    held, vectors = event.definition.held, resources.vectors.serving(event.embedding)
    await vectors.of([text for text, _ in held])
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
