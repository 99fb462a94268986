"""Suspension of modules while model providers fail (document 002 §6.5, RULINGS)."""

from typing import Literal, assert_never

ProviderState = Literal["ok", "failing", "down"]
"""State of the providers: all work, the first fails and another answers, or all fail."""

SUSPENDED_ON_FAILURE = frozenset({"goal_generation", "planning"})
"""Modules that keep their last result from the first failing provider on."""
SUSPENDED_ON_OUTAGE = frozenset({"social_awareness"})
"""Modules that pause when all providers fail."""


def suspended_modules(state: ProviderState) -> frozenset[str]:
    """Return the modules that make no model requests in this state. The controller is never suspended."""
    match state:
        case "ok":
            return frozenset()
        case "failing":
            return SUSPENDED_ON_FAILURE
        case "down":
            return SUSPENDED_ON_FAILURE | SUSPENDED_ON_OUTAGE
        case _:
            assert_never(state)
