"""Forecast of a memory that is never used again, from the decay of its level."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import exp, log

from nemuri_domain.strength.aggregate import Agent, Memory
from nemuri_domain.strength.decay import advance_by_days, log_strength

MAX_DAYS = 3_650.0
"""Days that a forecast covers at most."""
POINTS = 60
"""Number of points of a forecast."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """The strength of an unused memory in the coming days of decay."""

    days_left: float | None
    """Days of decay until a sleep archives it; None if none ever does, or if it is not active."""
    threshold: float
    """Strength below which it is archived."""
    points: tuple[tuple[float, float], ...]
    """Pairs of the days from now and the strength."""
    tasks_per_day: float
    """Number of the agent's tasks that cause one day of decay."""
    by_clock: bool
    """True if there are never more days of decay than days that have passed."""


def forecast(agent: Agent, memory: Memory) -> Forecast:
    """Return the forecast of a memory under the policy that is in force after the next sleep."""
    rules = agent.coming
    decay = -log(rules.daily_decay_targets[memory.level])
    left = _days_left(agent, memory, decay)
    end = min(MAX_DAYS, 30.0 if left is None else max(1.0, left * 1.2))
    days = [end * number / POINTS for number in range(POINTS + 1)]
    return Forecast(
        days_left=left,
        threshold=rules.archive_threshold,
        points=tuple(zip(days, _strengths(agent, memory, days), strict=True)),
        tasks_per_day=rules.expected_tasks_per_day,
        by_clock=rules.fading == "clock",
    )


def _days_left(agent: Agent, memory: Memory, decay: float) -> float | None:
    if memory.status != "active" or memory.pinned or not decay:
        return None
    above = log_strength(memory.fade, agent.clock(memory)) - log(agent.coming.archive_threshold)
    return max(0.0, float(above) / decay)


def _strengths(agent: Agent, memory: Memory, days: Iterable[float]) -> Iterable[float]:
    for day in days:
        clock = agent.clock(memory)
        if memory.status == "active":
            clock = advance_by_days(agent.clocks, agent.coming, day)[memory.level]
        yield exp(log_strength(memory.stored_strength, clock))
