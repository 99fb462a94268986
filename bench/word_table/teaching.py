"""The teaching of the table: a sum of words learns to resemble the teacher's vector of the sentence.

A word's vector is its weight × (the teacher's vector of the word, turned by one matrix, plus a correction of its own).
The weight comes from a small network that sees the vector and the frequency, plus a correction of its own. So words
that no taught sentence has are taught too. Three losses: the cosine with the teacher's vector, the order of
similarities in the batch, and the contrast of pairs: questions with facts that answer them, words with their
definitions.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.word_table.teacher import TaughtTexts
from bench.word_table.vocabulary import Vocabulary

DIMENSION: Final = 256
BATCH: Final = 512
CONTRASTED: Final = 256
CONTRASTED_SHARE: Final = 1 / 3
"""Share of the steps that contrast pairs, with the greater weight, because contrasts cost most of a step."""
COMMON: Final = 2
"""Number of common components that are taken out of the words of a language."""
ORDER, PAIRS, DEFINITIONS, CORRECTION = 0.1, 3.0, 0.2, 0.02
"""Weights of the losses of order and of contrasts, and of the size of the corrections."""
TEMPERATURE: Final = 0.05
SLOWER: Final = 0.7
"""Factor on the rates of learning after each epoch."""

Floats = NDArray[np.float32]
Lines = Sequence[NDArray[np.intp]]


def teach(
    vocabulary: Vocabulary, begun: Floats, texts: Sequence[TaughtTexts], rows: Mapping[str, Floats], *, epochs: int
) -> Floats:
    """Return the taught vectors of the words, shape (words, DIMENSION); their lengths are the weights."""
    aims = _aims(texts, rows)
    every = np.concatenate([aims[each.name] for each in texts])
    axes = np.linalg.eigh(every.T @ every / len(every))[1][:, ::-1][:, :DIMENSION].copy()
    table = _Taught(_unit(_without_common(begun, vocabulary.english) @ axes), vocabulary)
    lines = [vocabulary.known_words(text) for each in texts for text in each.texts]
    kept = np.array([place for place, line in enumerate(lines) if len(line)])
    wanted = torch.from_numpy(_unit(every @ axes))
    contrasts = _contrasts(vocabulary, texts)
    chance = np.random.default_rng(0)
    for epoch in range(epochs):
        alike = [table.step(lines, wanted, some, contrasts, chance) for some in _batches(kept, chance)]
        table.slow_down()
        print(f"epoch {epoch + 1}: cosine with the teacher {np.mean(alike):.3f}", flush=True)
    return table.all_rows()


def _aims(texts: Sequence[TaughtTexts], rows: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the teacher's vectors, centred for each source; those of translations are drawn to their mean."""
    centred = {each.name: _unit(rows[each.name] - rows[each.name].mean(axis=0)) for each in texts}
    return {
        each.name: _unit(centred[each.name] + 2 * _unit(centred[each.name] + centred[each.beside]))
        if each.beside
        else centred[each.name]
        for each in texts
    }


def _contrasts(vocabulary: Vocabulary, texts: Sequence[TaughtTexts]) -> list[tuple[float, Lines, Lines]]:
    """Return the pairs that are contrasted, each list with the weight of its loss."""
    said = {each.name: [vocabulary.known_words(text) for text in each.texts] for each in texts}
    answering = {"q_en": ("f_en", "f_ja"), "q_ja": ("f_ja", "f_en")}
    found = [
        (PAIRS / 3 * (1.0 if nth == 0 else 0.5), said[asked], said[fact])
        for asked, facts in answering.items()
        for nth, fact in enumerate(facts)
    ]
    defined = [each for each in texts if each.named]
    names_of = {each.name: [vocabulary.known_words(one) for one in each.named] for each in defined}
    return [*found, *((DEFINITIONS, names_of[each.name], said[each.name]) for each in defined)]


class _Taught:
    """The table while it is taught."""

    def __init__(self, begun: Floats, vocabulary: Vocabulary) -> None:
        self._begun = torch.from_numpy(begun.astype(np.float32))
        words = len(begun)
        japanese = torch.arange(words) >= vocabulary.english
        zipf = torch.from_numpy(vocabulary.zipf)
        self._seen = torch.stack([zipf / 8, japanese.float(), (~japanese).float()], dim=1)
        self._plain = torch.log(torch.clamp(8 - zipf, min=0.15))
        self._matrix = torch.nn.Parameter(torch.eye(DIMENSION))
        self._own = torch.nn.Embedding(words, DIMENSION, sparse=True)
        self._weight = torch.nn.Embedding(words, 1, sparse=True)
        self._network = torch.nn.Sequential(torch.nn.Linear(DIMENSION + 3, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
        for each in (self._own.weight, self._weight.weight, self._network[2].weight, self._network[2].bias):
            torch.nn.init.zeros_(each)  # type: ignore[arg-type]
        self._optimisers: list[torch.optim.Optimizer] = [
            torch.optim.Adam([self._matrix], lr=1e-3),
            torch.optim.Adam(self._network.parameters(), lr=2e-3),
            torch.optim.SparseAdam([self._own.weight], lr=3e-3),
            torch.optim.SparseAdam([self._weight.weight], lr=1e-2),
        ]

    def step(
        self,
        lines: Lines,
        wanted: torch.Tensor,
        some: NDArray[np.intp],
        contrasts: Sequence[tuple[float, Lines, Lines]],
        chance: np.random.Generator,
    ) -> float:
        """Learn from one batch, and return the mean cosine with the teacher."""
        sums, own = self._sums([lines[place] for place in some])
        aims = wanted[some]
        cosine = (sums * aims).sum(1).mean()
        order = functional.cross_entropy(sums @ aims.T / TEMPERATURE, torch.softmax(aims @ aims.T / TEMPERATURE, 1))
        loss: Any = 1 - cosine + ORDER * order + CORRECTION * own.pow(2).sum(1).mean()
        for weight, ones, others in contrasts if chance.random() < CONTRASTED_SHARE else ():
            loss = loss + weight / CONTRASTED_SHARE * self._contrast(ones, others, chance)
        for each in self._optimisers:
            each.zero_grad()
        loss.backward()
        for each in self._optimisers:
            each.step()
        return float(cosine.detach())

    def slow_down(self) -> None:
        """Lower the rates of learning."""
        for each in self._optimisers:
            for group in each.param_groups:
                group["lr"] *= SLOWER

    def all_rows(self) -> Floats:
        """Return the vectors of all words."""
        with torch.no_grad():
            portions = torch.split(torch.arange(len(self._begun)), 5_000)
            found: Floats = torch.cat([self._rows(each) for each in portions]).numpy()
        return found

    def _rows(self, places: torch.Tensor) -> torch.Tensor:
        begun = self._begun[places]
        learned = self._network(torch.cat([begun, self._seen[places]], 1))[:, 0] + self._weight(places)[:, 0]
        rows: torch.Tensor = torch.exp(self._plain[places] + learned)[:, None] * (
            begun @ self._matrix + self._own(places)
        )
        return rows

    def _sums(self, lines: Lines) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the sums of lines, of length 1, and the corrections of their words."""
        different, places = np.unique(np.concatenate(lines), return_inverse=True)
        owners = torch.from_numpy(np.repeat(np.arange(len(lines)), [len(each) for each in lines]))
        words = torch.from_numpy(different)
        sums = torch.zeros(len(lines), DIMENSION).index_add(0, owners, self._rows(words)[torch.from_numpy(places)])
        return functional.normalize(sums, dim=1), self._own(words)

    def _contrast(self, ones: Lines, others: Lines, chance: np.random.Generator) -> torch.Tensor:
        drawn = chance.choice(len(ones), min(CONTRASTED, len(ones)), replace=False)
        some = [place for place in drawn if len(ones[place]) and len(others[place])]
        sums, _ = self._sums([each[place] for each in (ones, others) for place in some])
        alike = sums[: len(some)] @ sums[len(some) :].T / TEMPERATURE
        right = torch.arange(len(some))
        return (functional.cross_entropy(alike, right) + functional.cross_entropy(alike.T, right)) / 2


def _batches(kept: NDArray[np.intp], chance: np.random.Generator) -> list[NDArray[np.intp]]:
    order = chance.permutation(kept)
    return [order[start : start + BATCH] for start in range(0, len(order) - BATCH + 1, BATCH)]


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
