"""The training of the table.

First distillation: the weighted sum of a text's words learns to resemble the teacher's vector of the text, by the
cosine and by the order of similarities in the batch. Then distillation goes on beside contrastive losses, which use the
relevance of the finished table (cosine and alignment of words): questions with the facts that answer them among other
facts and sentences, words with their definitions. The second part is repeated with several random seeds from the same
beginning, and the vectors are averaged, which is better than each of them.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.word_table.contrast import Contrasts
from bench.word_table.teacher import TrainingTexts
from bench.word_table.trainable_table import Lines, TrainableTable
from bench.word_table.vocabulary import Vocabulary

DIMENSION: Final = 256
BATCH: Final = 512
DISTILLED, CONTRASTED, SEEDS = 4, 2, 3
"""Epochs of each part, and the number of repetitions of the second."""
CONTRASTED_SHARE: Final = 0.25
"""Share of the steps that have contrastive losses, with the greater weight, because these cost most of a step."""
COMMON: Final = 2
"""Number of common components that are taken out of the words of a language."""
ORDER, PAIRS, DEFINITIONS, CORRECTION = 0.1, 1.0, 0.2, 0.04
"""Weights of the losses of order and of contrasts, and of the size of the corrections."""
ORDER_TEMPERATURE: Final = 0.05
DECAY: Final = 0.7
"""Factor on the learning rates after each epoch."""

Floats = NDArray[np.float32]


def train(
    vocabulary: Vocabulary, initial: Floats, texts: Sequence[TrainingTexts], rows: Mapping[str, Floats]
) -> Floats:
    """Return the trained vectors of the words, shape (words, DIMENSION). Their lengths are the weights."""
    teacher = {each.name: _unit(rows[each.name] - rows[each.name].mean(axis=0)) for each in texts}
    lines = {each.name: [vocabulary.known_words(text) for text in each.texts] for each in texts}
    aims = np.concatenate([_aims(each, teacher) for each in texts])
    axes = np.linalg.eigh(aims.T @ aims / len(aims))[1][:, ::-1][:, :DIMENSION].copy()
    torch.manual_seed(0)
    table = TrainableTable(_unit(_without_common(initial, vocabulary.english) @ axes), vocabulary)
    training = _Training([line for each in texts for line in lines[each.name]], _unit(aims @ axes))
    training.run(table, None, epochs=DISTILLED, seed=0)
    contrasts = Contrasts(vocabulary, texts, lines, teacher)
    found = []
    for seed in range(SEEDS):
        one = deepcopy(table)
        training.run(one, contrasts, epochs=CONTRASTED, seed=seed)
        found.append(one.all_rows())
    mean: Floats = np.mean(found, axis=0)
    return mean


def _aims(texts: TrainingTexts, teacher: Mapping[str, Floats]) -> Floats:
    """Return the vectors that texts should have: the teacher's. Those of translations are drawn to their mean."""
    own = teacher[texts.name]
    return _unit(own + 2 * _unit(own + teacher[texts.beside])) if texts.beside else own


class _Training:
    """The texts and the vectors that they should have."""

    def __init__(self, lines: Lines, aims: Floats) -> None:
        self._lines = lines
        self._aims = torch.from_numpy(aims)
        self._kept = np.array([place for place, line in enumerate(lines) if len(line)])

    def run(self, table: TrainableTable, contrasts: Contrasts | None, *, epochs: int, seed: int) -> None:
        """Train the table, with contrastive losses if `contrasts` are given."""
        chance = np.random.default_rng(seed)
        optimisers = _optimisers(table)
        for epoch in range(epochs):
            order = chance.permutation(self._kept)
            batches = [order[start : start + BATCH] for start in range(0, len(order) - BATCH + 1, BATCH)]
            cosines = [self._step(table, some, contrasts, optimisers, chance) for some in batches]
            for group in (group for optimiser in optimisers for group in optimiser.param_groups):
                group["lr"] *= DECAY
            print(f"seed {seed}, epoch {epoch + 1}: cosine with the teacher {np.mean(cosines):.3f}", flush=True)

    def _step(
        self,
        table: TrainableTable,
        some: NDArray[np.intp],
        contrasts: Contrasts | None,
        optimisers: Sequence[torch.optim.Optimizer],
        chance: np.random.Generator,
    ) -> float:
        """Learn from one batch, and return the mean cosine with the teacher."""
        batch = table.batch([self._lines[place] for place in some])
        aims = self._aims[some]
        cosine = (batch.sums * aims).sum(1).mean()
        wanted = torch.softmax(aims @ aims.T / ORDER_TEMPERATURE, 1)
        order = functional.cross_entropy(batch.sums @ aims.T / ORDER_TEMPERATURE, wanted)
        loss: Any = 1 - cosine + ORDER * order + CORRECTION * batch.corrections.pow(2).sum(1).mean()
        if contrasts and chance.random() < CONTRASTED_SHARE:
            contrast = PAIRS * contrasts.pair_loss(table, chance)
            loss = loss + (contrast + DEFINITIONS * contrasts.definition_loss(table, chance)) / CONTRASTED_SHARE
        for optimiser in optimisers:
            optimiser.zero_grad()
        loss.backward()
        for optimiser in optimisers:
            optimiser.step()
        return float(cosine.detach())


def _optimisers(table: TrainableTable) -> list[torch.optim.Optimizer]:
    return [
        torch.optim.Adam([table.matrix], lr=1e-3),
        torch.optim.Adam(table.network.parameters(), lr=2e-3),
        torch.optim.SparseAdam([table.corrections.weight], lr=3e-3),
        torch.optim.SparseAdam([table.weights.weight], lr=1e-2),
    ]


def _without_common(rows: Floats, english: int) -> Floats:
    """Return the rows without the mean and the `COMMON` first components of their language."""
    parts = []
    for some in (rows[:english], rows[english:]):
        centred = some - some.mean(axis=0)
        common = np.linalg.svd(centred[::3], full_matrices=False)[2][:COMMON]
        parts.append(centred - centred @ common.T @ common)
    return np.concatenate(parts)


def _unit(rows: Floats) -> Floats:
    scaled: Floats = (rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)).astype(np.float32)
    return scaled
