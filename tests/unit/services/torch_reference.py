"""The training of a scorer in torch, as a reference for the trainer's own."""

from collections.abc import Iterator

import torch
from torch import Tensor

from nemuri_contracts.scorers import Weights
from nemuri_domain.strength.scorer import copy_of_linear
from nemuri_domain.strength.training_samples import Samples
from nemuri_services.trainer import training


def torch_parameters(weights: Weights) -> list[Tensor]:
    """Return the weights as tensors."""
    return [torch.tensor(parameter, dtype=torch.float64) for parameter in training.parameters_of(weights)]


def torch_logits(parameters: list[Tensor], rows: Tensor, kept: Tensor | float = 1.0) -> Tensor:
    """Return the network's output before the sigmoid, for `rows` of shape (n, 9)."""
    hidden, hidden_bias, output, output_bias = parameters
    return ((rows @ hidden.T + hidden_bias).relu() * kept) @ output + output_bias


def logits_of(weights: Weights, rows: training.Floats) -> training.Floats:
    """Return torch's logits of these weights for `rows` of shape (n, 9)."""
    found: training.Floats = torch_logits(torch_parameters(weights), torch.from_numpy(rows)).numpy()
    return found


def torch_train(samples: Samples, masks: Iterator[training.Floats]) -> list[Tensor]:
    """Train with torch's own derivatives, Adam and cosine schedule, one step for each mask of the hidden units."""
    start = torch_parameters(copy_of_linear())
    rows, labels, weights = (torch.from_numpy(each) for each in (samples.features, samples.labels, samples.weights))
    parameters = [tensor.clone().requires_grad_() for tensor in start]
    optimizer = torch.optim.Adam(parameters, lr=training.RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, training.STEPS)
    for kept in masks:
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            torch_logits(parameters, rows, torch.from_numpy(kept)), labels, weight=weights, reduction="sum"
        )
        distance = torch.stack([((now - then) ** 2).sum() for now, then in zip(parameters, start, strict=True)]).sum()
        optimizer.zero_grad()
        ((loss + training.ATTACHMENT * distance) / weights.sum()).backward()
        optimizer.step()
        schedule.step()
    return [parameter.detach() for parameter in parameters]
