"""The inverted index."""

import math

import numpy as np
import pytest

from nemuri.domain.language.postings import K1, B, Postings


def test_scores_are_okapi_bm25() -> None:
    """The closed form for one term in one of two rows; a repeated query term counts twice."""
    postings = Postings()
    postings.add(0, {"sleep": 2, "memory": 1})
    postings.add(1, {"memory": 1})

    scores = postings.scores([["sleep"], ["sleep", "sleep"], ["unknown"]], 2)

    idf = math.log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    expected = idf * 2 * (K1 + 1) / (2 + K1 * (1 - B + B * 3 / 2))
    assert scores[0].tolist() == [pytest.approx(expected), 0.0]
    assert scores[1, 0] == pytest.approx(2 * expected)
    assert not scores[2].any()


def test_a_removed_row_leaves_no_trace() -> None:
    """Scores are those of an index that never held it, and its terms are gone."""
    kept, other = Postings(), Postings()
    for postings in (kept, other):
        postings.add(0, {"a": 1, "b": 2})
        postings.add(2, {"b": 1})
    other.add(1, {"b": 5, "secret": 300})
    other.remove(1)

    np.testing.assert_array_equal(kept.scores([["a", "b", "secret"]], 3), other.scores([["a", "b", "secret"]], 3))
    assert len(other) == 2
    assert "secret" not in repr(vars(other))


def test_an_empty_index_scores_nothing() -> None:
    """Of the asked shape."""
    assert Postings().scores([["a"], []], 0).shape == (2, 0)
