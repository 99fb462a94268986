"""Tests of succession: of two statements about the same thing, the one that was told later comes first."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.client_events import MemoryContent
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.succession import (
    COMPARED,
    LONG,
    Statement,
    StatementPairs,
    Successor,
    exchanged,
    successors,
)
from tests.unit.domain.strength import stories

BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
A, B, C = (UUID(int=number) for number in (1, 2, 3))
CHANGED = (
    ("Ann works in the Lyon office.", "Ann has moved and now works in the Berlin office."),
    ("The meeting is on Tuesday at ten.", "The meeting has been moved to Thursday at ten."),
    ("会議は火曜日の十時からです。", "会議は木曜日の十時に変更になりました。"),
    ("田中さんは東京に住んでいます。", "田中さんは大阪に引っ越しました。"),
    ("The wifi password is walnut7.", "The wifi password is now maple9."),
)
UNRELATED = (
    "Anna is allergic to peanuts.",
    "The coffee machine needs cleaning on Fridays.",
    "母の誕生日は六月十二日です。",
    "Trains to Kyoto leave from platform nine.",
)


def told(*texts: str, days: Sequence[int] | None = None, relevance: Sequence[float] | None = None) -> list[Statement]:
    """Return statements with the ids 1, 2, …, by default told on one day after the other and equally relevant."""
    at = days or range(len(texts))
    how = relevance or [0.5] * len(texts)
    return [
        Statement(UUID(int=number), word_table().words(text), BEGINNING + timedelta(days=day), each)
        for number, (text, day, each) in enumerate(zip(texts, at, how, strict=True), 1)
    ]


@pytest.mark.parametrize(("older", "newer"), CHANGED)
def test_a_statement_that_says_a_change_succeeds_the_older_one(older: str, newer: str) -> None:
    """A newer statement that says a change succeeds the older one about the same thing, in English and Japanese."""
    assert successors(told(older, newer)) == {A: Successor(B, BEGINNING + timedelta(days=1))}


def test_a_newer_fact_comes_first_without_a_word_of_change() -> None:
    """A newer statement about the same thing succeeds the older one, even if it does not say that something
    changed.
    """
    found = successors(told("The rent is 900 euros a month.", "The rent is 1100 euros a month."))

    assert found.keys() == {A}
    assert found[A].memory_id == B


def test_the_time_decides_and_not_the_place() -> None:
    """The time at which statements were told decides, whatever their order is."""
    older, newer = CHANGED[0]

    assert successors(told(newer, older, days=(7, 2)))[B].memory_id == A


def test_statements_of_the_same_time_do_not_succeed_each_other() -> None:
    """Of statements told at the same time, neither succeeds the other."""
    assert successors(told(*CHANGED[0], days=(3, 3))) == {}
    assert successors(told(*CHANGED[0], UNRELATED[0], days=(3, 3, 5))) == {}


def test_unrelated_statements_have_no_successor() -> None:
    """Statements about different things do not succeed each other."""
    assert successors(told(*UNRELATED)) == {}


def test_the_newest_of_several_statements_succeeds_all() -> None:
    """Of three statements about the same thing, the newest one succeeds both others."""
    found = successors(
        told(
            "The meeting is on Tuesday at ten.", "The meeting is on Monday at ten.", "The meeting is on Friday at ten."
        )
    )

    assert {older: each.memory_id for older, each in found.items()} == {A: C, B: C}


def test_only_statements_about_as_relevant_as_the_best_are_compared() -> None:
    """A statement that is far less relevant to the query neither succeeds another nor is succeeded."""
    assert successors(told(*CHANGED[0], relevance=(0.9, 0.1))) == {}
    assert successors(told(*CHANGED[0], relevance=(0.1, 0.9))) == {}
    assert successors(told(*CHANGED[0], relevance=(0.9, 0.8))).keys() == {A}


def test_the_number_of_compared_statements_is_bounded() -> None:
    """Only the most relevant statements are compared."""
    crowd = [f"{UNRELATED[0]} {number}" for number in range(COMPARED)]
    few = told(*crowd, *CHANGED[0], days=[0] * COMPARED + [1, 2], relevance=[0.9] * COMPARED + [0.8, 0.8])

    assert UUID(int=COMPARED + 1) not in successors(few)


def test_no_statement_has_no_successor() -> None:
    """Without statements, or with one alone, there is no successor."""
    assert successors([]) == successors(told(UNRELATED[0])) == {}
    assert StatementPairs.of([]).evidence([]).shape == (0, 0)


@given(st.lists(st.sampled_from([*UNRELATED, *CHANGED[0], *CHANGED[2], "", "xqzvwk"]), max_size=6))
def test_a_successor_is_always_newer(texts: list[str]) -> None:
    """For any statements a successor is newer than what it succeeds and is one of them, in any order of the
    statements.
    """
    statements = told(*texts)
    found = successors(statements)
    times = {statement.memory_id: statement.told_at for statement in statements}

    for older, each in found.items():
        assert times[each.memory_id] == each.told_at > times[older]
    assert {older: each.memory_id for older, each in successors(statements[::-1]).items()} == {
        older: each.memory_id for older, each in found.items()
    }


def test_a_statement_about_another_thing_that_the_request_names_does_not_succeed() -> None:
    """If the request names what only the older statement is about, the newer one is no successor of it."""
    parcels = told("The ginger parcel arrives on Monday.", "The juniper parcel arrives on Friday.")

    assert successors(parcels, "When does the ginger parcel arrive?") == {}


@pytest.mark.parametrize(
    ("older", "newer", "asked"),
    [
        (
            "The publisher wants the cookbook translation by 15 August.",
            "The cookbook deadline has been pushed back to 30 September.",
            "When's the cookbook translation due?",
        ),
        ("陶芸教室は古い水車小屋で開かれる。", "陶芸は公民館でやっている。", "陶芸教室の場所はどこですか"),
    ],
)
def test_a_word_that_a_newer_statement_only_leaves_out_is_no_other_thing(older: str, newer: str, asked: str) -> None:
    """A newer statement succeeds although it lacks a word of the request, if nothing else is in its place."""
    assert successors(told(older, newer), asked).keys() == {A}


def test_places_of_long_statements_are_not_compared() -> None:
    """In long statements a word that the newer one lacks counts as exchanged, without comparing all places."""
    long = np.arange(LONG)

    assert exchanged(long, long[1:], frozenset({0}))
    assert not exchanged(long[:9], long[1:9], frozenset({0}))


@given(
    st.sampled_from([*UNRELATED, *CHANGED[0], "彼は京都へ引っ越した。", ""]),
    st.sampled_from(["", "Ann", "山田"]),
    st.booleans(),
)
def test_the_words_of_a_statement_come_from_the_indexed_text(text: str, speaker: str, dated: bool) -> None:
    """The words of a content are the same, whether they are read from it or found in its indexed text."""
    memory = MemoryContent(
        content=text or "xqzvwk",
        said_by=speaker or None,
        said_at=BEGINNING if dated else None,
        learnings={"use": "moved to Kyoto", "same": text[:3] or "x"},
        tags=("京都", "moving-house"),
    )
    table, of = (
        word_table(),
        RankedContent.of(stories.given(stories.encoded(A)).mind.contents[A].replace(memory=memory)),
    )
    told, whole = table.words(memory.content).tolist(), table.words(indexed_text(memory))
    learned = table.words("moved to Kyoto").tolist()
    short = table.words(text[:3] or "x").tolist() if (text[:3] or "x") not in memory.content else []
    assert of.statement(whole, "another").tolist() == told
    assert of.statement(whole, "use").tolist() == told + learned
    assert of.statement(whole, None).tolist() == told + learned + short
