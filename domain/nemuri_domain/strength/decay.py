"""Every level has a clock, so that a sleep moves six numbers instead of every memory (DESIGN §5).

A clock runs down by `-ln target(level)` for each day that a sleep ages the agent by. A memory keeps `a = ln s - C`,
taken when it was last touched; its strength at any later moment is `exp(a + C)`.
"""

from math import exp, log

from nemuri_domain.strength.policy import LEVELS, Policy

Clocks = tuple[float, ...]
"""One number for each level, never rising."""

FAINTEST, STRONGEST = 1e-300, 1e300
"""A strength beyond these counts as these, so that every number of a fold stays finite."""
STOPPED: Clocks = (0.0,) * LEVELS
"""The clocks of an agent that has never slept."""


def advanced(clocks: Clocks, policy: Policy, sessions: int) -> Clocks:
    """The clocks after a sleep over so many sessions that ages by sessions alone."""
    return aged(clocks, policy, sessions / policy.expected_tasks_per_day)


def aged(clocks: Clocks, policy: Policy, days: float) -> Clocks:
    """Return the clocks after a sleep that ages by so many days."""
    return tuple(clock + days * log(target) for clock, target in zip(clocks, policy.daily_decay_targets, strict=True))


def base(strength: float, clock: float) -> float:
    """What a memory keeps of a strength that it has now."""
    return log(min(max(strength, FAINTEST), STRONGEST)) - clock


def strength(kept: float, clock: float) -> float:
    """The strength now of a memory that keeps `kept`."""
    return exp(kept + clock)
