"""Tests of the inverted index."""

import math

import numpy as np
import pytest

from nemuri_domain.language.tokenization import HIRAGANA_ALONE
from nemuri_domain.retrieval.inverted_index import ADDED_TEXTS, FULL_QUERY_TERMS, K1, B, InvertedIndex


def test_scores_are_okapi_bm25() -> None:
    """Scores equal the formula of Okapi BM25, and a repeated term of the query counts twice."""
    postings = InvertedIndex()
    postings.add(0, {"sleep": 2, "memory": 1})
    postings.add(1, {"memory": 1})

    scores = postings.scores([["sleep"], ["sleep", "sleep"], ["unknown"]], 2)

    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / 2))
    assert scores[0].tolist() == [pytest.approx(expected), 0.0]
    assert scores[1, 0] == pytest.approx(2 * expected)
    assert not scores[2].any()


def test_a_removed_row_leaves_no_trace() -> None:
    """After the removal of a row, scores and terms equal those of an index that never contained it."""
    kept, other = InvertedIndex(), InvertedIndex()
    for postings in (kept, other):
        postings.add(0, {"a": 1, "b": 2})
        postings.add(2, {"b": 1})
    other.add(1, {"b": 5, "secret": 300})
    other.remove([1])

    np.testing.assert_array_equal(kept.scores([["a", "b", "secret"]], 3), other.scores([["a", "b", "secret"]], 3))
    assert len(other) == 2
    assert "secret" not in repr(vars(other))


def test_an_empty_index_scores_nothing() -> None:
    """An empty index gives scores of 0 in the requested shape."""
    assert InvertedIndex().scores([["a"], []], 0).shape == (2, 0)


def test_a_share_is_what_a_row_holds_of_the_query() -> None:
    """The share of a row is the sum of idf over the query's terms that it has, divided by the sum over all distinct
    terms and one unknown term.

    The idf values are computed as if there were a hundred more texts.
    """
    postings = InvertedIndex()
    postings.add(0, {"sleep": 3, "memory": 1})
    postings.add(1, {"memory": 1})

    shares = postings.shares(["sleep", "memory", "memory", "unknown"], 2)

    rare, common, unknown = (math.log(1 + (2 + ADDED_TEXTS - n + 0.5) / (n + 0.5)) for n in (1, 2, 0))
    asked = rare + common + unknown + unknown
    assert shares.tolist() == pytest.approx([(rare + common) / asked, common / asked])


def test_a_share_says_the_same_whatever_the_other_rows_hold() -> None:
    """A row's share does not depend on other results, unlike BM25 divided by its maximum."""
    alone, beside = InvertedIndex(), InvertedIndex()
    for postings in (alone, beside):
        postings.add(0, {"bread": 1})
    beside.add(1, {"bread": 1, "flour": 1, "water": 1, "salt": 1})
    query = ["bread", "flour", "water", "salt"]

    assert alone.shares(query, 1)[0] == pytest.approx(beside.shares(query, 2)[0], abs=0.05)
    assert beside.shares(query, 2)[1] > 3 * beside.shares(query, 2)[0]


def test_each_term_counts_in_a_share_as_far_as_it_is_telling() -> None:
    """Each term counts in a share by its topic weight. Words that only mark a question count 0."""
    postings = InvertedIndex()
    postings.add(0, {"記憶": 1})
    postings.add(1, {"にぎ": 1})

    noun, spelt = postings.shares(["記憶", "にぎ"], 2)

    assert spelt == pytest.approx(HIRAGANA_ALONE * noun)
    assert postings.shares(["記憶", "にぎ", "教え", "explain", "の記"], 2).tolist() == [noun, spelt]
    assert postings.shares(["教え"], 2).tolist() == [0, 0]


def test_a_share_of_a_long_query_is_one_of_a_part_of_it() -> None:
    """For a long query the share is relative to only a part of its terms, because a short memory cannot contain all of
    them.
    """
    postings = InvertedIndex()
    postings.add(0, {f"term {number}": 1 for number in range(10)})
    query = [f"term {number}" for number in range(500)]

    assert postings.shares(query, 1)[0] > 10 / (FULL_QUERY_TERMS + 1) * 0.75
    assert postings.shares([*query, *(f"more {number}" for number in range(500))], 1) == postings.shares(query, 1)
    assert InvertedIndex().shares(query, 0).shape == (0,)
