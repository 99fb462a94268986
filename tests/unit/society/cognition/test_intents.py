"""Tests of reading intents from the words of a decision."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.intents import VERBS, Intent, Verb, read_intent


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("collect 3 wood", Intent("collect", "wood", 3)),
        ("Chop three trees!", Intent("collect", "tree", 3)),
        ("mine some more stone with the wood_pickaxe", Intent("collect", "stone")),
        ("mine_diamond", Intent("collect", "diamond")),
        ("make a stone pickaxe", Intent("craft", "stone_pickaxe")),
        ("craft 2 wood_pickaxes", Intent("craft", "wood_pickaxe", 2)),
        ("place table", Intent("place", "table")),
        ("give 2 wood to Bea", Intent("give", "wood", 2, "Bea")),
        ("trade 2 wood for 1 stone with bea-2", Intent("trade", "wood", 2, "bea-2", "stone", 1)),
        ("go to 10 64 -3", Intent("go", place=(10, 64, -3))),
        ("move_to_mine", Intent("go", whom="mine")),
        ("follow bea", Intent("follow", whom="bea")),
        ("give 2 wood to Aiko 2", Intent("give", "wood", 2, "Aiko 2")),
        ("give 2 wood to Bea Stone, near the lake", Intent("give", "wood", 2, "Bea Stone")),
        ("give Bea 2 wood", Intent("give", "wood", 2, "Bea")),
        ("give 1 wood to 花子。", Intent("give", "wood", 1, "花子")),
        ("trade 1 wood with Aiko 2 for 3 stone", Intent("trade", "wood", 1, "Aiko 2", "stone", 3)),
        ("collect: 3 wood, then go home", Intent("collect", "wood", 3)),
        ("follow the plan", Intent("plan")),
        ("continue with my plan", Intent("plan")),
        ("explore", Intent("explore")),
        ("wait", Intent("wait")),
        ("melt the glass", None),
        ("give 2 wood", None),
        ("go", None),
        ("", None),
    ],
)
def test_the_intent_of_each_text(text: str, intent: Intent | None) -> None:
    """Each text has the expected intent. A text without an intent gives None."""
    assert read_intent(text) == intent


names = st.from_regex(r"[a-z]{3,8}", fullmatch=True).map(lambda word: f"x{word}q")


@st.composite
def intents(draw: st.DrawFn) -> Intent:
    """Draw any intent."""
    verb: Verb = draw(st.sampled_from(VERBS))
    item, whom, want, count = draw(names), draw(names), draw(names), draw(st.integers(1, 64))
    match verb:
        case "give":
            return Intent(verb, item, count, whom)
        case "trade":
            return Intent(verb, item, count, whom, want, draw(st.integers(1, 64)))
        case "go":
            place = draw(st.tuples(st.integers(-999, 999), st.integers(-64, 320), st.integers(-999, 999)))
            return Intent(verb, place=place) if draw(st.booleans()) else Intent(verb, whom=whom)
        case "follow":
            return Intent(verb, whom=whom)
        case "plan":
            return Intent(verb)
        case "do":
            return Intent(verb, command=f"{item} {whom}: {want} {count}")
        case "explore" | "rest" | "wait":
            return Intent(verb, count=count)
        case _:
            return Intent(verb, item, count)


@given(intents())
def test_an_intent_survives_a_round_trip_through_its_words(intent: Intent) -> None:
    """Parsing the words of an intent gives the same intent."""
    assert read_intent(intent.words()) == intent


@given(st.text(max_size=200))
def test_any_text_is_parsed_without_an_error(text: str) -> None:
    """Any text is parsed without an error, and a quantity is at most one stack of items."""
    found = read_intent(text)
    assert found is None or 1 <= found.count <= 64
