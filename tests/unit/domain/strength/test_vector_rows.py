"""Vectors in sparse form give the same products as in dense form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.language import sparse_columns
from nemuri_domain.strength.vector_rows import Floats, VectorRows, vector_rows

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
    np.testing.assert_array_equal(again, [dense, sparse])


def test_a_product_does_not_depend_on_when_a_row_was_added(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sparse rows give exactly the same products whether they were merged with older ones or not."""

    def filled() -> VectorRows:
        rows = vector_rows(DIMENSION, sparse=True)
        for row in range(200):
            rows.add([row], hashed(row)[None])
            rows.products(QUERIES, row + 1)
        return rows

    apart = filled().products(QUERIES, 200)
    monkeypatch.setattr(sparse_columns, "LEAST_MERGED", 0)
    np.testing.assert_array_equal(filled().products(QUERIES, 200), apart)
