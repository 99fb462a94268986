"""Training of a scorer with NumPy: gradient descent by hand over its 177 weights."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import Weights
from nemuri_domain.strength.scorer import copy_of_linear
from nemuri_domain.strength.training_samples import Samples

STEPS = 400
"""Number of passes over all samples."""
RATE = 0.03
"""Initial learning rate of Adam. It falls to 0 along a cosine."""
MOMENTS = (0.9, 0.999)
"""Rates at which Adam's averages of the gradient and of its square forget."""
EPSILON = 1e-8
"""Adam's guard against a division by zero."""
DROPOUT = 0.1
"""Dropout rate of the hidden layer (document 000 §3.4)."""
ATTACHMENT = 0.5
"""Weight of the penalty that keeps the scorer close to the copy of the linear score with which its training starts.

The penalty is the squared distance of the parameters. Its weight is in samples, so a few samples change the scorer
little.
"""
DIGITS = 6
"""Number of decimals of the weights in the event. The scorer is tested and used with these rounded weights."""

Floats = NDArray[np.float64]
Parameters = tuple[Floats, Floats, Floats, Floats]
"""Hidden weights of shape (16, 9), hidden biases (16,), output weights (16,) and output bias ()."""


def train(samples: Samples, seed: int) -> Weights:
    """Train a scorer on samples, starting from a copy of the linear score. Equal samples and an equal seed give equal
    weights.

    The loss is weighted binary cross-entropy (document 000 §3.4) plus the squared distance from the copy. Returns the
    copy if there are no samples.
    """
    copy = copy_of_linear()
    if not len(samples):
        return copy
    start = parameters_of(copy)
    now, means, squares = start, _zeros(start), _zeros(start)
    for step, kept in enumerate(dropout_masks(len(samples), len(copy.output), seed), 1):
        gradient = _gradient(now, start, samples, kept)
        means = _blend(means, gradient, MOMENTS[0])
        squares = _blend(squares, _squared(gradient), MOMENTS[1])
        rate = 0.5 * RATE * (1.0 + np.cos(np.pi * (step - 1) / STEPS))
        now = _moved(now, means, squares, rate, step)
    return _weights(now)


def dropout_masks(samples: int, units: int, seed: int) -> Iterator[Floats]:
    """Yield for each of the `STEPS` passes the factors of the hidden units, shape (samples, units).

    A factor is 0 with probability `DROPOUT`, else 1 / (1 - `DROPOUT`).
    """
    draw = np.random.default_rng(seed)
    for _ in range(STEPS):
        yield (draw.random((samples, units), dtype=np.float32) >= DROPOUT) / (1.0 - DROPOUT)


def parameters_of(weights: Weights) -> Parameters:
    """Return the weights as arrays."""
    return (
        np.array(weights.hidden, np.float64),
        np.array(weights.hidden_bias, np.float64),
        np.array(weights.output, np.float64),
        np.array(weights.output_bias, np.float64),
    )


def _gradient(now: Parameters, start: Parameters, samples: Samples, kept: Floats) -> Parameters:
    """Return the gradient of the mean loss: cross-entropy and the penalty, divided by the sum of the sample weights."""
    hidden, hidden_bias, output, output_bias = now
    before = samples.features @ hidden.T + hidden_bias
    units = np.maximum(before, 0.0) * kept
    logits = units @ output + output_bias
    total = samples.weights.sum()
    error = samples.weights * (_sigmoid(logits) - samples.labels) / total
    back = np.outer(error, output) * kept * (before > 0.0)
    loss = (back.T @ samples.features, back.sum(axis=0), units.T @ error, error.sum())
    pull = 2.0 * ATTACHMENT / total
    moved = (gradient + pull * (at - then) for gradient, at, then in zip(loss, now, start, strict=True))
    return _four(moved)


def _sigmoid(logits: Floats) -> Floats:
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * logits)))


def _zeros(like: Parameters) -> Parameters:
    return _four(np.zeros_like(array) for array in like)


def _blend(average: Parameters, newest: Parameters, kept: float) -> Parameters:
    return _four(kept * old + (1.0 - kept) * new for old, new in zip(average, newest, strict=True))


def _squared(gradient: Parameters) -> Parameters:
    return _four(array**2 for array in gradient)


def _moved(now: Parameters, means: Parameters, squares: Parameters, rate: float, step: int) -> Parameters:
    """Return the parameters after one step of Adam. `step` counts from 1."""
    first, second = (1.0 - moment**step for moment in MOMENTS)
    return _four(
        at - rate * (mean / first) / (np.sqrt(square / second) + EPSILON)
        for at, mean, square in zip(now, means, squares, strict=True)
    )


def _four(arrays: Iterator[Floats]) -> Parameters:
    hidden, hidden_bias, output, output_bias = arrays
    return hidden, hidden_bias, output, output_bias


def _weights(parameters: Parameters) -> Weights:
    hidden, hidden_bias, output, output_bias = (np.round(parameter, DIGITS) for parameter in parameters)
    return Weights(
        hidden=hidden.tolist(),
        hidden_bias=hidden_bias.tolist(),
        output=output.tolist(),
        output_bias=float(output_bias),
    )
