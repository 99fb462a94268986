"""Tests of the check that speech does not contradict the agent's action."""

import pytest

from nemuri_society.cognition.intents import Intent, read_intent
from nemuri_society.cognition.speech_coherence import contradiction

WOOD = Intent("collect", "wood", 3)
STEPS = [WOOD, Intent("craft", "table"), Intent("place", "table")]


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("I'll collect some wood.", "collect 3 wood"),
        ("I'm chopping trees over there!", "collect 3 wood"),
        ("I am going to get wood, see you later.", "collect 3 wood"),
        ("Hello Bea! Let me go and chop a tree.", "collect 3 wood"),
        ("I'll walk over to you.", "give 2 wood to bea"),
        ("I will give you two wood.", "give 2 wood to bea"),
        ("I'm making a stone pickaxe.", "craft stone_pickaxe"),
        ("I'll make sure that nobody gets hurt.", "collect 3 wood"),
        ("I'll rest a bit.", "rest"),
        ("Do you have any iron?", "collect 3 wood"),
        ("You could craft a table.", "collect 3 wood"),
        ("I will get back to you.", "craft table"),
    ],
)
def test_words_that_match_the_action_pass(text: str, action: str) -> None:
    """Words that match the action pass, and so do words that promise nothing."""
    intent = read_intent(action)
    assert intent is not None
    assert contradiction(text, intent) is None


@pytest.mark.parametrize(
    ("text", "action", "why"),
    [
        ("I'll mine some iron.", "collect 3 wood", "promises to collect iron"),
        ("I'm off to craft a table.", "collect 3 wood", "promises to craft table"),
        ("I am collecting wood and then I will craft a table.", "collect 3 wood", "promises to craft table"),
        ("I will not collect wood.", "collect 3 wood", "denies to collect wood"),
        ("I won't give you wood.", "give 2 wood to bea", "denies to give wood"),
        ("I'll wait here for you.", "collect 3 wood", "promises to wait"),
        ("Let's explore the caves!", "rest", "promises to explore"),
        ("I’m making a wood pickaxe.", "craft stone_pickaxe", "promises to craft wood_pickaxe"),
    ],
)
def test_words_that_promise_another_action_fail(text: str, action: str, why: str) -> None:
    """Words that promise another action, or deny the decision, do not pass."""
    intent = read_intent(action)
    assert intent is not None
    assert why in (contradiction(text, intent) or "")


def test_an_agent_with_a_plan_may_promise_its_remaining_steps() -> None:
    """An agent with a plan may promise the plan's remaining steps, but not steps that are done."""
    plan = Intent("plan")
    assert contradiction("I'm getting wood, then I'll build a table.", plan, STEPS) is None
    assert contradiction("I'm getting wood.", plan, STEPS[1:]) is not None
    assert contradiction("I'll get iron.", plan, STEPS) is not None
