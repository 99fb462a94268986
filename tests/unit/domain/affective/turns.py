"""Builders of events of an agent with affective memory."""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal
from uuid import UUID

from nemuri_contracts.affective import (
    Concern,
    ContextShown,
    Emotion,
    Link,
    Lowered,
    MemoriesRecalled,
    MemoryCompressed,
    MemoryRescoped,
    NightPassed,
    Occasion,
    ProtectionChanged,
    Reading,
    Revived,
    Tie,
    TurnOffered,
    TurnRemembered,
    TurnWithdrawn,
)
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import Usage, derive
from nemuri_infra.stores.vectors import vector_key

AGENT = "companion"
EMBEDDING = Embedding(model="nemuri-words-3", dimension=256)
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
JOY = Emotion(valence="positive", arousal=70, tags=("joy", "pride"))


def fresh(*key: object) -> UUID:
    """Return an event id derived from the values of a key."""
    return derive(key, "test")


def defined(agent_id: str = AGENT) -> AgentDefined:
    """Return the agent's definition."""
    definition = Definition(role="companion", memory="affective")
    return AgentDefined(
        event_id=fresh("defined", agent_id), agent_id=agent_id, definition=definition, embedding=EMBEDDING
    )


def offered(turn_id: UUID, prompt: str, reply: str = "Done.", agent_id: str = AGENT) -> TurnOffered:
    """Return a turn that a client offers."""
    return TurnOffered(
        event_id=turn_id,
        client_id="ann",
        agent_id=agent_id,
        session="monday",
        prompt=prompt,
        reply=reply,
        said_at=BEGINNING,
        ended_at=BEGINNING + timedelta(hours=1),
    )


def remembered(
    memory_id: UUID,
    *,
    trigger: str = "",
    content: str = "",
    intensity: int = 60,
    protection: Literal["none", "protected", "asked"] = "none",
    relations: Iterable[Link] = (),
    session: str = "monday",
    turn_id: UUID | None = None,
    agent_id: str = AGENT,
    usage: Usage | None = None,
    concern: Concern = "work",
) -> TurnRemembered:
    """Return the event of a turn that becomes a memory."""
    trigger = trigger or f"Somebody asked for number {memory_id.int % 1000}."
    content = content or f"Number {memory_id.int % 1000} was found, with joy."
    return TurnRemembered(
        event_id=memory_id,
        agent_id=agent_id,
        turn_id=turn_id or fresh("turn", memory_id),
        session=session,
        label=f"mem_20260101_{memory_id.int % 1000:03}",
        said_at=BEGINNING,
        reading=Reading(
            intensity=intensity,
            emotion=JOY,
            category="work",
            keywords=("number",),
            trigger=trigger,
            content=content,
            concern=concern,
        ),
        read_by="lexicon",
        usage=usage,
        coefficient=0.9,
        days=0.5,
        protection=protection,
        relations=tuple(relations),
        vector=_vector(trigger, content),
    )


def withdrawn(memory_id: UUID, nth: object = 0) -> TurnWithdrawn:
    """Return the event that withdraws the memory of a turn."""
    return TurnWithdrawn(event_id=fresh("withdrawn", memory_id, nth), agent_id=AGENT, memory_id=memory_id)


def compressed(
    memory_id: UUID,
    level: Literal[2, 3] = 2,
    words: str = "number",
    nth: object = 0,
    agent_id: str = AGENT,
    usage: Usage | None = None,
) -> MemoryCompressed:
    """Return the event of a memory's compression to a level."""
    return MemoryCompressed(
        event_id=fresh("compressed", memory_id, level, nth),
        agent_id=agent_id,
        memory_id=memory_id,
        level=level,
        trigger=words,
        content=f"{words} {level}",
        compressed_by="extractive",
        usage=usage,
        vector=_vector(words, f"{words} {level}"),
    )


def recalled(
    recalled: Sequence[UUID], asked_back: Sequence[UUID] = (), *, nth: object = 0, session: str | None = "monday"
) -> MemoriesRecalled:
    """Return the event of a recall of memories. `asked_back` are archived ones whose revival it requests."""
    return MemoriesRecalled(
        event_id=fresh("recalled", *recalled, "and", *asked_back, nth),
        agent_id=AGENT,
        session=session,
        recalled=tuple(recalled),
        asked_back=tuple(asked_back),
        mood=JOY,
    )


def protection(memory_id: UUID, *, protected: bool, nth: object = 0) -> ProtectionChanged:
    """Return an event that starts or ends a protection."""
    event_id = fresh("protection", memory_id, protected, nth)
    return ProtectionChanged(event_id=event_id, agent_id=AGENT, memory_id=memory_id, protected=protected)


def shown(memories: Sequence[UUID], *, occasion: Occasion = "session_start", nth: object = 0) -> ContextShown:
    """Return the event that memories were shown to an assistant."""
    event_id = fresh("shown", *memories, occasion, nth)
    return ContextShown(event_id=event_id, agent_id=AGENT, occasion=occasion, memories=tuple(memories), characters=9)


def rescoped(memory_id: UUID, nth: object = 0, **said: Any) -> MemoryRescoped:
    """Return the event that says where a memory matters."""
    return MemoryRescoped(event_id=fresh("rescoped", memory_id, nth), agent_id=AGENT, memory_id=memory_id, **said)


def ruled(parameters: dict[str, Any], nth: object = 0) -> PolicyAdopted:
    """Return the event that adopts new parameters."""
    return PolicyAdopted(event_id=fresh("ruled", nth), agent_id=AGENT, parameters=parameters)


def night(
    nth: int = 0,
    *,
    nights: int = 1,
    lowered: Iterable[tuple[UUID, Literal[2, 3]]] = (),
    revived: Iterable[tuple[UUID, float]] = (),
    tied: Iterable[Tie] = (),
    untied: Iterable[Tie] = (),
    **lists: Sequence[UUID],
) -> NightPassed:
    """Return the event of a nightly job with the given changes, valid or not."""
    told = {name: tuple(ids) for name, ids in lists.items()}
    return NightPassed(
        event_id=fresh("night", nth),
        agent_id=AGENT,
        date=date(2026, 1, 1) + timedelta(days=nth % 1_000),
        nights=nights,
        lowered=tuple(Lowered(memory_id=each, level=level) for each, level in lowered),
        revived=tuple(Revived(memory_id=each, score=score) for each, score in revived),
        tied=tuple(tied),
        untied=tuple(untied),
        **told,
    )


def recorded(events: Iterable[AnyAgentEvent], after: int = 0) -> list[AnyAgentEvent]:
    """Return the events as they are read from the log, recorded one minute apart."""
    return [
        each.model_copy(update={"sequence": at, "recorded_at": BEGINNING + timedelta(minutes=at)})
        for at, each in enumerate(events, after + 1)
    ]


def _vector(trigger: str, content: str) -> str:
    return vector_key(EMBEDDING.model, EMBEDDING.dimension, f"{trigger} {content}")
