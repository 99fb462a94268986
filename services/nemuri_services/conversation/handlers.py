"""Event handlers of conversations."""

from collections.abc import Sequence
from datetime import timedelta

from nemuri_contracts.client_events import MemoryContent, Turn
from nemuri_contracts.conversations import ConversationTurn, FactsLearned, TurnsSaid
from nemuri_contracts.event import Usage
from nemuri_contracts.strength import MemoryEncoded, MemoryRefused, NewMemory, Origin
from nemuri_domain.conversations.aggregate import Conversation
from nemuri_domain.conversations.fact_times import held_times, zone_of
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.memory_content import embedded_text, encoded_facts, new_memory
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.jobs.conversation_facts import FactsJob, FoundFact
from nemuri_infra.models.refusals import reply_or_none
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.conversation.remembered_texts import remembered_texts, with_news

service = Service("conversation", concurrency=16, capabilities=frozenset({Capability.MAKES_VECTORS}))


@service.handles(TurnsSaid)
async def read_turns(event: TurnsSaid, resources: Resources) -> FactsLearned | MemoryRefused | None:
    """Read the facts in a stretch of a conversation with the light model; without a language model, each turn that says
    something is a fact. Refuse the stretch if the agent is unknown or has no strength memory.

    Returns None if the stretch has been read before.
    """
    known = await resources.conversations.state(event)
    if event.event_id not in known.unread:
        return None
    agent = await resources.views.agent(event.agent_id, only_rules=True)
    if agent is None:
        return MemoryRefused.following(event, reason=f"there is no agent {event.agent_id!r}")
    if agent.definition.memory != "strength":
        return MemoryRefused.following(event, reason=f"{event.agent_id} has no strength memory")
    facts, usage = await _read(event, known, agent, resources)
    vectors = resources.vectors.with_embedder_of(agent.embedding)
    await vectors.store_missing([embedded_text(fact.memory) for fact in facts])
    return FactsLearned.following(event, conversation_id=event.filed_under, facts=tuple(facts), usage=usage)


@service.handles(FactsLearned, log_only=True)
async def encode(event: FactsLearned, resources: Resources) -> Sequence[MemoryEncoded]:
    """Encode the facts that were read as memories."""
    del resources
    return encoded_facts(event)


async def _read(
    event: TurnsSaid, known: Conversation, agent: Agent, resources: Resources
) -> tuple[list[NewMemory], Usage | None]:
    """Return the facts in a stretch, and the usage of the model. What the assistant says from memory is no fact."""
    remembered = await remembered_texts(event, agent, resources)
    turns = with_news(event.turns, remembered)
    if not turns:
        return [], None
    noted = dict.fromkeys((*(fact.memory.content for fact in known.facts), *remembered))
    job = FactsJob(turns, _before(event, known), tuple(noted), event.timezone)
    reply: Reply[tuple[FoundFact, ...]] | None = await reply_or_none(resources.models.light, job, "each turn is a fact")
    found = reply.value if reply else job.without_model()
    return [_fact(event, fact, agent, resources) for fact in found], reply.usage if reply else None


def _before(event: TurnsSaid, known: Conversation) -> tuple[ConversationTurn, ...]:
    """Return the turns before a stretch. Positions do not decide, because two clients may have counted alike."""
    return tuple(turn for turn in known.turns if turn not in event.turns)


def _fact(event: TurnsSaid, found: FoundFact, agent: Agent, resources: Resources) -> NewMemory:
    """Return a fact as a memory to encode. It was said by the speaker of its turn, at the time of the turn."""
    turn = next(turn for turn in event.turns if turn.position == found.position)
    said_at, zone = turn.at or event.at, zone_of(turn.at, event.timezone)
    content = MemoryContent(
        content=found.text,
        said_by=turn.speaker or turn.role,
        said_at=turn.at,
        turn=Turn(conversation=event.conversation, position=turn.position),
        kind=found.kind,
        subject=found.subject,
        person=event.person,
        certainty=found.certainty,
        **held_times(found.begins, found.ends, zone),
        expires_at=said_at + timedelta(days=found.days) if found.days else None,
    )
    key = resources.vectors.with_embedder_of(agent.embedding).key(embedded_text(content))
    return new_memory(agent, content, key, origin=Origin(client_id=event.client_id))
