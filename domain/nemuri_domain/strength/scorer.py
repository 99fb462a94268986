"""The two scorers of nine features: the linear one, and the learned 9 → 16 → 1 one that begins as its copy.

Document 000 §3.4. This is all that serving needs; training is in `services/trainer`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import Weights
from nemuri_contracts.strength import FEATURES

LINEAR = (0.80, 0.06, 0.05, 0.03, 0.00, 0.03, 0.02, 0.00, 0.01)
"""Weights of the transformed features, sum 1. Relevance leads; recency is left out, because the recency of creation
makes later questions worse."""
HIDDEN = 16
STEEPNESS = 4.0
"""A sigmoid of 4 (s - 1/2) is close to s itself, so a copy's scores mean nearly what the linear ones mean."""
SPREAD = 0.5
"""By which share of its weight each hidden unit of a copy differs from the others."""
FLOOR = 0.02
"""By how much it differs where the linear weight is 0, so that these features can be learned too."""


def linear(transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The linear score of transformed features, shape (n, 9) to (n,), between 0 and 1."""
    return np.asarray(transformed @ np.array(LINEAR))


def copy_of_linear() -> Weights:
    """The scorer that ranks transformed features as the linear score does, and from which training begins.

    The units come in pairs w + d and w - d, so their sum is 16 w·x; a bias keeps all of them above 0 for every x
    between 0 and 1, where a ReLU changes nothing. Every pair has another d, or they would all learn the same, and every
    unit has the whole of w, so that one dropped out takes nothing of the order with it.
    """
    step = [SPREAD * weight + FLOOR for weight in LINEAR]
    bias = sum(max(0.0, each - weight) for each, weight in zip(step, LINEAR, strict=True))
    pairs = range(1, HIDDEN // 2 + 1)
    rows = [_unit(step, pair, side) for pair in pairs for side in (1, -1)]
    return Weights(
        hidden=tuple(rows),
        hidden_bias=(bias,) * HIDDEN,
        output=(STEEPNESS / HIDDEN,) * HIDDEN,
        output_bias=-STEEPNESS * (0.5 + bias),
    )


def _unit(step: Sequence[float], pair: int, side: int) -> tuple[float, ...]:
    """One unit of a pair; by Walsh's functions no two pairs, and no two features, have the same signs throughout."""
    signs = [-side if (pair & place).bit_count() % 2 else side for place in range(1, len(step) + 1)]
    return tuple(weight + sign * each for weight, sign, each in zip(LINEAR, signs, step, strict=True))


def logits(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the sigmoid is taken of; transformed features of shape (n, 9) to shape (n,)."""
    hidden = np.maximum(transformed @ np.array(weights.hidden).T + np.array(weights.hidden_bias), 0.0)
    return np.asarray(hidden @ np.array(weights.output) + weights.output_bias)


def scores(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The learned score of transformed features, shape (n, 9) to (n,), between 0 and 1."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits(weights, transformed), -500.0, 500.0))))


def importance(weights: Weights) -> dict[str, float]:
    """What a feature's way from 0 to 1 adds to the logit while the others are at 1/2, as shares of all nine.

    The magnitudes add up to 1, as the linear weights do: for a copy of the linear score they are these weights.
    """
    low = np.full((len(FEATURES), len(FEATURES)), 0.5)
    high = low.copy()
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 1.0)
    added = logits(weights, high) - logits(weights, low)
    total = float(np.abs(added).sum())
    return {name: float(each) / total if total else 0.0 for name, each in zip(FEATURES, added, strict=True)}
