"""Builders of experiences, memories and states of tiered memory for tests."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import AgentDefined, Definition, Embedding
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.event import NAMESPACE
from nemuri_contracts.tiered import Cues, Experience, Experienced, ExperienceRecorded, MemoryFormed
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.fold import evolve, fold

AGENT = "noah"
BORN = datetime(2026, 1, 1, tzinfo=UTC)
VECTOR = "hashing-1.4." + "0" * 64


def named(number: int | str) -> UUID:
    """Return the id that belongs to a number."""
    return uuid5(NAMESPACE, str(number))


def defined() -> AgentDefined:
    """Return the event that defines the agent, as it is read from the log."""
    return AgentDefined(
        event_id=named("born"),
        agent_id=AGENT,
        definition=Definition(role="villager", memory="tiered"),
        embedding=Embedding(model="hashing-1", dimension=4),
        recorded_at=BORN,
        sequence=1,
    )


def lived(
    number: int,
    content: str = "Noah looked around",
    *,
    kind: Experienced = "observation",
    second: float | None = None,
    importance: float = 0.5,
    minutes: float = 0.0,
    **more: Any,
) -> ExperienceRecorded:
    """Return the event of an experience that is recorded `minutes` after the agent's definition, by the log's clock."""
    return ExperienceRecorded(
        event_id=named(number),
        agent_id=AGENT,
        experience=Experience(type=kind, content=content, second=second, participants=more.pop("participants", ())),
        importance=importance,
        cues=more.pop("cues", Cues()),
        vector=VECTOR,
        recorded_at=BORN + timedelta(minutes=minutes),
        sequence=10 + number,
    )


def became(number: int, sources: Iterable[int], *, second: float = 0.0, **more: Any) -> MemoryFormed:
    """Return the event of a memory that is formed from the memories with the numbers `sources`."""
    return MemoryFormed(
        event_id=named(number),
        agent_id=AGENT,
        sources=tuple(named(source) for source in sources),
        recorded_at=BORN,
        sequence=10 + number,
        **{"type": "episodic", "content": f"memory {number}", "importance": 0.5, "formed_by": "extractive"}
        | {"vector": VECTOR, "second": second}
        | more,
    )


def mind(*events: AnyAgentEvent) -> TieredMind:
    """Return the state of an agent's tiered memory after these events."""
    return fold([defined(), *events])


def simulated(events: Iterable[tuple[AnyAgentEvent, float]]) -> TieredMind:
    """Return the state of a tiered memory as an agent host keeps it: each event has its second of the simulation's
    clock.
    """
    tiers = TieredMind.of(AGENT)
    for event, moment in events:
        tiers = evolve(tiers, event, moment)
    return tiers


def rows(*vectors: Sequence[float]) -> dict[UUID, NDArray[np.float32]]:
    """Return vectors, scaled to length 1, for the memories with the numbers 0, 1, 2, …"""
    found = {}
    for number, each in enumerate(vectors):
        row = np.array(each, np.float32)
        found[named(number)] = row / np.linalg.norm(row)
    return found
