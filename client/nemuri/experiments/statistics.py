"""Measures and their confidence intervals."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL: Final = 0.95
"""Confidence level of a figure's interval."""
CLAIM_LEVEL: Final = 0.99
"""Confidence level of the interval of a claim's difference. It is higher because there are about twenty claims."""
DRAWS: Final = 10_000
TOP: Final = 10
"""Number of ranks, counted from the top, at which the measures of rankings look."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over independent repeats, with its confidence interval."""

    mean: float
    low: float
    high: float
    repeats: int

    def __str__(self) -> str:
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]"


def interval(values: ArrayLike, chance: np.random.Generator, level: float = LEVEL) -> Interval:
    """Return the mean of independent values with its studentised bootstrap interval, which is valid for few repeats.

    Each resample's deviation from the mean is divided by its own standard error (Efron and Tibshirani 1993, §12.5), and
    the interval is at least as wide as that of the resamples' means. Equal values give an interval of width 0. Raises
    ValueError for fewer than three values.
    """
    sample = np.asarray(values, np.float64)
    count = len(sample)
    if count < 3:
        raise ValueError(f"{count} repeats are too few for an interval; there must be 3")
    mean = float(sample.mean())
    error = float(sample.std(ddof=1)) / count**0.5
    if error <= abs(mean) * 1e-12:
        return Interval(mean, mean, mean, count)
    drawn = sample[chance.integers(0, count, (DRAWS, count))]
    errors = drawn.std(axis=1, ddof=1) / count**0.5
    sound = errors > error * 1e-9
    deviations = (drawn.mean(axis=1)[sound] - mean) / errors[sound]
    edges = (1 - level) / 2, (1 + level) / 2
    outer = mean - np.quantile(deviations, edges[::-1]) * error
    plain = np.quantile(drawn.mean(axis=1), edges)
    return Interval(mean, float(min(outer[0], plain[0])), float(max(outer[1], plain[1])), count)


def kendall(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return Kendall's tau of two orders over their common members, -1 to 1; 1 for fewer than two common members."""
    places = {item: index for index, item in enumerate(second)}
    order = np.array([places[item] for item in first if item in places])
    pairs = len(order) * (len(order) - 1) / 2
    if not pairs:
        return 1.0
    rising = np.sign(order[None, :] - order[:, None])[np.triu_indices(len(order), 1)]
    return float(rising.sum() / pairs)


def overlap(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return the share of the first `TOP` members common to two rankings, 0 to 1; 1 for two empty rankings."""
    one, other = set(first[:TOP]), set(second[:TOP])
    return len(one & other) / max(len(one), len(other)) if one | other else 1.0


def jaccard_distance(first: Sequence[Hashable], second: Sequence[Hashable]) -> float:
    """Return the Jaccard distance of two sets, 0 to 1; 0 for two empty sets."""
    one, other = set(first), set(second)
    return 1 - len(one & other) / len(one | other) if one | other else 0.0


def jensen_shannon(first: ArrayLike, second: ArrayLike) -> float:
    """Return the Jensen-Shannon distance of two distributions, 0 to 1: the square root of the divergence in bits.

    Weights are normalised first.
    """
    weights = [np.asarray(shares, np.float64) for shares in (first, second)]
    p, q = (weight / weight.sum() for weight in weights)
    middle = (p + q) / 2
    divergence = (_divergence(p, middle) + _divergence(q, middle)) / 2
    return float(max(0.0, divergence) ** 0.5)


def auc(signal: ArrayLike, noise: ArrayLike) -> float:
    """Return the probability that a signal value is higher than a noise value, 0 to 1; a tie counts half.

    Raises ValueError if either is empty.
    """
    above, below = np.asarray(signal, np.float64), np.asarray(noise, np.float64)
    if not len(above) or not len(below):
        raise ValueError("there must be signal and noise")
    higher = np.sign(above[:, None] - below[None, :])
    return float((higher.mean() + 1) / 2)


def gain(order: Sequence[Hashable], needed: Hashable) -> float:
    """Return the nDCG at `TOP` of a ranking with one needed item, 0 to 1."""
    return 1 / log2(order.index(needed) + 2) if needed in order[:TOP] else 0.0


def _divergence(p: Floats, q: Floats) -> float:
    """Return the Kullback-Leibler divergence in bits. `q` must be positive wherever `p` is."""
    there = p > 0
    return float((p[there] * np.log2(p[there] / q[there])).sum())
