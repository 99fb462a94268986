"""Memories that say the same: what is told again strengthens what is known, and stands behind it."""

from datetime import datetime
from hashlib import blake2b
from json import dumps
from unicodedata import normalize
from uuid import UUID

from nemuri_contracts.agents import ORCHESTRATOR
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import MemoryEncoded
from nemuri_domain.strength.aggregate import PRINCIPLE_SOURCES, Agent, Memory, Mind, with_strength
from nemuri_domain.strength.reinforcement import reactivated
from nemuri_domain.strength.semantic_memory import absorbed


def text_id(memory: MemoryContent) -> UUID | None:
    """Return an id that memories with the same text have in common: apart from case, white space and how accents are
    written, of the same person, in the same scope, from the same source and with the same learnings, and holding at the
    same time. None for a turn of a conversation, which stands beside its neighbours and so repeats nothing.
    """
    if memory.turn is not None:
        return None
    text = " ".join(normalize("NFC", memory.content).casefold().split())
    times = (memory.valid_from, memory.until, memory.expires_at)
    holding = tuple(moment and moment.timestamp() for moment in times)
    where = (memory.person, memory.scope.level, memory.scope.name, memory.said_by, *holding)
    key = (text, *where, sorted(memory.learnings.items()))
    return UUID(bytes=blake2b(dumps(key).encode(), digest_size=16).digest())


def repeated_text(event: MemoryEncoded) -> UUID | None:
    """Return the id of the text that a new memory may repeat; None if it repeats nothing in any case: a semantic
    memory, whose sources say the same, and a memory of the orchestrator, which counts what happened.
    """
    return None if event.absorbs or event.agent_id == ORCHESTRATOR else text_id(event.memory)


def with_repetition(mind: Mind, agent: Agent, memory: Memory, event: MemoryEncoded) -> tuple[Mind, Memory]:
    """Return the mind and its new memory, which `event` encodes, after a comparison with what the agent knows.

    If the agent has a memory with the same text, the new one stands behind it (`absorbed`), counts for nothing, and the
    known one is told again (`told_again`). A principle always stands itself.
    """
    known = None if event.source in PRINCIPLE_SOURCES else mind.saying(memory.text_id)
    if known is None:
        return mind, memory
    by = event.sequence or 0
    behind = absorbed(agent, memory, known.memory_id, by=by).replace(text_id=None)
    again = told_again(agent, known, memory, told_at=event.memory.said_at or event.at, by=by)
    return mind.with_memories((again,)), behind


def told_again(agent: Agent, known: Memory, memory: Memory, *, told_at: datetime, by: int) -> Memory:
    """Return a memory that was told again as `memory`: active, at least as strong as that one, and again what holds
    now, unless it was told before something superseded the known one.
    """
    if known.status == "archived":
        known = reactivated(agent, known, by=by)
    lacking = {
        name: max(0.0, agent.strength(memory, name) - agent.strength(known, name)) for name in memory.perspectives
    }
    more = max(0.0, agent.strength(memory) - agent.strength(known))
    raised = with_strength(agent, known, by=by, more=more, perspectives=lacking)
    late = any(told_at < until for until in known.held_until.values())
    return raised.replace(
        yields_to=known.yields_to if late else (),
        held_until=known.held_until if late else {},
        unconfirmed=known.unconfirmed and memory.unconfirmed,
        told_again_at=max(told_at, known.told_again_at or told_at),
    )
