"""Tests of decisions and of reading them from replies of a model."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.decision import MAX_CHARACTERS, Decision, next_id, read_decision
from nemuri_society.cognition.intents import Intent

WELL = {
    "high_level_intent": "make tools",
    "priority_action": "collect 3 wood",
    "speech_directive": "tell Bea what I do",
    "context_summary": "trees are near",
}


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(WELL),
        f"```json\n{json.dumps(WELL, indent=2)}\n```",
        f"I think this is best: {json.dumps(WELL)} Good luck!",
        json.dumps({"decision": WELL}),
        json.dumps({"thought": "no decision here"}) + json.dumps(WELL),
    ],
)
def test_a_decision_is_read_from_surrounding_text(reply: str) -> None:
    """A decision is read from a reply that has text or fences around the JSON."""
    found = read_decision(reply, "d1t0", 4.0)
    assert found == Decision(id="d1t0", at=4.0, **WELL)
    assert found.intent == Intent("collect", "wood", 3)
    assert Decision.of(found.values()) == found


@pytest.mark.parametrize(
    "change",
    [
        {"priority_action": "levitate over the clouds"},
        {"priority_action": ""},
        {"priority_action": None},
        {"priority_action": "give 2 wood"},
        {"high_level_intent": "  "},
        {"high_level_intent": 3},
    ],
)
def test_a_decision_without_an_executable_action_is_refused(change: dict[str, object]) -> None:
    """A reply without an executable action raises an error."""
    with pytest.raises(ValueError, match="no decision"):
        read_decision(json.dumps(WELL | change), "d1t0", 0.0)


def test_several_notations_of_no_speech_are_read() -> None:
    """Several notations of "no speech" give a decision without a speech directive."""
    for nothing in ("", "none", "None.", None, "なし"):
        assert read_decision(json.dumps(WELL | {"speech_directive": nothing}), "d1t0", 0.0).speech_directive == ""


@given(st.text(max_size=300))
def test_any_reply_is_read_or_refused(text: str) -> None:
    """Any reply is read or refused. The fields of a decision are short single lines."""
    for reply in (text, json.dumps(WELL | {"high_level_intent": text + "!", "context_summary": text})):
        try:
            found = read_decision(reply, "d1t0", 0.0)
        except ValueError:
            continue
        for name, longest in MAX_CHARACTERS.items():
            value = getattr(found, name)
            assert len(value) <= longest
            assert "\n" not in value


def test_ids_of_decisions_are_ordered() -> None:
    """Ids of decisions are different and in the order of the decisions, even within one second."""
    assert next_id({}, 1.5) == "d1t150"
    assert next_id({"id": "d1t150"}, 1.5) == "d2t150"
