"""Tests of keyword proposals for the perspectives of an agent, from the words of its memories."""

import pytest

from nemuri_contracts.agents import MAX_KEYWORDS, Definition, Perspective
from nemuri_domain.strength.keyword_proposals import SampledMemory, proposed_keywords, with_keywords

DELIVERY, COST = Perspective(name="delivery", keywords=("late",)), Perspective(name="cost")
BUYER = Definition(role="buyer", perspectives=(DELIVERY, COST))
MEMORIES = [
    SampledMemory("Halvorsen missed the deadline in March.", {"delivery": "Ask Halvorsen for a buffer."}),
    SampledMemory("The deadline of the panels slipped.", {"delivery": "A buffer of a week is needed."}),
    SampledMemory("Steel rose by 4% and the budget was exceeded.", {"cost": "Keep a reserve in the budget."}),
    SampledMemory("Panels were cheaper than the budget.", {"cost": "Ask for an invoice."}),
]


def test_words_of_a_perspective_are_proposed_for_it() -> None:
    """The words that are frequent in the memories of one perspective, and rare in those of others, are proposed with
    their number of memories. A word that both perspectives share is not.
    """
    found = proposed_keywords(BUYER, MEMORIES)

    assert {keyword.keyword: keyword.memories for keyword in found["delivery"]} == {"deadline": 2, "buffer": 2}
    assert {keyword.keyword: keyword.memories for keyword in found["cost"]} == {"budget": 2}


def test_words_of_the_definition_and_of_one_memory_are_not_proposed() -> None:
    """A keyword that a perspective has is not proposed again, nor a word of a single memory."""
    known = BUYER.model_copy(update={"perspectives": (DELIVERY, Perspective(name="cost", keywords=("budgets",)))})

    assert "cost" not in proposed_keywords(known, MEMORIES)
    assert proposed_keywords(BUYER, MEMORIES[:1]) == {}


def test_memories_without_learnings_belong_to_the_perspective_that_they_name() -> None:
    """A memory that teaches nothing under a perspective counts for those whose name or keywords it has."""
    told = [SampledMemory(f"The ferry was late {when}.", {}) for when in ("on Monday", "again")]
    other = [SampledMemory(f"Glue hardens {how}.", {}) for how in ("slowly", "fast")]

    assert [keyword.keyword for keyword in proposed_keywords(BUYER, told + other)["delivery"]] == ["ferry"]


def test_all_memories_belong_to_an_only_perspective() -> None:
    """If nothing belongs to the only perspective of an agent, every memory does, and words that most memories have are
    left out.
    """
    cook = Definition(role="cook", perspectives=(Perspective(name="kitchen"),))
    texts = [f"Basil note {number}: {'risotto' if number % 3 else 'polenta'} needs time." for number in range(9)]

    found = proposed_keywords(cook, [SampledMemory(text, {}) for text in texts])

    assert [keyword.keyword for keyword in found["kitchen"]] == ["polenta"]


def test_japanese_words_are_proposed() -> None:
    """Runs of kanji and katakana are proposed for a Japanese agent."""
    buyer = Definition(role="調達担当", perspectives=(Perspective(name="納期"), Perspective(name="品質")))
    memories = [
        SampledMemory("港湾ストで部品が止まった。", {"納期": "港湾の状況を毎週見る。"}),
        SampledMemory("港湾の混雑が続く。", {"納期": "余裕を見る。"}),
        SampledMemory("メッキの剥離が出た。", {"品質": "メッキの厚さを測る。"}),
        SampledMemory("メッキ槽を替えた。", {"品質": "厚さが安定した。"}),
    ]

    found = proposed_keywords(buyer, memories)

    assert [keyword.keyword for keyword in found["納期"]] == ["港湾"]
    assert "メッキ" in [keyword.keyword for keyword in found["品質"]]


@pytest.mark.parametrize("held", [0, MAX_KEYWORDS - 1])
def test_adopted_keywords_are_added_once_and_only_while_there_is_room(held: int) -> None:
    """Adopted keywords follow those of the definition. A perspective has at most `MAX_KEYWORDS`."""
    first = tuple(f"k{number}" for number in range(held))
    agent = Definition(role="r", perspectives=(Perspective(name="p", keywords=first), Perspective(name="q")))

    changed = with_keywords(agent, {"p": ("a", "a", "b")})

    assert changed.perspectives[0].keywords == (*first, "a", "b")[:MAX_KEYWORDS]
    assert changed.perspectives[1] == agent.perspectives[1]
