"""Tests of the scripted model: its answers to each kind of prompt, and agents with it in the grid world."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.decision import read_decision
from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.memory_interface import NoMemories
from nemuri_society.cognition.module import Prompt
from nemuri_society.cognition.module_registry import build_modules
from nemuri_society.cognition.scripted_model import scripted_answer
from nemuri_society.cognition.smalltalk import judge_speakers
from nemuri_society.cognition.speech_coherence import contradiction
from nemuri_society.world.world_settings import WorldSettings
from tests.unit.society.cognition.living import Life
from tests.unit.society.cognition.states import held

BEA = {"id": "bea", "name": "Bea", "distance": 3.0}
PLAN = {"id": "p", "status": "active", "steps": ["collect 3 wood"], "description": "make a table"}


def _asked(seed: int = 0, **about: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scripted_answer(Prompt("", "", about), Random(seed)))
    return found


@pytest.mark.parametrize(
    ("about", "action"),
    [
        ({"plan": PLAN}, "follow the plan"),
        ({"plan": {"status": "done"}}, "explore"),
    ],
)
def test_the_plan_decides(about: dict[str, Any], action: str) -> None:
    """Decisions follow the plan. Without an active plan the agent looks around."""
    assert _asked(job="decision", **about)["priority_action"] == action


@given(st.integers(0, 99), st.sampled_from(["", "Hi!", "Can you help me?"]), st.booleans())
def test_decisions_are_readable_and_coherent_with_speech(seed: int, heard: str, near: bool) -> None:
    """Every decision can be read, and its speech does not contradict it."""
    said = [{"speaker": "bea", "text": heard, "second": 9.0}] if heard else []
    about: dict[str, Any] = {"job": "decision", "plan": PLAN, "heard": said, "sighted": [BEA] if near else []}
    found = read_decision(json.dumps(_asked(seed, **about)), "d1", 1.0)
    if found.speech_directive:
        talk: dict[str, Any] = {
            "job": "speech",
            "name": "Ada",
            "directive": found.speech_directive,
            "doing": PLAN["steps"],
        }
        words = scripted_answer(Prompt("", "", talk), Random(seed))
        assert words
        assert contradiction(words, found.intent, [Intent("collect", "wood", 3)]) is None


def test_goals_follow_the_tech_tree() -> None:
    """Goals follow the tech tree (the order in which items can be made) step by step. A reached goal is not generated
    again.
    """
    first = [each["description"] for each in _asked(job="goals")["goals"]]
    assert first[:2] == ["make a wood_pickaxe", "make a stone_pickaxe"]
    found = _asked(job="goals", reached=["make a wood_pickaxe"], inventory={"stone_pickaxe": 1})["goals"]
    assert found[0]["description"] == "make a furnace"
    assert found[1]["needs"] == ["make a furnace"]
    assert all(read_intent(each["description"]) for each in found)


def test_where_nothing_is_made_agents_visit_places_and_people() -> None:
    """If the society does not allow to collect and to craft, the goals are visits, and their plans go there."""
    found = _asked(job="goals", allowed=["say", "go"], names=["kitchen", "Bea"], second=9.0)["goals"]
    plans = [_asked(job="plan", goal=goal["description"], allowed=["say", "go"])["steps"] for goal in found]
    assert sorted(plans) == [["go to Bea"], ["go to kitchen"]]
    assert _asked(job="goals", allowed=["say"], names=["kitchen"], second=9.0)["goals"][0]["description"].startswith(
        "rest"
    )


def test_friends_in_sight_get_gifts() -> None:
    """Agents give items to friends in sight, and to nobody else."""
    felt = {"Bea": {"sentiment": 8.0}, "Cem": {"sentiment": 3.0}}
    found = _asked(job="goals", social=felt, sighted=[BEA, {"id": "cem"}])["goals"]
    assert [each["description"] for each in found if each["sort"] == "social"] == ["give 1 wood to Bea"]


def test_kind_words_raise_sentiment_and_harsh_ones_lower_it() -> None:
    """Kind words raise the present sentiment, and harsh words lower it."""
    heard = [{"speaker": "bea", "text": "Thank you, my friend"}, {"speaker": "cem", "text": "You stupid thief"}]
    found = judge_speakers({"speakers": ["bea", "cem"], "heard": heard, "known": {"cem": {"sentiment": 4.0}}})
    assert found["bea"] == {"sentiment": 6.0, "relationship": "friendly", "seems": "warm"}
    assert found["cem"] == {"sentiment": 2.0, "relationship": "wary", "seems": "hostile"}


def test_reflections_name_the_most_frequent_failure() -> None:
    """Reflections name the most frequent failure, and ask for another goal if most actions fail."""
    acts = [{"text": "x", "done": False, "reason": "needs 2 wood"}] * 3 + [{"text": "y", "done": True}]
    found = _asked(job="reflection", acts=acts, plan={"description": "make a table"})
    assert "needs 2 wood" in found["insight"]
    assert "make a table" in found["goal_adjustment"]
    assert not _asked(job="reflection", acts=acts[3:])["insight"].startswith("For")


def test_unknown_prompts_are_refused() -> None:
    """An unknown prompt raises an error."""
    with pytest.raises(ValueError, match="'weather'"):
        scripted_answer(Prompt("", "", {"job": "weather"}), Random(0))


def test_one_agent_makes_a_stone_pickaxe() -> None:
    """One agent with all nine modules and no language model makes a stone pickaxe in the grid world."""
    life = Life(build_modules(NoMemories()), scripted_answer, ["ada"], WorldSettings(seed=5, size=96))
    life.live(120.0, lambda: "stone_pickaxe" in life.world.unique_items("ada"))
    assert "stone_pickaxe" in life.world.unique_items("ada")


def test_agents_talk_and_judge_each_other() -> None:
    """Agents talk and judge each other. Each decision has at most one utterance, and a second run gives the same
    events.
    """
    lives = []
    for _ in range(2):
        life = Life(
            build_modules(NoMemories()),
            scripted_answer,
            ["ada", "bea", "cem"],
            WorldSettings(seed=2, size=64),
        )
        life.live(12.0)
        assert life.said
        assert any(held(life.engine.states[each]).get("social_model") for each in ("ada", "bea", "cem"))
        lives.append((life.said, life.acted))
    assert lives[0] == lives[1]
