"""Training of a scorer with torch, which comes with the extra `learn`. Only this module trains scorers with torch."""

from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from nemuri_contracts.scorers import Weights
from nemuri_domain.strength.scorer import copy_of_linear
from nemuri_domain.strength.training_samples import Samples

if TYPE_CHECKING:
    from torch import Tensor

STEPS = 400
"""Number of passes over all samples."""
RATE = 0.03
"""Initial learning rate of Adam. It falls to 0 along a cosine."""
DROPOUT = 0.1
"""Dropout rate of the hidden layer (document 000 §3.4)."""
ATTACHMENT = 0.5
"""Weight of the penalty that keeps the scorer close to the copy of the linear score with which its training starts.

The penalty is the squared distance of the parameters. Its weight is in samples, so a few samples change the scorer
little.
"""
DIGITS = 6
"""Number of decimals of the weights in the event. The scorer is tested and used with these rounded weights."""


class TorchMissingError(Exception):
    """Raised if torch is not installed. It comes with the extra `learn`."""


def available() -> bool:
    """Return True if torch is installed."""
    return find_spec("torch") is not None


def train(samples: Samples, seed: int) -> Weights:
    """Train a scorer on samples, starting from a copy of the linear score. Equal samples and an equal seed give equal
    weights.

    The loss is weighted binary cross-entropy (document 000 §3.4) plus the squared distance from the copy. Returns the
    copy if there are no samples. Raises `TorchMissingError`.
    """
    torch = _torch()
    copy = copy_of_linear()
    start = [torch.tensor(each, dtype=torch.float64) for each in _parameters(copy)]
    if not len(samples):
        return copy
    rows, labels, weights = (torch.from_numpy(each) for each in (samples.features, samples.labels, samples.weights))
    parameters = [each.clone().requires_grad_() for each in start]
    optimizer = torch.optim.Adam(parameters, lr=RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, STEPS)
    draw = torch.Generator().manual_seed(seed % 2**63)
    for _ in range(STEPS):
        kept = (torch.rand(len(samples), len(copy.output), generator=draw) >= DROPOUT) / (1.0 - DROPOUT)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            logits(parameters, rows, kept), labels, weight=weights, reduction="sum"
        )
        distance = sum(((now - then) ** 2).sum() for now, then in zip(parameters, start, strict=True))
        optimizer.zero_grad()
        ((loss + ATTACHMENT * distance) / weights.sum()).backward()
        optimizer.step()
        schedule.step()
    return _weights(parameters)


def logits(parameters: "list[Tensor]", rows: "Tensor", kept: "Tensor | float" = 1.0) -> "Tensor":
    """Return the network's output before the sigmoid: for `rows` of shape (n, 9), an array of shape (n,).

    `kept`, of shape (n, 16), multiplies the hidden units; it is 0 for a unit that dropout removes.
    """
    hidden, hidden_bias, output, output_bias = parameters
    return ((rows @ hidden.T + hidden_bias).relu() * kept) @ output + output_bias


@cache
def _torch() -> ModuleType:
    if not available():
        raise TorchMissingError("torch is not installed: pip install 'nemuri[learn]'")
    import torch

    torch.set_num_threads(1)  # One thread is enough for a small network, and leaves the others to other work.
    return torch


def _parameters(weights: Weights) -> tuple[object, ...]:
    return weights.hidden, weights.hidden_bias, weights.output, weights.output_bias


def _weights(parameters: "list[Tensor]") -> Weights:
    hidden, hidden_bias, output, output_bias = (each.detach().numpy().round(DIGITS) for each in parameters)
    return Weights(
        hidden=hidden.tolist(),
        hidden_bias=hidden_bias.tolist(),
        output=output.tolist(),
        output_bias=float(output_bias),
    )
