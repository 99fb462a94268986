"""Tests of the module Self-Reflection: the conditions under which an agent reflects, and the stored insights."""

import json
from typing import Any

import pytest

from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.self_reflection import SelfReflection, read_reflection
from nemuri_society.cognition.shared_state import SharedState
from tests.unit.society.cognition.states import answered, held, made, seen_by, state_of

REFLECTION = SelfReflection(NoMemories())
REPLY = json.dumps({"observation": "3 failed", "insight": "Stone takes a pickaxe", "goal_adjustment": "make a pickaxe"})


def _acts(count: int, since: float = 0.0) -> list[dict[str, Any]]:
    return [
        {
            "id": f"a{number}",
            "text": "collect stone",
            "outcome": {"done": False, "reason": "x", "second": since + number},
        }
        for number in range(count)
    ]


def _done(count: int) -> SharedState:
    return state_of(0.0, action_history={"entries": _acts(count)}, plans={"id": "p1"})


def test_five_actions_are_a_reason_to_reflect() -> None:
    """Five actions since the last reflection cause another one. With fewer actions the module asks no model."""
    few, many = _done(4), _done(5)
    assert made(REFLECTION, few, 9.0) == {}
    assert not REFLECTION.asks(seen_by(REFLECTION, few, 9.0))
    assert REFLECTION.asks(seen_by(REFLECTION, many, 9.0))
    answered(REFLECTION, many, 9.0, REPLY)
    assert made(REFLECTION, many, 19.0) == {}


def test_an_insight_is_stored_and_becomes_an_experience() -> None:
    """An insight is stored, and becomes an experience for tiered memory."""
    state = _done(5)
    answered(REFLECTION, state, 9.0, REPLY)
    (thought,) = held(state)["reflections"]["entries"]
    assert (thought["insight"], thought["goal_adjustment"]) == ("Stone takes a pickaxe", "make a pickaxe")
    (told,) = held(state)["experiences"]["self_reflection"]
    assert (told["type"], told["content"]) == ("reflection", "Stone takes a pickaxe")


def test_a_new_plan_is_a_reason_to_reflect() -> None:
    """A new plan causes a reflection, if there was an action since the last one."""
    state = _done(5)
    answered(REFLECTION, state, 9.0, REPLY)
    state.put({"plans": {"id": "p2"}}, 10.0)
    assert made(REFLECTION, state, 10.0) == {}
    state.put({"action_history": {"entries": [*_acts(1, since=11.0)]}}, 11.0)
    answered(REFLECTION, state, 12.0, REPLY)
    assert len(held(state)["reflections"]["entries"]) == 2


def test_a_reply_may_have_no_adjustment_but_needs_an_insight() -> None:
    """A reply may say in several notations that nothing is to be adjusted. A reply without an insight raises an
    error.
    """
    for nothing in ("", "None.", "null", None):
        assert read_reflection(json.dumps({"insight": "x", "goal_adjustment": nothing}), 0.0)["goal_adjustment"] is None
    with pytest.raises(ValueError, match="no insight"):
        read_reflection('{"observation": "all is well"}', 0.0)
