"""Tests of the module Talking: it speaks for a decision, and never contradicts the decision in force."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nemuri_society.cognition.decision import Decision
from nemuri_society.cognition.engine import Engine, Pending
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Ask
from nemuri_society.cognition.modules.skill_execution import SkillExecution
from nemuri_society.cognition.modules.talking import Talking, utterance
from nemuri_society.cognition.shared_state import SharedState
from nemuri_society.cognition.speech_coherence import contradiction
from tests.unit.society.cognition.states import answered, asked, held, made, state_of

TALKING = Talking(NoMemories())
ACTIONS = {"collect 3 wood": "I'll chop trees.", "craft table": "I am making a table.", "rest": "I will rest."}


def _decided(number: int, action: str = "collect 3 wood", directive: str = "tell what you do") -> dict[str, Any]:
    return {
        "id": f"d{number}",
        "high_level_intent": "make tools",
        "priority_action": action,
        "speech_directive": directive,
        "context_summary": "",
        "at": float(number),
    }


def test_each_decision_with_a_directive_gets_one_utterance() -> None:
    """Each decision with a speech directive gets one utterance. A decision without one gets none."""
    state = state_of(0.0, decision=_decided(1))
    answered(TALKING, state, 1.0, '"I\'ll chop trees."\n')
    assert held(state)["pending_speech"] == {"text": "I'll chop trees.", "decision": "d1"}
    state.put({"pending_speech": {"text": None, "decision": None}}, 1.1)
    assert made(TALKING, state, 1.1) == {}
    state.put({"decision": _decided(2, directive="")}, 2.0)
    assert made(TALKING, state, 2.0) == {}
    state.put({"decision": _decided(3)}, 3.0)
    assert "tell what you do" in asked(TALKING, state, 3.0).prompt.user


def test_words_that_contradict_the_decision_are_dropped() -> None:
    """Words that contradict the decision are dropped and not requested again."""
    state = state_of(0.0, decision=_decided(1))
    answered(TALKING, state, 1.0, "I will craft a furnace.")
    assert held(state).get("pending_speech", {}) == {}
    assert "craft furnace" in held(state)["working_memory"]["spoken"]["refused"]
    assert made(TALKING, state, 2.0) == {}


def test_a_reply_without_words_is_a_failure() -> None:
    """A reply without words raises an error."""
    with pytest.raises(ValueError, match="no words"):
        asked(TALKING, state_of(0.0, decision=_decided(1)), 1.0).then(' ""\n')


@given(st.text(max_size=600))
def test_an_utterance_is_one_line_within_the_limits_of_worlds(text: str) -> None:
    """Any reply gives an utterance of one line, within the limit of characters that worlds accept."""
    found = utterance(text)
    assert len(found) <= 256
    assert "\n" not in found
    assert "\x00" not in found


def test_a_long_reply_is_cut_at_a_sentence() -> None:
    """A long reply is cut at the end of a sentence."""
    assert utterance("I am here. " * 40) == ("I am here. " * 23).rstrip()
    assert len(utterance("here " * 100)) <= 256


steps = st.one_of(
    st.tuples(st.just("decide"), st.sampled_from([*ACTIONS])),
    st.tuples(st.just("think"), st.just("")),
    st.tuples(st.just("answer"), st.sampled_from([*ACTIONS.values()])),
    st.tuples(st.just("leave"), st.just("")),
)


@settings(max_examples=80)
@given(st.lists(steps, max_size=30))
def test_an_utterance_belongs_to_the_decision_in_force(drawn: list[tuple[str, str]]) -> None:
    """In any order of events an utterance belongs to the decision in force and does not contradict it."""
    engine, waiting, said = Engine([TALKING, SkillExecution()], 0.0, seed=1), list[Pending](), list[str]()
    engine.add(
        SharedState.of("ada", {"percepts": {"position": {"x": 0, "y": 64, "z": 0}, "inventory": {"wood": 9}}}), 0.0
    )
    for now, (step, word) in enumerate(drawn, 1):
        match step:
            case "decide":
                engine.put("ada", {"decision": _decided(now, word)}, now)
            case "think":
                waiting += [each for each in engine.run(now) if each is not None]
            case "answer" if waiting:
                pending = waiting.pop()
                assert isinstance(pending.work, Ask)
                engine.settle(pending, pending.work.then(word), now)
            case _:
                decision = Decision.of(held(engine.states["ada"]).get("decision", {}))
                gone = engine.take("ada", now)
                assert all(decision and act["decision"] == decision.id for act in gone.acts)
                if gone.speech:
                    assert decision is not None
                    assert contradiction(gone.speech, decision.intent) is None
                    said.append(decision.id)
    assert len(said) == len(set(said))


def test_the_random_orders_contain_utterances() -> None:
    """Some of the random orders of events lead to an utterance, and in some the words for an earlier decision are
    dropped.
    """
    engine = Engine([TALKING], 0.0, seed=1)
    engine.add(SharedState.of("ada", {"decision": _decided(1)}), 0.0)
    (first,) = [each for each in engine.run(0.1) if each]
    engine.put("ada", {"decision": _decided(2)}, 0.2)
    assert isinstance(first.work, Ask)
    engine.settle(first, first.work.then("I'll chop trees."), 0.3)
    assert engine.conflicts == 1
    assert engine.take("ada", 0.3).speech == ""
    (second,) = [each for each in engine.run(0.5) if each]
    assert isinstance(second.work, Ask)
    engine.settle(second, second.work.then("I'll chop trees."), 0.6)
    assert engine.take("ada", 0.6).speech == "I'll chop trees."
