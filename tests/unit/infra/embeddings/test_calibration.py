"""Tests of calibrations: centring, spread, thresholds and their stored form."""

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibration import HIGHEST, MULTIPLES, Calibration, GivenThresholds
from nemuri_infra.embeddings.unit_rows import normalised

DIMENSION = 96


def rows(number: int, seed: int = 1, aside: int = 0) -> NDArray[np.float32]:
    """Return rows of unrelated texts in a narrow cone. `aside` names another cone beside it."""
    found = np.random.default_rng(seed).normal(size=(number, DIMENSION)).astype(np.float32)
    found[:, 0] += 20
    found[:, 1] += 10 * aside
    return normalised(found)


def test_the_mean_is_taken_out() -> None:
    """Rows of a narrow cone scatter around 0 after centring, about as far as random directions. Zeros stay zeros."""
    found = Calibration.of_rows(rows(200), "measured")
    assert found.length > 0.8
    assert found.spread == pytest.approx(DIMENSION**-0.5, rel=0.1)
    centred = found.centred(np.vstack([rows(200), np.zeros((1, DIMENSION), np.float32)]))
    assert np.linalg.norm(centred, axis=1) == pytest.approx([1] * 200 + [0], abs=1e-5)
    assert abs(float((centred @ centred.T)[np.triu_indices(200, 1)].mean())) < 0.02


def test_two_languages_scatter_as_far_as_one() -> None:
    """The direction between two groups of texts does not count for the spread."""
    both = np.vstack([rows(100), rows(100, seed=2, aside=1)])
    assert Calibration.of_rows(both, "measured").spread == pytest.approx(
        Calibration.of_rows(rows(200), "measured").spread, rel=0.1
    )


def test_thresholds_are_multiples_of_the_spread() -> None:
    """The thresholds are multiples of the spread, below a maximum. The operator's replace one of them."""
    found = Calibration(None, 0.1, 50, "measured")
    assert found.thresholds().recall == pytest.approx(0.1 * MULTIPLES["recall"])
    given = found.thresholds(GivenThresholds(relevance=0.3))
    assert (given.relevance, given.recall) == (0.3, found.thresholds().recall)
    assert Calibration(None, 0.5, 50, "measured").thresholds().same == HIGHEST


def test_the_operator_does_not_change_a_built_in_embedder() -> None:
    """The built-in embedder keeps its own thresholds."""
    own = BuiltInEmbedder.calibration
    assert own.thresholds(GivenThresholds(relevance=0.9)) == own.thresholds()


def test_a_calibration_is_stored_and_read() -> None:
    """What is stored can be read again. Damaged data, and data of another dimension, are refused."""
    found = Calibration.of_rows(rows(30), "assumed")
    again = Calibration.decoded(found.encoded(), DIMENSION)
    assert (again.digest, again.spread, again.sample, again.source) == (found.digest, found.spread, 30, "assumed")
    for data, dimension in ((found.encoded(), 5), (b"{}", DIMENSION), (b"", DIMENSION)):
        with pytest.raises((ValueError, KeyError)):
            Calibration.decoded(data, dimension)


def test_a_calibration_needs_two_texts() -> None:
    """One text, or texts without content, cannot be measured."""
    with pytest.raises(ValueError, match="at least two texts"):
        Calibration.of_rows(np.zeros((3, DIMENSION), np.float32), "measured")


def test_equal_rows_are_alike_without_a_spread() -> None:
    """Rows that are all equal have a spread of 0 and become zeros, so that nothing is found alike."""
    found = Calibration.of_rows(np.repeat(rows(1), 5, axis=0), "measured")
    assert found.spread == pytest.approx(0, abs=1e-5)
