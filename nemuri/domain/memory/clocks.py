"""Every level has a clock, so that a sleep moves six numbers instead of every memory (DESIGN §5).

A clock runs down by `-ln rate(level)` for each session slept. A memory keeps `a = ln s - C`, taken when it was last
touched; its strength at any later moment is `exp(a + C)`.
"""

from math import exp, log

from nemuri.domain.memory.policy import LEVELS, Policy

Clocks = tuple[float, ...]
"""One number for each level, never rising."""

STOPPED: Clocks = (0.0,) * LEVELS
"""The clocks of an agent that has never slept."""


def advanced(clocks: Clocks, policy: Policy, sessions: int) -> Clocks:
    """The clocks after a sleep over so many sessions."""
    return tuple(clock + sessions * log(policy.rate(level)) for level, clock in enumerate(clocks))


def base(strength: float, clock: float) -> float:
    """What a memory keeps of a strength that it has now; strength above 0."""
    return log(strength) - clock


def strength(kept: float, clock: float) -> float:
    """The strength now of a memory that keeps `kept`."""
    return exp(kept + clock)
