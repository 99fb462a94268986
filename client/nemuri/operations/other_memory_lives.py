"""The lives of affective and tiered memories: every event that changed one, and its retention after each night."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from nemuri.operations.past_states import PastState, events_of
from nemuri_contracts.affective import NightPassed
from nemuri_domain.affective.aggregate import AffectMemory
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_infra.bus.event_log import Log


@dataclass(frozen=True, slots=True)
class LifeStep:
    """An event that changed a memory."""

    sequence: int
    at: datetime
    kind: str
    level: int | str
    """Level of an affective memory, layer of a tiered one, after the event."""
    retention: float | None
    """Retention of an affective memory after the event."""
    words: str | None
    """Its words after the event, if the event changed them."""


@dataclass(frozen=True, slots=True)
class OtherLife:
    """The life of an affective or tiered memory up to now."""

    memory: AffectMemory | TierMemory | None
    """The memory as it was last; None if the log does not have it."""
    steps: tuple[LifeStep, ...]
    """Events that changed it, oldest first."""
    curve: tuple[tuple[datetime, float], ...]
    """Retention of an affective memory after each night."""
    gone_by: int | None
    """Sequence of the event that removed it; None if it is there."""


async def other_life_of(log: Log, agent_id: str, memory_id: UUID) -> OtherLife:
    """Return the life of an affective or tiered memory, folded from the events of its agent."""
    past, known, gone = PastState(), None, None
    steps, curve = list[LifeStep](), list[tuple[datetime, float]]()
    async for event in events_of(log, agent_id, await log.last_sequence()):
        past.evolve(event)
        now = past.affect.memories.get(memory_id) or past.tiers.memories.get(memory_id)
        if now is None:
            if known is not None and gone is None:
                gone = event.sequence
            continue
        retention = now.retention(past.affect.night) if isinstance(now, AffectMemory) else None
        if now is not known:
            steps.append(_step(event.sequence or 0, event.at, event.kind, now, known, retention))
        if retention is not None and (isinstance(event, NightPassed) or known is None):
            curve.append((event.at, retention))
        known = now
    return OtherLife(known, tuple(steps), tuple(curve), gone)


def _step(
    sequence: int,
    at: datetime,
    kind: str,
    now: AffectMemory | TierMemory,
    before: AffectMemory | TierMemory | None,
    retention: float | None,
) -> LifeStep:
    words = _words(now)
    level = now.level if isinstance(now, AffectMemory) else now.layer
    changed = before is None or _words(before) != words
    return LifeStep(sequence, at, kind, level, retention, words if changed else None)


def _words(memory: AffectMemory | TierMemory) -> str:
    return f"{memory.trigger} {memory.content}" if isinstance(memory, AffectMemory) else memory.content
