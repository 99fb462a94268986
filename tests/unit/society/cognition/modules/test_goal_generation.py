"""Tests of the module Goal Generation: the conditions under which it generates goals, and the graph of goals."""

import json
from typing import Any

import pytest

from nemuri_society.cognition.goal_graph import extended_graph, goal_id, next_goal, read_goals
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.goal_generation import REVIEW_SECONDS, GoalGeneration
from nemuri_society.cognition.shared_state import SharedState
from tests.unit.society.cognition.states import answered, asked, held, made, state_of

GOALS = GoalGeneration(NoMemories())
REPLY = json.dumps(
    {
        "goals": [
            {"description": "make a table", "priority": 0.4, "sort": "personal", "needs": []},
            {"description": "Help Bea", "priority": 7, "sort": "social", "needs": ["make a table"]},
        ]
    }
)


def _wanting() -> SharedState:
    state = state_of(0.0, percepts={"health": 20, "inventory": {}}, profile={"name": "Ada", "role": "smith"})
    answered(GOALS, state, 1.0, f"Sure!\n```json\n{REPLY}\n```")
    return state


def test_goals_are_generated_with_their_dependencies() -> None:
    """One reply of the model gives goals and their dependencies."""
    found = held(_wanting())
    table, bea = goal_id("make a table"), goal_id("help  bea")
    assert [(each["id"], each["priority"], each["sort"]) for each in found["goals"]["active"]] == [
        (table, 0.4, "personal"),
        (bea, 1.0, "social"),
    ]
    assert found["goal_graph"]["edges"] == [[table, bea]]
    assert [each["id"] for each in found["goal_graph"]["nodes"]] == [table, bea]


def test_a_goal_waits_for_its_prerequisites() -> None:
    """A goal becomes active only after its prerequisites. In a cycle of prerequisites there is still a first goal."""
    found = held(_wanting())
    goals, edges = found["goals"]["active"], found["goal_graph"]["edges"]
    table, bea = goal_id("make a table"), goal_id("help bea")
    first = next_goal(goals, edges, [])
    assert first is not None
    assert first["id"] == table
    second = next_goal(goals, edges, [table])
    assert second is not None
    assert second["id"] == bea
    assert next_goal(goals, edges, [table, bea]) is None
    assert next_goal(goals, [[table, bea], [bea, table]], []) is not None


def test_valid_goals_are_kept_without_a_request() -> None:
    """While its goals are valid the module asks no model."""
    assert made(GOALS, _wanting(), 10.0) == {}


@pytest.mark.parametrize(
    ("change", "second"),
    [
        ({"plans": {"done": [goal_id("make a table")], "given_up": [goal_id("help bea")]}}, 10.0),
        ({"reflections": {"entries": [{"second": 5.0, "insight": "x", "goal_adjustment": "something else"}]}}, 10.0),
        ({}, 1.0 + REVIEW_SECONDS),
    ],
)
def test_new_goals_are_generated_when_the_old_ones_are_not_valid(change: dict[str, Any], second: float) -> None:
    """New goals are generated when all goals have ended, when a reflection advises it, or after two minutes."""
    state = _wanting()
    state.put(change, 9.0)
    prompt = asked(GOALS, state, second).prompt
    assert "smith" in prompt.system
    assert ("reached: make a table" in prompt.user) is ("plans" in change)


def test_a_reply_without_goals_is_refused() -> None:
    """A reply without goals raises an error."""
    for reply in ("", "{}", '{"goals": []}', '{"goals": [{"description": ""}]}', '{"goals": "many"}'):
        with pytest.raises(ValueError, match="no goals"):
            read_goals(reply)


def test_the_graph_keeps_the_newest_goals_and_their_edges() -> None:
    """The graph has a limited size. It keeps the newest goals, and only edges between goals that are kept."""
    grown: dict[str, Any] = {}
    for number in range(50):
        needs = [f"goal {number - 1}"] if number else []
        grown = extended_graph(
            read_goals(json.dumps({"goals": [{"description": f"goal {number}", "needs": needs}]})), grown
        )
    assert len(grown["nodes"]) == 32
    assert len(grown["edges"]) == 31


def test_the_advice_of_a_reflection_is_in_the_prompt() -> None:
    """The prompt contains the advice and the insights of reflections."""
    state = _wanting()
    advice: dict[str, Any] = {
        "second": 5.0,
        "insight": "tables are of no use",
        "goal_adjustment": "look for iron instead",
    }
    state.put({"reflections": {"entries": [advice]}}, 5.0)
    lines = asked(GOALS, state, 6.0).prompt.user.splitlines()
    assert "you concluded: tables are of no use" in lines
    assert "your advice to yourself, about what to want: look for iron instead" in lines
