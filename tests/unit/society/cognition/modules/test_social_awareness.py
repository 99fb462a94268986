"""Tests of the module Social Awareness: the conditions under which it judges others, and the stored judgements."""

import json

import pytest

from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.modules.social_awareness import WORDS_STEP, SocialAwareness
from nemuri_society.cognition.shared_state import SharedState
from tests.unit.society.cognition.states import answered, asked, held, made, state_of

SOCIAL = SocialAwareness(NoMemories())
NEAR = {"agents": [{"id": "bea", "name": "Bea", "distance": 2.0}]}
REPLY = json.dumps({"bea": {"sentiment": 12, "relationship": "best  friend"}, "eve": {"sentiment": 0}})


def _hearing(*said: tuple[str, float]) -> SharedState:
    entries = [{"speaker": who, "text": "hello", "second": second} for who, second in said]
    return state_of(0.0, percepts=NEAR, conversations={"entries": entries})


def test_each_speaker_is_judged_once() -> None:
    """Each speaker is judged once; words alone move a sentiment by a step. A speaker that the reply omits keeps its
    judgement.
    """
    state = _hearing(("bea", 1.0), ("cem", 2.0), ("bea", 3.0))
    answered(SOCIAL, state, 4.0, REPLY)
    assert held(state)["social_model"] == {
        "bea": {"sentiment": 5.0 + WORDS_STEP, "relationship": "best friend", "last_interaction": 3.0},
        "cem": {"sentiment": 5.0, "relationship": "acquaintance", "last_interaction": 2.0},
    }
    assert made(SOCIAL, state, 5.0) == {}


def test_only_new_utterances_are_judged() -> None:
    """Only speakers with new utterances are judged. Judgements of others do not change."""
    state = _hearing(("bea", 1.0), ("cem", 2.0))
    answered(SOCIAL, state, 4.0, REPLY)
    entries = [*held(state)["conversations"]["entries"], {"speaker": "cem", "text": "Bye", "second": 6.0}]
    state.put({"conversations": {"entries": entries}}, 6.0)
    ask = asked(SOCIAL, state, 6.0)
    assert ask.prompt.about["speakers"] == ["cem"]
    assert ask.then('{"cem": {"sentiment": 2}}')["social_model"].keys() == {"cem"}


def test_nobody_is_judged_alone_or_after_own_words() -> None:
    """The module makes no request if the agent is alone, or if only the agent itself has spoken."""
    assert made(SOCIAL, _hearing(("ada", 1.0)), 2.0) == {}
    alone = _hearing(("bea", 1.0))
    alone.put({"percepts": {"agents": []}}, 1.0)
    assert made(SOCIAL, alone, 2.0) == {}


def test_a_reply_without_any_speaker_is_refused() -> None:
    """A reply without any of the speakers raises an error."""
    ask = asked(SOCIAL, _hearing(("bea", 1.0)), 2.0)
    for reply in ("", "{}", '{"eve": {"sentiment": 3}}', '{"bea": 3}'):
        with pytest.raises(ValueError, match="judges none of the speakers"):
            ask.then(reply)
