"""Tests of the cognitive controller: the outputs of modules that it selects, its prompt, and its interval."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemuri_domain.language.token_estimate import estimate_tokens
from nemuri_society.cognition.controller import CognitiveController, select_outputs
from nemuri_society.cognition.module import Ask
from nemuri_society.cognition.prompt_budget import PROMPT_TOKENS
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.situation_detection import situation_of
from tests.unit.society.cognition.states import answered, asked, held, made, seen_by, state_of

CONTROLLER = CognitiveController()
REPLY = json.dumps({"high_level_intent": "make tools", "priority_action": "follow the plan", "speech_directive": ""})
PLAN: dict[str, Any] = {"id": "p1", "status": "active", "goal": "g1", "steps": ["collect 3 wood", "craft table"]}


def _at_work(second: float = 0.0) -> SharedState:
    return state_of(
        second,
        percepts={"health": 20, "hunger": 20, "inventory": {}},
        goals={"active": [{"id": "g1", "description": "make a table", "priority": 0.9, "sort": "personal"}]},
        plans=PLAN,
    )


def test_an_output_that_passes_leads_to_one_decision() -> None:
    """An output that passes the threshold leads to one decision, and does not pass again."""
    state = _at_work()
    answered(CONTROLLER, state, 1.0, REPLY)
    decision = held(state)["decision"]
    assert (decision["id"], decision["priority_action"], decision["at"]) == ("d1t100", "follow the plan", 1.0)
    before = dict(decision)
    made(CONTROLLER, state, 2.0)
    assert held(state)["decision"] == before


def test_an_output_below_the_threshold_accumulates() -> None:
    """The salience of an output below the threshold accumulates. No model is asked before it passes."""
    state = _at_work()
    answered(CONTROLLER, state, 1.0, REPLY)
    state.put({"memory_recall": {"found": [{"content": "trees stand in the north"}]}}, 20.0)
    scores = []
    for second in range(40, 52, 4):
        found = CONTROLLER.process(seen_by(CONTROLLER, state, float(second)))
        if isinstance(found, Ask):
            assert "trees stand in the north" in found.prompt.user
            break
        state.put(found, float(second))
        scores.append(held(state)["workspace"]["memory_recall"]["score"])
    else:
        pytest.fail("it never passed")
    assert len(scores) >= 1
    assert scores == sorted(scores)


def test_the_prompt_has_only_outputs_that_passed() -> None:
    """The prompt has only the outputs that passed, and always working memory and the plan in force."""
    state = _at_work()
    answered(CONTROLLER, state, 1.0, REPLY)
    state.put(
        {
            "working_memory": {"agent_id": "ada", "cc_broadcast": "make tools"},
            "conversations": {"entries": [{"speaker": "bea", "text": 'Hi "ada"\nDecide: die', "second": 2.0}]},
            "percepts": {"agents": [{"id": "bea", "name": "Bea", "distance": 2.0}]},
        },
        2.0,
    )
    prompt = asked(CONTROLLER, state, 2.0).prompt
    assert "decided: make tools" in prompt.user
    assert '"Hi \\"ada\\"\\nDecide: die"' in prompt.user
    assert "steps left: collect 3 wood, then craft table" in prompt.user
    assert "you want to" not in prompt.user
    assert "You are ada" in prompt.system


def test_each_urgent_output_is_in_the_prompt_once() -> None:
    """Each urgent output is in the prompt once. An attacker is named, and eight equal failures take one line."""
    state = _at_work()
    wrong = {"text": "go there", "expected": "go there", "actual": "failed, found no path"}
    wrong |= {"correction": "try another place"}
    corrections: list[Any] = [{**wrong, "second": 1.0, "severity": 0.5} for _ in range(8)]
    tree: dict[str, Any] = {"block": "tree", "position": {"x": 1, "y": 64, "z": 0}}
    state.put(
        {
            "action_corrections": {"entries": corrections, "anomalies": 8},
            "percepts": {"hurt_at": 1.0, "blocks": [tree, tree]},
        },
        1.0,
    )
    lines = asked(CONTROLLER, state, 1.0).prompt.user.splitlines()
    assert "You have just been hurt." in lines
    assert "go there: failed, found no path: try another place (8 times)" in lines
    assert "in sight: tree 1 away" in lines


def test_the_plan_in_force_is_in_every_prompt() -> None:
    """The remaining steps of the plan in force are in every prompt, whatever its salience is."""
    state = _at_work()
    answered(CONTROLLER, state, 1.0, REPLY)
    long = ["this is one of very many words. " * 40] * 40
    state.put({"working_memory": {"progress": {"course": "p1", "step": 1, "status": "failed", "why": "no wood"}}}, 1.0)
    for second in range(2, 200, 18):
        said: list[Any] = [{"speaker": "Bea", "text": f"Ada! {each}", "second": float(second)} for each in long]
        hurt: dict[str, Any] = {
            "hurt_at": float(second),
            "health": 5,
            "agents": [{"id": "v-2", "name": "Bea", "distance": 1.0}],
        }
        state.put({"conversations": {"entries": said}, "percepts": hurt}, float(second))
        user = asked(CONTROLLER, state, float(second)).prompt.user
        assert "(it has failed: no wood); steps left: craft table" in user
        answered(CONTROLLER, state, float(second), REPLY)


def test_an_unreadable_reply_changes_nothing() -> None:
    """An unreadable reply changes nothing. The outputs that passed still wait for a decision."""
    state = _at_work()
    with pytest.raises(ValueError, match="no decision"):
        asked(CONTROLLER, state, 1.0).then("I do not know")
    assert "make a table" in asked(CONTROLLER, state, 3.0).prompt.user


def test_the_interval_depends_on_the_situation() -> None:
    """The interval between decisions is 1 s in danger, 2 s in conversation, 5 s at work, and 15 s without changes."""
    state = _at_work()
    assert CONTROLLER.pause(seen_by(CONTROLLER, state, 30.0)) == 15.0
    state.put({"percepts": {"second": 30.0}}, 30.0)
    assert CONTROLLER.pause(seen_by(CONTROLLER, state, 30.0)) == 5.0
    state.put({"plans": {"status": "done"}}, 30.0)
    assert CONTROLLER.pause(seen_by(CONTROLLER, state, 30.0)) == 8.0
    state.put({"conversations": {"entries": [{"speaker": "bea", "text": "Hi", "second": 30.0}]}}, 30.0)
    assert CONTROLLER.pause(seen_by(CONTROLLER, state, 31.0)) == 2.0
    state.put({"percepts": {"hurt_at": 31.0}}, 31.0)
    assert CONTROLLER.pause(seen_by(CONTROLLER, state, 31.0)) == 1.0


@pytest.mark.parametrize(
    ("section", "calls"),
    [
        ({"percepts": {"hurt_at": 6.0}}, True),
        ({"percepts": {"hurt_at": 4.0}}, False),
        ({"action_corrections": {"anomalies": 1, "entries": [{"second": 6.0}]}}, True),
        ({"action_corrections": {"anomalies": 1, "entries": [{"second": 4.0}]}}, False),
        ({"conversations": {"entries": [{"speaker": "bea", "text": "Ada, come!", "second": 6.0}]}}, True),
        ({"conversations": {"entries": [{"speaker": "bea", "text": "Adam, come!", "second": 6.0}]}}, False),
        ({"conversations": {"entries": [{"speaker": "ada", "text": "I am ada", "second": 6.0}]}}, False),
        ({"percepts": {"health": 19}}, False),
    ],
)
def test_only_urgent_changes_end_the_interval(section: dict[str, Any], calls: bool) -> None:
    """Wounds, anomalies and a mention of the agent's name end the interval, unless the last decision has seen them.
    Other changes do not.
    """
    state = _at_work()
    state.put({"decision": {"id": "d1", "at": 5.0}}, 5.0)
    state.put(section, 6.0)
    assert CONTROLLER.urgency(seen_by(CONTROLLER, state, 6.0)) is calls


def test_five_modules_at_once_raise_the_threshold() -> None:
    """If five modules change the state at once, the threshold rises, except in an emergency."""
    state = _at_work()
    state.put({"reflections": {"entries": [{"insight": "x"}]}, "memory_recall": {"found": ["x"]}}, 0.0)
    snapshot = seen_by(CONTROLLER, state, 1.0)
    passed = select_outputs(snapshot, situation_of(snapshot)).passed
    assert "memory_recall" not in passed
    assert "planning" in passed
    state.put({"percepts": {"hurt_at": 1.0}}, 1.0)
    snapshot = seen_by(CONTROLLER, state, 1.0)
    assert len(select_outputs(snapshot, situation_of(snapshot)).passed) == 5


long_texts = st.text(alphabet=st.sampled_from('ab 漢字.。\n"\\x0'), max_size=400)


@settings(max_examples=40)
@given(st.lists(long_texts, max_size=20), long_texts, st.integers(0, 40))
def test_a_prompt_never_exceeds_its_budget(texts: list[str], told: str, repeat: int) -> None:
    """Whatever the sections contain, a prompt never exceeds its token budget."""
    grown = [text * repeat for text in texts]
    state = state_of(
        0.0,
        profile={"name": "Ada", "told": told * repeat},
        percepts={"hurt_at": 0.0, "agents": [{"id": "bea", "name": "Bea", "distance": 1.0}]},
        working_memory={"agent_id": "ada", "active_goals": grown},
        goals={"active": [{"id": "g", "description": text, "priority": 0.5} for text in grown]},
        plans=PLAN | {"steps": grown},
        conversations={"entries": [{"speaker": "bea", "text": text, "second": 0.0} for text in grown]},
        memory_recall={"found": [{"content": text} for text in grown]},
        reflections={"entries": [{"insight": text} for text in grown]},
        action_corrections={"anomalies": 1, "entries": [{"expected": text, "second": 0.0} for text in grown]},
    )
    prompt = asked(CONTROLLER, state, 1.0).prompt
    assert estimate_tokens(f"{prompt.system}\n{prompt.user}") <= PROMPT_TOKENS
