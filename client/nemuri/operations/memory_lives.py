"""The life of a memory: every event that changed it, its strength over time, and how it would fade."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from nemuri.operations.past_states import events_of
from nemuri.operations.session import OperationError
from nemuri_domain.strength.forecast import Forecast, forecast
from nemuri_domain.strength.memory_history import History, HistoryStep
from nemuri_infra.bus.event_log import Log

MAX_POINTS = 500
"""Maximum number of points of the curve. Of a longer life, points between are left out."""


@dataclass(frozen=True, slots=True)
class MemoryLife:
    """The life of a strength memory up to now."""

    steps: tuple[HistoryStep, ...]
    """Events that changed it, and periods in which it only decayed, oldest first."""
    curve: tuple[tuple[datetime, float], ...]
    """Its strength after each event that changed it, sleeps included, oldest first."""
    forecast: Forecast
    """Forecast of its fading if it is never used again."""
    followers: tuple[UUID, ...]
    """Ids of the memories that were learned from it, oldest first."""


async def life_of(log: Log, agent_id: str, memory_id: UUID) -> MemoryLife:
    """Return the life of a memory, folded from the events of its agent. Raises `OperationError` if it is unknown."""
    history, steps, curve = History(memory_id), list[HistoryStep](), list[tuple[datetime, float]]()
    async for event in events_of(log, agent_id, await log.last_sequence()):
        steps.extend(history.take(event))
        agent, memory = history.mind.agent, history.mind.memories.get(memory_id)
        if agent is None or memory is None:
            continue
        strength = agent.strength(memory)
        if not curve or curve[-1][1] != strength:
            curve.append((event.at, strength))
    mind = history.mind
    if mind.agent is None or (memory := mind.memories.get(memory_id)) is None:
        raise OperationError(f"the log has no memory {memory_id} of {agent_id}")
    followers = sorted(
        (content for content in mind.contents.values() if memory_id in content.links),
        key=lambda content: content.created,
    )
    return MemoryLife(
        (*steps, *history.rest()),
        _thinned(curve),
        forecast(mind.agent, memory),
        tuple(follower.memory_id for follower in followers),
    )


def _thinned(curve: Sequence[tuple[datetime, float]]) -> tuple[tuple[datetime, float], ...]:
    """Return at most `MAX_POINTS` points with equal distances, the last one always."""
    step = -(-len(curve) // MAX_POINTS) or 1
    return tuple(curve[len(curve) - 1 :: -step][::-1]) if curve else ()
