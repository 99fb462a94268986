"""Vectors in sparse form give the same products as in dense form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language import sparse_columns
from nemuri_domain.language.sparse_columns import Columns
from nemuri_domain.strength import vector_rows as module
from nemuri_domain.strength.vector_rows import SEARCHES_BY_COORDINATES, Floats, VectorRows, vector_rows

DIMENSION = 12


def hashed(seed: int) -> Floats:
    """Return a unit vector with a few coordinates other than zero."""
    chance = np.random.default_rng(seed)
    vector = chance.normal(size=DIMENSION) * (chance.random(DIMENSION) < 0.4)
    return (vector / max(float(np.linalg.norm(vector)), 1e-9)).astype(np.float32)


QUERIES = np.stack([hashed(1_001), hashed(1_002)])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99), st.booleans()), max_size=30))
def test_sparse_rows_equal_dense_rows_after_any_changes(history: list[tuple[int, int, bool]]) -> None:
    """After any additions and removals, with reads between them, both forms give the same products."""
    both = [vector_rows(DIMENSION, sparse=sparse) for sparse in (False, True)]
    for row, seed, read in history:
        for each in both:
            each.remove([row])
            each.add([row], hashed(seed)[None])
            if read:
                each.products(QUERIES, 6)
    dense, sparse = (each.products(QUERIES, 6) for each in both)
    np.testing.assert_allclose(dense, sparse, atol=1e-6)
    again = [vector_rows(DIMENSION, each.stored(6)).products(QUERIES, 6) for each in both]
    np.testing.assert_allclose(again, [dense, sparse], atol=1e-6)


def test_a_product_does_not_depend_on_when_a_row_was_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Coordinates give exactly the same products whether they were merged with older ones or not."""

    def filled() -> VectorRows:
        rows = vector_rows(DIMENSION, sparse=True)
        for row in range(200):
            rows.add([row], hashed(row)[None])
            rows.products(QUERIES, row + 1)
        return rows

    monkeypatch.setattr(module, "SEARCHES_BY_COORDINATES", 1_000)
    apart = filled().products(QUERIES, 200)
    monkeypatch.setattr(sparse_columns, "LEAST_MERGED", 0)
    np.testing.assert_array_equal(filled().products(QUERIES, 200), apart)


def test_sparse_vectors_that_are_searched_repeatedly_keep_their_products_and_their_stored_form() -> None:
    """A matrix replaces the coordinates after the first search; later additions and removals reach it too."""
    some = np.stack([hashed(seed) for seed in range(4)])
    rare, often = (vector_rows(DIMENSION, sparse=True) for _ in range(2))
    rare.add([0, 2, 3], some[:3])
    often.add([0, 2, 3], some[:3])
    for _ in range(SEARCHES_BY_COORDINATES + 1):
        often.products(QUERIES, 4)
    for each in (rare, often):
        each.remove([2])
        each.add([1, 2, 5], some[1:4])
    stored, again = rare.stored(6), often.stored(6)
    assert isinstance(stored, Columns)
    assert isinstance(again, Columns)
    for ours, theirs in zip(stored.flat(), again.flat(), strict=True):
        np.testing.assert_array_equal(sorted(ours), sorted(theirs))
    np.testing.assert_allclose(often.products(QUERIES, 6), rare.products(QUERIES, 6), atol=1e-6)
