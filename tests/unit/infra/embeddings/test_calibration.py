"""Tests of calibrations: centring, scale, thresholds and their stored form."""

from dataclasses import astuple

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.embeddings.calibrated import calibrate
from nemuri_infra.embeddings.calibration import HIGHEST, LEAST_SCALE, Calibration, Thresholds
from nemuri_infra.embeddings.general_texts import GENERAL_QUESTIONS, GENERAL_TEXTS
from nemuri_infra.embeddings.unit_rows import normalised

DIMENSION = 96
PAIRS = len(GENERAL_TEXTS)


def rows(number: int, seed: int = 1) -> NDArray[np.float32]:
    """Return rows of unrelated texts in a narrow cone."""
    found = np.random.default_rng(seed).normal(size=(number, DIMENSION)).astype(np.float32)
    found[:, 0] += 20
    return normalised(found)


def calibration(share: float, given: NDArray[np.float32] | None = None) -> Calibration:
    """Return the calibration by general texts and questions that are like them to this extent, 0 to 1."""
    answers = rows(PAIRS)
    asked = normalised(share * answers + (1 - share) * rows(PAIRS, seed=2))
    return Calibration.of_rows(answers if given is None else given, asked, answers, "measured")


def test_the_mean_is_taken_out() -> None:
    """Rows of a narrow cone scatter around 0 after centring. Zeros stay zeros, and do not count."""
    found = calibration(0.5, np.vstack([rows(200), np.zeros((2, DIMENSION), np.float32)]))
    assert found.length > 0.8
    assert found.sample == 200
    centred = found.centred(np.vstack([rows(200), np.zeros((1, DIMENSION), np.float32)]))
    assert np.linalg.norm(centred, axis=1) == pytest.approx([1] * 200 + [0], abs=1e-5)
    assert abs(float((centred @ centred.T)[np.triu_indices(200, 1)].mean())) < 0.02


def test_the_scale_says_how_far_related_texts_stand_out() -> None:
    """The nearer questions are to the texts that answer them, the larger is the scale. It has a minimum."""
    scales = [calibration(each).scale for each in (0.3, 0.5, 0.8)]
    assert scales == sorted(set(scales))
    assert calibration(0).scale == pytest.approx(LEAST_SCALE, abs=0.1)
    assert calibration(0).scale >= LEAST_SCALE


def test_the_language_that_is_known_counts() -> None:
    """An embedder that knows one language has the scale that it has in this language."""
    answers, asked = rows(PAIRS), rows(PAIRS, seed=2)
    english = slice(0, PAIRS // 2)
    asked[english] = answers[english]
    both = Calibration.of_rows(answers, answers, answers, "measured")
    assert Calibration.of_rows(answers, asked, answers, "measured").scale == pytest.approx(both.scale, rel=0.05)


async def test_the_built_in_embedder_has_the_scale_1() -> None:
    """Measured as any other, the built-in embedder has the scale 1, which is the one that it comes with."""
    embedder = BuiltInEmbedder()
    answers, asked = embedder.rows(GENERAL_TEXTS), embedder.rows(GENERAL_QUESTIONS)
    measured = await calibrate(embedder, None, "assumed")
    assert measured.scale == pytest.approx(embedder.calibration.scale, abs=0.05)
    assert measured.encoded() == Calibration.of_rows(answers, asked, answers, "assumed").encoded()


def test_thresholds_follow_the_scale() -> None:
    """The thresholds are those of the built-in embedder times the scale, below a maximum."""
    assert BuiltInEmbedder.calibration.thresholds == Thresholds()
    half = Calibration(None, 0.5, 50, "measured").thresholds
    assert astuple(half) == pytest.approx([each / 2 for each in astuple(Thresholds())])
    assert Calibration(None, 5.0, 50, "measured").thresholds.same == HIGHEST


def test_a_calibration_is_stored_and_read() -> None:
    """What is stored can be read again. Damaged data, and data of another dimension, are refused."""
    found = calibration(0.5)
    again = Calibration.decoded(found.encoded(), DIMENSION)
    assert (again.digest, again.scale, again.sample, again.source) == (found.digest, found.scale, PAIRS, "measured")
    for data, dimension in ((found.encoded(), 5), (b"{}", DIMENSION), (b"", DIMENSION)):
        with pytest.raises((ValueError, KeyError)):
            Calibration.decoded(data, dimension)


def test_a_calibration_needs_two_texts() -> None:
    """One text, or texts without content, cannot be measured."""
    with pytest.raises(ValueError, match="at least two texts"):
        calibration(0.5, np.zeros((3, DIMENSION), np.float32))
