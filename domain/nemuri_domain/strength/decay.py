"""Decay in closed form: one clock per consolidation level, so a sleep changes six numbers and no memory (DESIGN §5).

A clock falls by `-ln target(level)` per day of decay. A memory stores `a = ln s - C` at its last change. Its strength
at any later time is `exp(a + C)`.
"""

from math import log
from typing import Any

from nemuri_domain.event_sourcing.arithmetic import FLOATS, Arithmetic
from nemuri_domain.strength.policy import LEVELS, Policy

Clocks = tuple[float, ...]
"""Clock value per level. A clock never rises."""
ARCHIVED_CLOCK = 0.0
"""Clock of archived memories. They do not decay."""
ROUNDING = 1e-6
"""Margin above the archive threshold (ln strength) for selecting memories. The decision itself is exact."""

MIN_STRENGTH, MAX_STRENGTH = 1e-300, 1e300
"""Bounds of a strength. Values outside are clamped, so all numbers of a fold stay finite."""
INITIAL_CLOCKS: Clocks = (0.0,) * LEVELS
"""Clocks of an agent that has never slept."""


def advance_by_sessions(clocks: Clocks, policy: Policy, sessions: int) -> Clocks:
    """Return the clocks after a sleep over `sessions` sessions, if decay depends on sessions alone."""
    return advance_by_days(clocks, policy, sessions / policy.expected_tasks_per_day)


def advance_by_days(clocks: Clocks, policy: Policy, days: float) -> Clocks:
    """Return the clocks after a sleep that applies `days` days of decay."""
    return tuple(clock + days * log(target) for clock, target in zip(clocks, policy.daily_decay_targets, strict=True))


def stored_value(strength: float, clock: float) -> float:
    """Return the stored value for a current strength."""
    return log(min(max(strength, MIN_STRENGTH), MAX_STRENGTH)) - clock


def log_strength(kept: Any, clock: Any) -> Any:
    """Return the logarithm of the current strength for a stored value. It orders memories as their strength does."""
    return kept + clock


def strength(kept: Any, clock: Any, arithmetic: Arithmetic = FLOATS) -> Any:
    """Return the current strength for a stored value."""
    return arithmetic.exp(log_strength(kept, clock))


def clock_of(status: Any, level: Any, clocks: Clocks, arithmetic: Arithmetic = FLOATS) -> Any:
    """Return the clock of a memory by its status and level."""
    return arithmetic.where(status == "archived", ARCHIVED_CLOCK, arithmetic.item(clocks, level))


def faint_below(clocks: Clocks, policy: Policy, sessions: int) -> tuple[float, ...]:
    """Return the stored value per level below which a memory is under the archive threshold after the next sleep."""
    later = advance_by_sessions(clocks, policy, sessions)
    return tuple(log(policy.archive_threshold) - clock + ROUNDING for clock in later)
