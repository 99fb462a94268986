"""The linear score, and the learned 9 → 16 → 1 scorer, which starts as a copy of the linear one (document 000 §3.4).

This module has everything that ranking needs. Training is in `services/trainer`.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import Weights
from nemuri_contracts.strength import FEATURES

LINEAR = (0.80, 0.06, 0.05, 0.03, 0.00, 0.03, 0.02, 0.00, 0.01)
"""Weights of the transformed features, sum 1. Relevance has the largest weight. Recency has weight 0, because
preferring recently encoded memories makes answers to later questions worse.
"""
HIDDEN = 16
STEEPNESS = 4.0
"""Slope of the output sigmoid. sigmoid(4 (s - 1/2)) is close to s, so the scores of a copy are close to the linear
ones.
"""
SPREAD = 0.5
"""Difference between the hidden units' weights in a copy, as a share of the linear weight."""
MIN_SPREAD = 0.02
"""Minimum of the difference that `SPREAD` gives. It applies also where the linear weight is 0, so that training can
change these weights.
"""


def linear(transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the linear score of each row of transformed features, 0 to 1. Shape (n, 9) to (n,)."""
    return np.asarray(transformed @ np.array(LINEAR))


def copy_of_linear() -> Weights:
    """Return a learned scorer that ranks like the linear score. Training starts from it.

    The hidden units come in pairs with weights w + d and w - d, where w are the linear weights, so their sum is 16 w·x.
    A bias keeps all units above 0 for every x from 0 to 1, where a ReLU is linear. Each pair has another d; otherwise
    all pairs would learn the same. Each unit contains the whole of w, so the order is kept if dropout removes a unit.
    """
    step = [SPREAD * weight + MIN_SPREAD for weight in LINEAR]
    bias = sum(max(0.0, slope - weight) for slope, weight in zip(step, LINEAR, strict=True))
    pairs = range(1, HIDDEN // 2 + 1)
    rows = [_unit(step, pair, side) for pair in pairs for side in (1, -1)]
    return Weights(
        hidden=tuple(rows),
        hidden_bias=(bias,) * HIDDEN,
        output=(STEEPNESS / HIDDEN,) * HIDDEN,
        output_bias=-STEEPNESS * (0.5 + bias),
    )


def _unit(step: Sequence[float], pair: int, side: int) -> tuple[float, ...]:
    """Return one unit of a pair, w + d or w - d by `side`.

    The signs of d are Walsh functions, so no two pairs and no two features have the same signs.
    """
    signs = [-side if (pair & index).bit_count() % 2 else side for index in range(1, len(step) + 1)]
    return tuple(weight + sign * slope for weight, sign, slope in zip(LINEAR, signs, step, strict=True))


def logits(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the input of the output sigmoid for each row of transformed features. Shape (n, 9) to (n,)."""
    hidden = np.maximum(transformed @ np.array(weights.hidden).T + np.array(weights.hidden_bias), 0.0)
    return np.asarray(hidden @ np.array(weights.output) + weights.output_bias)


def scores(weights: Weights, transformed: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the learned score of each row of transformed features, 0 to 1. Shape (n, 9) to (n,)."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(logits(weights, transformed), -500.0, 500.0))))


def importance(weights: Weights) -> dict[str, float]:
    """Return the importance of each feature by name, with its sign.

    It is the change of the logit when the feature goes from 0 to 1 and all others are 1/2, divided by the sum of the
    magnitudes of all changes. So the magnitudes sum to 1 like the linear weights, and for a copy of the linear score
    they equal these weights.
    """
    low = np.full((len(FEATURES), len(FEATURES)), 0.5)
    high = low.copy()
    np.fill_diagonal(low, 0.0)
    np.fill_diagonal(high, 1.0)
    added = logits(weights, high) - logits(weights, low)
    total = float(np.abs(added).sum())
    return {name: float(amount) / total if total else 0.0 for name, amount in zip(FEATURES, added, strict=True)}
