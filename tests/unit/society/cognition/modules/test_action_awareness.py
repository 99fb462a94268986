"""Tests of the module Action Awareness: it detects each anomaly once, and the anomaly stays open until a decision has
seen it.
"""

from typing import Any

import pytest

from nemuri_society.cognition.modules.action_awareness import ActionAwareness
from nemuri_society.cognition.percept_updates import WITHDRAWN
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.world.refusal_reasons import REPLACED
from tests.unit.society.cognition.states import held, made, state_of

AWARE = ActionAwareness()
DONE = {"done": True, "reason": "", "second": 2.0}


def _acting(expected: dict[str, Any], outcome: dict[str, Any] | None, **percepts: Any) -> SharedState:
    act = {
        "id": "d1-1",
        "text": "collect tree",
        "expected": expected,
        "before": {"wood": 2, "hunger": 9},
        "second": 1.0,
    }
    return state_of(
        1.0,
        action_history={"entries": [act | ({"outcome": outcome} if outcome else {})]},
        percepts={"position": {"x": 0, "y": 64, "z": 0}, "inventory": {"wood": 2}} | percepts,
        decision={"id": "d1", "at": 0.5},
        working_memory={"last_action_check": 0.0},
    )


@pytest.mark.parametrize(
    ("expected", "percepts", "supposed"),
    [
        ({"gain": {"wood": 1}}, {"inventory": {"wood": 3}}, False),
        ({"gain": {"wood": 1}}, {"inventory": {"wood": 2}}, True),
        ({"gain": {"table": 1}}, {"inventory": {}}, True),
        ({"loss": {"wood": 2}}, {"inventory": {}}, False),
        ({"loss": {"wood": 2}}, {"inventory": {"wood": 1}}, True),
        ({"at": {"x": 3, "y": 64, "z": 2}}, {}, False),
        ({"at": {"x": 9, "y": 64, "z": 2}}, {}, True),
        ({"at": {"x": 1, "y": 64, "z": 0}, "block": "table"}, {"blocks": []}, True),
        (
            {"at": {"x": 1, "y": 64, "z": 0}, "block": "table"},
            {"blocks": [{"block": "table", "position": {"x": 1, "y": 64, "z": 0}}]},
            False,
        ),
        ({}, {}, False),
    ],
)
def test_a_reported_result_is_compared_with_the_inventory(
    expected: dict[str, Any], percepts: dict[str, Any], supposed: bool
) -> None:
    """A result that is reported as done but has no effect in the inventory is an anomaly of severity 0.9."""
    state = _acting(expected, DONE, **percepts)
    made(AWARE, state, 2.0)
    found = held(state)["action_corrections"]
    assert found["anomalies"] == int(supposed)
    assert [each["severity"] for each in found["entries"]] == [0.9] * supposed
    assert held(state)["working_memory"]["has_anomalies"] is supposed


def test_a_failure_has_a_suggestion() -> None:
    """The anomaly of a failed action suggests a remedy."""
    state = _acting({"gain": {"wood": 1}}, {"done": False, "reason": "that is out of reach"})
    made(AWARE, state, 2.0)
    (wrong,) = held(state)["action_corrections"]["entries"]
    assert (wrong["actual"], wrong["correction"]) == ("failed, that is out of reach", "go nearer first")
    assert not wrong["supposed"]


@pytest.mark.parametrize("reason", [REPLACED, WITHDRAWN])
def test_an_action_ended_by_the_agent_is_no_anomaly(reason: str) -> None:
    """An action that ended for a reason caused by the agent itself is no anomaly."""
    state = _acting({"gain": {"wood": 1}}, {"done": False, "reason": reason})
    made(AWARE, state, 2.0)
    assert held(state)["action_corrections"]["anomalies"] == 0


def test_an_action_without_an_outcome_is_lost_after_a_minute() -> None:
    """An action that has no outcome after a minute counts as lost, which is an anomaly."""
    state = _acting({}, None)
    assert made(AWARE, state, 60.0) == {}
    made(AWARE, state, 62.0)
    assert held(state)["action_corrections"]["entries"][0]["severity"] == 0.4


def test_an_anomaly_is_reported_once_and_open_until_a_decision() -> None:
    """Each action is checked once, and its anomaly is open until a decision has seen it."""
    state = _acting({"gain": {"wood": 1}}, DONE)
    made(AWARE, state, 2.0)
    assert made(AWARE, state, 3.0) == {}
    state.put({"decision": {"id": "d2", "at": 3.0}}, 3.0)
    made(AWARE, state, 4.0)
    found = held(state)["action_corrections"]
    assert (found["anomalies"], len(found["entries"])) == (0, 1)


def test_only_the_last_five_actions_are_checked() -> None:
    """Only the last five actions are checked."""
    acts = [{"id": f"a{n}", "text": "x", "second": 1.0, "outcome": {"done": False, "reason": "no"}} for n in range(9)]
    state = state_of(1.0, action_history={"entries": acts}, percepts={"health": 20})
    made(AWARE, state, 2.0)
    assert [each["act"] for each in held(state)["action_corrections"]["entries"]] == ["a4", "a5", "a6", "a7", "a8"]
