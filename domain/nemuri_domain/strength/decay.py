"""Decay in closed form: one clock per consolidation level, so that a sleep changes six numbers and no memory (DESIGN
§5).

Each day of decay adds `ln target(level)`, which is 0 or negative, to a clock. A memory stores `a = ln s - C` (strength
`s`, clock `C`) at its last change. Its strength at any later time is `exp(a + C)`.
"""

from collections.abc import Sequence
from math import log
from typing import Any

from nemuri_domain.event_sourcing.numeric_backends import FLOATS, Arithmetic
from nemuri_domain.strength.policy import LEVELS, Policy

Clocks = tuple[float, ...]
"""Current value of the clock of each level. A clock never rises."""
FROZEN_CLOCK = 0.0
"""Value of the clock of archived and absorbed memories. It is constant, because these memories do not decay."""
ROUNDING = 1e-6
"""Margin added to ln(archive threshold) when memories that may be archived are selected. The decision to archive adds
no margin.
"""

MIN_STRENGTH, MAX_STRENGTH = 1e-300, 1e300
"""Bounds of a strength. A value outside is clamped, so all numbers of a fold stay finite."""
INITIAL_CLOCKS: Clocks = (0.0,) * LEVELS
"""Clocks of an agent that has never slept."""


def advance_by_sessions(clocks: Clocks, policy: Policy, sessions: int) -> Clocks:
    """Return the clocks after a sleep over `sessions` sessions. Only valid if decay depends on the number of sessions
    alone.
    """
    return advance_by_days(clocks, policy, sessions / policy.expected_tasks_per_day)


def advance_by_days(clocks: Clocks, policy: Policy, days: float) -> Clocks:
    """Return the clocks after a sleep that applies `days` days of decay."""
    return tuple(clock + days * log(target) for clock, target in zip(clocks, policy.daily_decay_targets, strict=True))


def stored_value(strength: float, clock: float) -> float:
    """Return the value `a` to store for a strength at the present clock value."""
    return log(min(max(strength, MIN_STRENGTH), MAX_STRENGTH)) - clock


def log_strength(stored_strength: Any, clock: Any) -> Any:
    """Return the logarithm of the current strength of a stored value. It orders memories as their strength does."""
    return stored_strength + clock


def strength(stored_strength: Any, clock: Any, arithmetic: Arithmetic = FLOATS) -> Any:
    """Return the current strength of a stored value at the present clock value."""
    return arithmetic.exp(log_strength(stored_strength, clock))


def clock_of(status: Any, level: Any, clocks: Sequence[Any], arithmetic: Arithmetic = FLOATS) -> Any:
    """Return the value of the clock that applies to a memory with this status and level."""
    return arithmetic.where(status == "active", arithmetic.item(clocks, level), FROZEN_CLOCK)


def faint_below(clocks: Clocks, policy: Policy, sessions: int) -> tuple[float, ...]:
    """Return a bound of the stored value for each level. A memory that is not below its bound stays above the archive
    threshold in the next sleep.

    The bound assumes that decay depends on the number of `sessions` alone, which gives the most decay.
    """
    later = advance_by_sessions(clocks, policy, sessions)
    return tuple(log(policy.archive_threshold) - clock + ROUNDING for clock in later)
