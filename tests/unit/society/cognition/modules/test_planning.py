"""Tests of the module Planning: the conditions under which it makes a plan, and the goals after the end of a plan."""

import json
from typing import Any

import pytest

from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.planning import MAX_FAILED_PLANS, Planning, read_steps
from nemuri_society.cognition.shared_state import SharedState
from tests.unit.society.cognition.states import answered, asked, held, made, state_of

PLANNING = Planning(NoMemories())
REPLY = json.dumps({"steps": ["collect 2 wood", "dance", "Craft a table", 7]})
GOALS: dict[str, Any] = {
    "active": [
        {"id": "g1", "description": "make a table", "priority": 0.9},
        {"id": "g2", "description": "see the world", "priority": 0.2},
    ]
}


def _planned() -> SharedState:
    state = state_of(0.0, goals=GOALS, percepts={"health": 20})
    answered(PLANNING, state, 1.0, REPLY)
    return state


def _ended(state: SharedState, status: str, why: str = "") -> None:
    course = held(state)["plans"]["id"]
    state.put({"working_memory": {"progress": {"course": course, "status": status, "why": why}}}, 2.0)


def test_a_plan_has_executable_steps_for_the_most_important_goal() -> None:
    """A plan consists of executable steps for the most important goal. While it is valid it is not changed."""
    state = _planned()
    plan = held(state)["plans"]
    assert (plan["goal"], plan["status"], plan["steps"]) == ("g1", "active", ["collect 2 wood", "craft 1 table"])
    assert made(PLANNING, state, 6.0) == {}


def test_a_finished_plan_completes_its_goal() -> None:
    """The end of a plan completes its goal. Then the next goal is planned."""
    state = _planned()
    _ended(state, "done")
    answered(PLANNING, state, 6.0, REPLY)
    plan = held(state)["plans"]
    assert (plan["goal"], plan["done"], plan["id"]) == ("g2", ["g1"], "p600")
    _ended(state, "done")
    made(PLANNING, state, 11.0)
    assert held(state)["plans"]["status"] == "done"
    assert held(state)["plans"]["done"] == ["g1", "g2"]
    assert made(PLANNING, state, 16.0)["plans"]["done"] == ["g1", "g2"]


def test_a_failed_plan_is_repeated_until_the_goal_is_given_up() -> None:
    """After a failed plan a new one is made, and its prompt has the reason. After several failures the goal is given
    up.
    """
    state = _planned()
    for number in range(1, MAX_FAILED_PLANS):
        _ended(state, "failed", "no table within reach")
        assert "no table within reach" in asked(PLANNING, state, 6.0 + number).prompt.user
        answered(PLANNING, state, 6.0 + number, REPLY)
        assert held(state)["plans"]["goal"] == "g1"
    _ended(state, "failed")
    answered(PLANNING, state, 20.0, REPLY)
    assert (held(state)["plans"]["goal"], held(state)["plans"]["given_up"]) == ("g2", ["g1"])


def test_a_plan_for_a_dropped_goal_is_dropped() -> None:
    """If its goal is dropped, a plan is dropped too."""
    state = _planned()
    state.put({"goals": {"active": GOALS["active"][1:]}}, 2.0)
    assert "see the world" in asked(PLANNING, state, 6.0).prompt.user


def test_without_goals_no_plan_is_made() -> None:
    """Without goals the module makes no request."""
    state = state_of(0.0, percepts={"health": 20})
    made(PLANNING, state, 5.0)
    assert "steps" not in held(state).get("plans", {})


def test_a_reply_without_executable_steps_is_refused() -> None:
    """A reply without executable steps raises an error."""
    for reply in ("", '{"steps": []}', '{"steps": ["dance"]}', '{"steps": ["follow the plan"]}'):
        with pytest.raises(ValueError, match="no executable steps"):
            read_steps(reply)
