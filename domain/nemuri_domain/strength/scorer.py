"""The linear scorer and the learned 9 → 16 → 1 scorer, which starts as a copy of the linear one (document 000 §3.4).

This module has all that ranking needs. Training is in `services/trainer`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import Weights
from nemuri_contracts.strength import FEATURES

LINEAR = (0.80, 0.06, 0.05, 0.03, 0.00, 0.03, 0.02, 0.00, 0.01)
"""Weights of the transformed features, sum 1. Relevance has the largest weight. Recency has none, because the recency
of encoding makes later questions worse.
"""
HIDDEN = 16
STEEPNESS = 4.0
"""Slope of the output. A sigmoid of 4 (s - 1/2) is close to s, so a copy's scores are close to the linear ones."""
SPREAD = 0.5
"""Relative difference of the hidden units' weights in a copy."""
MIN_SPREAD = 0.02
"""Difference where the linear weight is 0, so that these features can be learned too."""


def linear(transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the linear score of transformed features, shape (n, 9) to (n,), 0 to 1."""
    return np.asarray(transformed @ np.array(LINEAR))


def copy_of_linear() -> Weights:
    """Return the learned scorer that ranks like the linear score. Training starts from it.

    The units come in pairs w + d and w - d, so their sum is 16 w·x. A bias keeps all of them above 0 for every x from 0
    to 1, where a ReLU is linear. Every pair has another d; otherwise all would learn the same. Every unit has the whole
    of w, so dropout of a unit keeps the order.
    """
    step = [SPREAD * weight + MIN_SPREAD for weight in LINEAR]
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
    """Return one unit of a pair. By Walsh functions, no two pairs and no two features have the same signs."""
    signs = [-side if (pair & place).bit_count() % 2 else side for place in range(1, len(step) + 1)]
    return tuple(weight + sign * each for weight, sign, each in zip(LINEAR, signs, step, strict=True))


def logits(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inputs of the output sigmoid; transformed features of shape (n, 9) to shape (n,)."""
    hidden = np.maximum(transformed @ np.array(weights.hidden).T + np.array(weights.hidden_bias), 0.0)
    return np.asarray(hidden @ np.array(weights.output) + weights.output_bias)


def scores(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the learned score of transformed features, shape (n, 9) to (n,), 0 to 1."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits(weights, transformed), -500.0, 500.0))))


def importance(weights: Weights) -> dict[str, float]:
    """Return each feature's importance: the change of the logit as it goes from 0 to 1 and the others are 1/2,
    normalised.

    The magnitudes sum to 1 like the linear weights. For a copy of the linear score they equal these weights.
    """
    low = np.full((len(FEATURES), len(FEATURES)), 0.5)
    high = low.copy()
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 1.0)
    added = logits(weights, high) - logits(weights, low)
    total = float(np.abs(added).sum())
    return {name: float(each) / total if total else 0.0 for name, each in zip(FEATURES, added, strict=True)}
