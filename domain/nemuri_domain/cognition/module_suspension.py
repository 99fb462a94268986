"""Which modules rest while providers of models fail (document 002 §6.5, RULINGS)."""

from typing import Literal, assert_never

Provider = Literal["ok", "failing", "down"]
"""All is well; the first provider fails and another one answers; the last one fails too."""

KEEPING = frozenset({"goal_generation", "planning"})
"""They keep their last decision from the first failure on."""
PAUSING = frozenset({"social_awareness"})
"""They pause at the last."""


def suspended(state: Provider) -> frozenset[str]:
    """The modules that ask nothing in this state. The controller always goes on, with whichever model there is."""
    match state:
        case "ok":
            return frozenset()
        case "failing":
            return KEEPING
        case "down":
            return KEEPING | PAUSING
        case _:
            assert_never(state)
