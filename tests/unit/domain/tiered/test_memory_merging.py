"""Tests of forming one memory from several without a language model."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.tiered import Cues, Experienced, Kept
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.memory_merging import extract_memory, form_memory, importance_after_access, normalised_tags
from nemuri_domain.tiered.policy import Consolidation
from tests.unit.domain.tiered.lives import defined, lived, named, simulated

RULES = Consolidation()


def told(
    *contents: str, kind: Experienced = "observation", failures: tuple[int, ...] = (), **more: object
) -> list[TierMemory]:
    """Return experiences with these contents. Those at the positions `failures` are failed actions."""
    events = (
        lived(number, text, kind=kind, cues=Cues(failure=number in failures), **more)  # type: ignore[arg-type]
        for number, text in enumerate(contents)
    )
    return simulated((event, float(place)) for place, event in enumerate(events)).short


def test_one_alone_keeps_its_words() -> None:
    """A memory formed from one experience keeps its text and is episodic."""
    written = extract_memory(told("Lila and Noah quarrelled at the farm.", participants=("Lila", "Noah")), RULES)

    assert (written.content, written.type) == ("Lila and Noah quarrelled at the farm.", "episodic")
    assert written.tags[:2] == ("Lila", "Noah")


def test_several_become_sentences_of_their_own_and_how_many_they_were() -> None:
    """A memory formed from several has at most three of their sentences, without duplicates, and states their
    number.
    """
    mined = [f"Noah mined iron with Lila in the {place}" for place in ("north", "north", "west", "south", "east")]
    written = extract_memory(told(*mined, kind="conversation"), RULES)

    assert written.type == "semantic"
    assert written.content.endswith(" (×5)")
    sentences = written.content.removesuffix(" (×5)").split(". ")
    assert len(sentences) == 3
    assert all(sentence.rstrip(".") in mined for sentence in sentences)


@pytest.mark.parametrize("number", [1, 4])
def test_no_word_of_a_conversation_loses_its_speaker(number: int) -> None:
    """Every sentence that is kept from a conversation names its speaker."""
    said = {
        "Bela": ["Could you help me, please?", "The iron lies north of the lake."],
        "Chiyo": ["I have seen it.", "Two skeletons guard the iron in the cave"],
        "Emil": [f"{nth} torches are left in chest {nth}." for nth in range(9)],
    }
    talk = "\n".join(f"{who} said: {' '.join(words)}" for who, words in said.items())
    written = extract_memory(
        told(*(f"{talk}\nBela said: That makes {nth}." for nth in range(number)), kind="conversation"), RULES
    )
    content = re.sub(r" \(×\d+\)$", "", written.content)
    kept = re.split(r" (?=(?:Bela|Chiyo|Emil) said: )", content)
    assert len(kept) >= 2
    for each in kept:
        assert each.count(" said: ") == 1
        who, _, words = each.partition(" said: ")
        assert words in said[who] or words.removesuffix(".") in said[who] or (who, words[:10]) == ("Bela", "That makes")


def test_japanese_is_joined_as_japanese() -> None:
    """Japanese sentences are joined with Japanese full stops and without spaces."""
    written = extract_memory(told("Lilaと鉄を採掘した", "Noahと石炭を採掘した。"), RULES)

    assert written.content == "Lilaと鉄を採掘した。Noahと石炭を採掘した。"


@pytest.mark.parametrize(
    ("kind", "number", "failures", "kept"),
    [
        ("action", 3, (), "procedural"),
        ("action", 2, (), "episodic"),
        ("action", 3, (1,), "semantic"),
        ("conversation", 2, (), "episodic"),
        ("conversation", 3, (), "semantic"),
        ("reflection", 1, (), "semantic"),
    ],
)
def test_what_kind_of_memory_it_becomes(kind: Experienced, number: int, failures: tuple[int, ...], kept: Kept) -> None:
    """Repeated successful actions give a procedural memory, and other repeated experiences a semantic one."""
    smelting = [f"Smelted iron in the furnace with coal {each}" for each in range(number)]

    assert extract_memory(told(*smelting, kind=kind, failures=failures), RULES).type == kept


def test_importance_is_that_of_the_most_important_and_grows_with_access() -> None:
    """The importance is the highest of the sources, or a model's rating, and retrievals raise it (document 004 §4.3,
    §4.5.3).
    """
    assert importance_after_access(0.5, 0, 10, RULES) == 0.5
    assert importance_after_access(0.5, 10, 10, RULES) == pytest.approx(0.6)
    assert 0.5 < importance_after_access(0.5, 3, 10, RULES) < 0.6
    assert importance_after_access(1.0, 10, 10, RULES) == 1.0
    assert importance_after_access(0.5, 0, 0, RULES) == 0.5


def test_a_memory_that_is_formed_names_what_it_came_from() -> None:
    """A formed memory names its sources and has the highest of their importances."""
    sources = [each.replace(importance=0.1 * place) for place, each in enumerate(told("One.", "Two."), 1)]
    event = form_memory(defined(), sources, extract_memory(sources, RULES), vector="v", most=0, rules=RULES, second=7.0)

    assert event.sources == (named(0), named(1))
    assert (event.importance, event.formed_by, event.second) == (0.2, "extractive", 7.0)


def test_tags_are_few_short_and_each_once() -> None:
    """A memory has at most eight tags. They are short and unique, and keep their first spelling."""
    assert normalised_tags(["Lila", "lila", "  iron\nore ", "", "x" * 200]) == ("Lila", "iron ore", "x" * 60)
    assert len(normalised_tags(map(str, range(100)))) == 8


def test_code_alone_is_kept_as_it_is() -> None:
    """A text that is only code is kept unchanged."""
    assert extract_memory(told("```\nsmelt(iron)\n```"), RULES).content


@given(
    st.lists(st.text(min_size=1, max_size=80).map(lambda text: text.replace("\0", "")).filter(bool), min_size=1),
    st.randoms(),
)
def test_anything_can_become_a_memory(contents: list[str], random: object) -> None:
    """Any texts give a valid memory, which does not depend on their order."""
    memories = told(*contents)
    shuffled = list(memories)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    written = extract_memory(shuffled, RULES)

    assert written == extract_memory(memories, RULES)
    sources = memories[:100]
    assert form_memory(defined(), sources, written, vector="v", most=0, rules=RULES).content == written.content
