"""Tests of the texts of a query: a message is heard in its parts (document 000 §3.4)."""

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.agents import Definition, Perspective
from nemuri_domain.strength.aggregate import Agent
from nemuri_domain.strength.query_texts import (
    LONG_SENTENCE,
    MAX_PARTS,
    MAX_QUERY_ITEMS,
    SHORT,
    SUMMARY_EXPANSION,
    QueryTexts,
    message_parts,
    query_texts,
)
from nemuri_domain.strength.search_texts import QueryText
from tests.unit.domain.strength.stories import COST, given

ASKED = "Please assess what is attached."
AROUND = (
    "Thank you for the pleasant evening last week.",
    "The weather was lovely and the children enjoyed the garden very much.",
    "On Friday I am going to the cinema with my sister.",
    "Best regards, Marie.",
)
QUESTION = "Where did we put the spare key?"


def agent(*perspectives: Perspective) -> Agent:
    """Return an agent with these perspectives, by default with one."""
    definition = Definition(role="buyer", perspectives=perspectives or (Perspective(name=COST),))
    return given().agent.replace(definition=definition)


def weights(query: str) -> dict[str, float]:
    """Return the weight of each part of a message by its text."""
    return {query_text.text: query_text.weight for query_text in message_parts(query)}


def test_a_bare_question_is_one_part() -> None:
    """A question without anything around it is a single part with full weight, and has no items and no summary."""
    wording = query_texts(agent(), "What does steel cost?")

    assert wording.parts == (QueryText("What does steel cost?"),)
    assert wording.items == ()
    assert wording.every[0] == QueryText("What does steel cost?")
    assert SUMMARY_EXPANSION not in wording.expansions


def test_a_question_counts_more_than_what_is_said_around_it() -> None:
    """In a long message the question is a part of its own with full weight and comes first. Each sentence around it
    is a part with less weight.
    """
    found = message_parts(" ".join((*AROUND[:2], QUESTION, *AROUND[2:])))

    assert found[0] == QueryText(QUESTION)
    assert {query_text.text for query_text in found} >= set(AROUND)
    assert all(0 < query_text.weight < 1 for query_text in found if query_text.text != QUESTION)


def test_a_japanese_question_is_a_part_of_its_own() -> None:
    """The sentences of a Japanese message are parts too, and the question has full weight."""
    found = weights("先週の会議では時間が足りませんでした。鍵はどこにありますか。")

    assert found["鍵はどこにありますか。"] == 1
    assert found["先週の会議では時間が足りませんでした。"] < 1


def test_a_short_message_is_also_one_part() -> None:
    """A short message is searched for as a whole too, and a long one is not."""
    short, long = f"{AROUND[0]} {QUESTION}", " ".join((*AROUND, QUESTION))

    assert len(short) <= SHORT < len(long)
    assert weights(short)[short] == 1
    assert long not in weights(long)


def test_a_message_that_asks_nothing_has_full_weight() -> None:
    """If no sentence of a long message asks for something, all sentences have full weight."""
    found = weights(" ".join(AROUND))

    assert set(found) >= set(AROUND)
    assert set(found.values()) == {1.0}


def test_a_long_sentence_is_searched_for_clause_by_clause() -> None:
    """The clauses of a long sentence are parts beside the sentence itself, in both languages."""
    for clauses, between, end in (
        (("we met the architect on Monday", "who wants a new roof for the barn"), ", ", "."),
        (
            ("会議は火曜日の十時から三階の会議室で行いますが", "請求書の支払いは経理の田中さんに先週お願いしてあり"),
            "、",
            "。",
        ),
    ):
        number = 1 + LONG_SENTENCE // len("".join(clauses))
        sentence = between.join(clauses * number) + end
        found = weights(sentence)
        assert found[sentence] == 1
        assert set(clauses) <= set(found)


def test_a_short_sentence_is_not_divided() -> None:
    """A short sentence is one part, with the commas in it."""
    assert message_parts("When, if at all, is the rent due?") == (QueryText("When, if at all, is the rent due?"),)


def test_the_number_of_parts_is_bounded_and_questions_come_first() -> None:
    """Of a very long message, what asks for something is kept first."""
    rest = [f"Parcel number {number} was sent to the warehouse in the harbour." for number in range(3 * MAX_PARTS)]

    found = message_parts(" ".join((*rest, QUESTION)))

    assert len(found) == MAX_PARTS
    assert found[0].text == QUESTION


@for_any(st.text(max_size=400))
def test_any_message_has_a_part(query: str) -> None:
    """Any message has at least one part and at most the limit, each text once, with a weight above 0 and up to 1."""
    found = message_parts(query)

    assert 1 <= len(found) <= MAX_PARTS
    assert len({query_text.text for query_text in found}) == len(found)
    assert all(0 < query_text.weight <= 1 and query_text.decides for query_text in found)
    assert max(query_text.weight for query_text in found) == 1


def test_each_item_of_a_list_is_searched_for() -> None:
    """The requests that a message lists are texts of their own with full weight, whatever their lengths are."""
    items = ("When is the rent of the warehouse due, in March or later?", "Is there bread?")
    wording = query_texts(agent(), "\n".join(f"{number}. {item}" for number, item in enumerate(items, 1)))

    assert wording.items == items
    every = {each.text: each for each in wording.every}
    assert all(every[item] == QueryText(item) for item in items)


def test_at_most_the_items_of_a_task_are_searched_for() -> None:
    """Only a limited number of items are searched for separately."""
    listed = "\n".join(f"{number}. What of {number}?" for number in range(1, 40))

    assert len(query_texts(agent(), listed).items) == MAX_QUERY_ITEMS


def test_the_summary_decides_and_perspectives_do_not() -> None:
    """The summary counts for the relevance floor. Expansions by perspectives weigh less and do not count for it."""
    wording = query_texts(agent(Perspective(name=COST, keywords=("price",))), ASKED, "An offer by Halvorsen.")
    every = {each.text: each for each in wording.every}

    assert list(wording.expansions) == [SUMMARY_EXPANSION, COST]
    assert every["An offer by Halvorsen."].decides
    expansion = every[wording.expansions[COST]]
    assert "price" in expansion.text
    assert not expansion.decides
    assert 0 < expansion.weight < every[ASKED].weight


def test_each_text_is_searched_for_once() -> None:
    """A text that is both a part and an item or an expansion is searched for once, with the weight of the first."""
    wording = QueryTexts("a", (QueryText("a"), QueryText("b", 0.5)), ("b", "c"), {"name": "a", SUMMARY_EXPANSION: "c"})

    assert wording.every == (QueryText("a"), QueryText("b", 0.5), QueryText("c"))
