"""Suspension of modules while model providers fail (document 002 §6.5, RULINGS)."""

from typing import Literal, assert_never

ProviderState = Literal["ok", "failing", "down"]
"""State of the model providers. `ok`: all work. `failing`: the first one fails and another answers. `down`: all
fail.
"""

SUSPENDED_ON_FAILURE = frozenset({"goal_generation", "planning"})
"""Modules that are suspended as soon as the first provider fails. Their last result stays in force."""
SUSPENDED_ON_OUTAGE = frozenset({"social_awareness"})
"""Modules that are suspended only when all providers fail."""


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
