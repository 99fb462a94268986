"""Extractive overview: telling sentences of every source, and all sentences that match a subject."""

import pytest

from nemuri_domain.language.statement_comparison import differ
from nemuri_domain.retrieval import central_sentences
from nemuri_domain.retrieval.central_sentences import matching, most_telling, sentences_of
from nemuri_domain.tasks.even_choice import evenly, spread_order

FILLER = "The committee met again and talked about the usual matters. "


def test_the_first_choices_cover_every_source() -> None:
    """The first sentences come from all sources, and a fact is chosen before what every source repeats."""
    sources = [f"{FILLER * 8}The bridge in town {number} cost {number} million. {FILLER * 8}" for number in range(6)]
    chosen = most_telling(sentences_of(sources))
    assert sorted(sentence.source for sentence in chosen[:6]) == [*range(6)]
    assert all("cost" in sentence.text for sentence in chosen[:6])


def test_repetitions_are_left_out_unless_a_value_differs() -> None:
    """The same sentence is chosen once; the same words with another figure are another statement."""
    chosen = most_telling(
        sentences_of(["Steel costs 5 euros today. Steel costs 5 euros today. Steel costs 9 euros today."])
    )
    assert sorted(sentence.text for sentence in chosen) == ["Steel costs 5 euros today.", "Steel costs 9 euros today."]


def test_lines_in_the_same_form_are_not_all_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of many lines that differ in a value only, each is compared with a few others, and a repetition is found."""
    compared = 0

    def counted(one: str, other: str) -> bool:
        """Compare two statements and count it."""
        nonlocal compared
        compared += 1
        return differ(one, other)

    monkeypatch.setattr(central_sentences, "differ", counted)
    lines = [f"The sensor in the hall of the north wing measured {number * 37} degrees." for number in range(100)]
    chosen = most_telling(sentences_of(["\n".join([*lines, lines[40]])]))
    assert sorted(sentence.text for sentence in chosen) == sorted(lines)
    assert compared < 5 * len(lines)


def test_all_sentences_items_and_rows_of_a_subject_match() -> None:
    """Sentences, table rows and items below a line that names the subject match, in order; questions do not."""
    text = (
        "One risk is fire. The roof is new.\n\nWhat is a risk?\n\nRisks:\n- The pump may leak.\n- Prices may rise.\n\n"
        "| risk | owner |\n|---|---|\n| flood | Ann |\n\nNothing else matters."
    )
    found = [sentence.text for sentence in matching(sentences_of([text]), frozenset({"risk"}))]
    assert found == ["One risk is fire.", "The pump may leak.", "Prices may rise.", "risk: flood; owner: Ann"]


def test_a_japanese_subject_matches_too() -> None:
    """Terms of a Japanese subject are found in Japanese sentences."""
    said = sentences_of(["ボイラーは古い。屋根は新しい。", "第二工場のボイラーも古い。"])
    assert [sentence.source for sentence in matching(said, frozenset({"ボイ", "イラ", "ラー"}))] == [0, 1]


def test_choices_at_even_distances_include_both_ends() -> None:
    """A choice from a sequence includes the first and the last, and every beginning of the spread order covers it."""
    assert evenly(10, 4) == [0, 3, 6, 9]
    assert evenly(3, 5) == [0, 1, 2]
    assert evenly(7, 1) == [0]
    assert spread_order(9) == [0, 8, 4, 2, 6, 1, 3, 5, 7]
    assert [sorted(spread_order(n)) for n in range(20)] == [[*range(n)] for n in range(20)]
