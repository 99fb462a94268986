"""Tests of the rows of vectors of a retrieval index."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.retrieval.vector_rows import LEAST_RESERVED, Floats, VectorRows

DIMENSION = 12


def vector(seed: int) -> Floats:
    """Return a unit vector."""
    found = np.random.default_rng(seed).normal(size=DIMENSION)
    return (found / np.linalg.norm(found)).astype(np.float32)


def empty() -> VectorRows:
    """Return rows of which none is set."""
    return VectorRows(np.zeros((0, DIMENSION), np.float32))


QUERIES = np.stack([vector(1_001), vector(1_002)])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 99), st.booleans()), max_size=30))
def test_products_are_those_of_the_last_vector_of_each_row(history: list[tuple[int, int, bool]]) -> None:
    """After any additions, with reads between them, the products are those of the vectors that were set last, also
    after they were stored, or some of them kept.
    """
    rows, expected = empty(), np.zeros((6, DIMENSION), np.float32)
    for row, seed, read in history:
        rows.add([row], vector(seed)[None])
        expected[row] = vector(seed)
        if read:
            rows.products(QUERIES, 6)
    np.testing.assert_allclose(rows.products(QUERIES, 6), QUERIES @ expected.T, atol=1e-6)
    np.testing.assert_array_equal(VectorRows(rows.stored(6).copy()).of(np.arange(6)), expected)
    np.testing.assert_array_equal(rows.kept(np.array([1, 4])).stored(2), expected[[1, 4]])


def test_rows_that_were_never_set_are_zero() -> None:
    """A row beyond those that were set is zero."""
    rows = empty()
    rows.add([LEAST_RESERVED + 7], vector(1)[None])

    assert not rows.of(np.array([0, 3, 500])).any()
    assert rows.products(QUERIES, 500).shape == (2, 500)
    assert rows.stored(LEAST_RESERVED + 8).shape == (LEAST_RESERVED + 8, DIMENSION)
    assert rows.nbytes >= 500 * DIMENSION * 4
