"""Tests of the words of the memories of a retrieval index, by row."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language.word_table import Words
from nemuri_domain.strength.word_rows import WordRows

ROWS = 6
HISTORY = st.lists(st.tuples(st.integers(0, ROWS - 1), st.lists(st.integers(-9, 9), max_size=4)), max_size=20)


def words(*places: int) -> Words:
    """Return words by their places."""
    return np.array(places, np.int64)


def lists(rows: WordRows, number: int = ROWS) -> list[list[int]]:
    """Return the words of the first rows."""
    found, lengths = rows.stored(number)
    ends = np.cumsum(lengths)
    return [found[end - length : end].tolist() for end, length in zip(ends.tolist(), lengths.tolist(), strict=True)]


@given(HISTORY)
def test_a_row_has_the_words_that_were_set_last(history: list[tuple[int, list[int]]]) -> None:
    """After any changes each row has the words that were set last. A row that was set to none has none."""
    rows, expected = WordRows(), [list[int]() for _ in range(ROWS)]
    for row, places in history:
        if places:
            rows.set(row, words(*places))
        else:
            rows.set(row, words(7))
            rows.remove([row])
        expected[row] = places
    assert lists(rows) == expected
    held = [row for row, _ in history]
    assert [each.tolist() for each in rows.of(held)] == [expected[row] for row in held]


@given(HISTORY)
def test_stored_rows_are_the_same_and_can_be_changed(history: list[tuple[int, list[int]]]) -> None:
    """Rows made from stored ones have the same words and size, and change as the others do."""
    rows = WordRows()
    for row, places in history:
        rows.set(row, words(*places))
    again = WordRows(*rows.stored(ROWS))

    assert lists(again) == lists(rows)
    for word_rows in (rows, again):
        word_rows.set(2, words(1, 2, 3))
        word_rows.remove([0])
        word_rows.set(ROWS + 3, words(4))
    assert lists(again, ROWS + 4) == lists(rows, ROWS + 4)
    assert again.nbytes == rows.nbytes


def test_fewer_and_more_rows_than_were_set_can_be_stored() -> None:
    """Rows beyond those that were set are stored without words, and rows beyond the number are left out."""
    rows = WordRows()
    rows.set(0, words(5))
    rows.set(2, words(6, 7))

    assert lists(rows, 2) == [[5], []]
    assert lists(rows, 5) == [[5], [], [6, 7], [], []]
    assert lists(WordRows(), 2) == [[], []]


def test_the_size_grows_with_the_words_and_falls_when_they_are_removed() -> None:
    """The size in bytes counts the words that are held."""
    rows = WordRows()
    empty = rows.nbytes
    rows.set(0, words(*range(1_000)))
    full = rows.nbytes
    rows.remove([0])

    assert empty == 0
    assert full >= 8_000
    assert rows.nbytes < full / 10
