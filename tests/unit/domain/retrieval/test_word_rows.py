"""Tests of the words of the memories of a retrieval index, by row."""

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.word_table import Words
from nemuri_domain.retrieval.word_rows import WordRows

ROWS = 6
HISTORY = st.lists(st.tuples(st.integers(0, ROWS - 1), st.lists(st.integers(-9, 9), max_size=4)), max_size=20)


def words(*places: int) -> Words:
    """Return words by their places."""
    return np.array(places, np.int64)


def lists(rows: WordRows) -> list[list[int]]:
    """Return the words of all rows."""
    found, lengths, _, _ = rows.arrays()
    ends = np.cumsum(lengths)
    return [found[end - length : end].tolist() for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]


def filled(history: Sequence[tuple[int, Sequence[int]]]) -> WordRows:
    """Return rows after these changes of all rows, then of some."""
    rows = WordRows()
    for row, places in (*((row, ()) for row in range(ROWS)), *history):
        rows.set(row, words(*places))
    return rows


@given(HISTORY)
def test_a_row_has_the_words_that_were_set_last(history: list[tuple[int, list[int]]]) -> None:
    """After any changes each row has the words that were set last, also if some rows are kept."""
    rows, expected = filled(history), [list[int]() for _ in range(ROWS)]
    for row, places in history:
        expected[row] = places
    assert lists(rows) == expected
    held = [row for row, _ in history]
    assert [row_words.tolist() for row_words in rows.of(held)] == [expected[row] for row in held]
    assert lists(rows.kept(np.array([1, 4]))) == [expected[1], expected[4]]


@given(HISTORY, HISTORY)
def test_stored_rows_are_the_same_and_can_be_changed(
    history: list[tuple[int, list[int]]], later: list[tuple[int, list[int]]]
) -> None:
    """Rows made from stored ones have the same words, rarities and size, and change as the others do."""
    rows, every = filled(history), np.arange(-10, 10)
    again = WordRows(*rows.arrays())
    for row, places in (*later, (ROWS, [4])):
        for word_rows in (rows, again):
            word_rows.set(row, words(*places))
        assert lists(again) == lists(rows)
        np.testing.assert_array_equal(again.rarity(every, ROWS), rows.rarity(every, ROWS))
        assert again.nbytes == rows.nbytes
    fresh = filled(list(enumerate(lists(rows))))
    np.testing.assert_array_equal(WordRows(*again.arrays()).rarity(every, ROWS), fresh.rarity(every, ROWS))


def test_a_word_is_the_rarer_the_fewer_rows_have_it() -> None:
    """A word that no row has is as rare as can be. How often a row has a word does not matter."""
    rows = filled([(0, [1, 2]), (1, [1, 1]), (2, [1, 3, 3])])

    everywhere, twice, once, nowhere = rows.rarity(words(1, 3, 2, 7), 3).tolist()

    assert everywhere < twice == once < nowhere == 1


def test_the_size_grows_with_the_words_and_falls_when_they_are_removed() -> None:
    """The size in bytes counts the words that are held."""
    rows = WordRows()
    empty = rows.nbytes
    rows.set(0, words(*range(1_000)))
    full = rows.nbytes
    rows.set(0, words())

    assert empty == 0
    assert full >= 8_000
    assert rows.nbytes < full / 10
