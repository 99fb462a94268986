"""The table while it is trained: a differentiable form of `WordTable` and of its relevance."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

from bench.word_table.vocabulary import Vocabulary
from nemuri_domain.language.relevance import ALIGNED

Lines = Sequence[NDArray[np.intp]]
"""Texts as the places of their words in the vocabulary."""


@dataclass(frozen=True)
class Batch:
    """Texts of a batch with the vectors of their words."""

    sums: torch.Tensor
    """Vectors of the texts, of length 1, shape (texts, dimension)."""
    rows: torch.Tensor
    """Vectors of the distinct words, shape (words, dimension)."""
    corrections: torch.Tensor
    """Corrections in these vectors, shape (words, dimension)."""
    places: NDArray[np.intp]
    """Row of each word of the texts, one text after the other."""


class TrainableTable(torch.nn.Module):
    """Vectors of words as a function of the teacher's vectors.

    A word's vector is its weight × (the teacher's vector of the word, multiplied by one matrix, plus a correction of
    its own). The weight comes from a small network that sees the vector and the frequency, plus a correction of its
    own. So words that no training text has are trained too.
    """

    def __init__(self, initial: NDArray[np.float32], vocabulary: Vocabulary) -> None:
        super().__init__()
        words, dimension = initial.shape
        self._initial = torch.from_numpy(initial)
        japanese = torch.arange(words) >= vocabulary.english
        zipf = torch.from_numpy(vocabulary.zipf)
        self._features = torch.stack([zipf / 8, japanese.float(), (~japanese).float()], dim=1)
        self._rarity = torch.log(torch.clamp(8 - zipf, min=0.15))
        self.matrix = torch.nn.Parameter(torch.eye(dimension))
        self.corrections = torch.nn.Embedding(words, dimension, sparse=True)
        self.weights = torch.nn.Embedding(words, 1, sparse=True)
        self.network = torch.nn.Sequential(torch.nn.Linear(dimension + 3, 64), torch.nn.GELU(), torch.nn.Linear(64, 1))
        last = self.network[2]
        for each in (self.corrections.weight, self.weights.weight, last.weight, last.bias):
            torch.nn.init.zeros_(each)

    def rows(self, words: torch.Tensor) -> torch.Tensor:
        """Return the vectors of words, shape (n, dimension)."""
        initial = self._initial[words]
        seen = torch.cat([initial, self._features[words]], 1)
        weights = self._rarity[words] + self.network(seen)[:, 0] + self.weights(words)[:, 0]
        rows: torch.Tensor = torch.exp(weights)[:, None] * (initial @ self.matrix + self.corrections(words))
        return rows

    def all_rows(self) -> NDArray[np.float32]:
        """Return the vectors of all words, shape (words, dimension)."""
        with torch.no_grad():
            portions = torch.split(torch.arange(len(self._initial)), 5_000)
            found: NDArray[np.float32] = torch.cat([self.rows(portion) for portion in portions]).numpy()
        return found

    def batch(self, lines: Lines) -> Batch:
        """Return the vectors of texts, none of them empty, and of their words."""
        different, places = np.unique(np.concatenate(lines), return_inverse=True)
        words = torch.from_numpy(different)
        rows = self.rows(words)
        sums = torch.zeros(len(lines), rows.shape[1]).index_add(0, _owners(lines), rows[torch.from_numpy(places)])
        return Batch(functional.normalize(sums, dim=1), rows, self.corrections(words), places)

    def relevance(self, requests: Lines, texts: Lines) -> torch.Tensor:
        """Return the relevance of texts to requests, as `nemuri_domain.language.relevance` computes it, shape
        (requests, texts). Negative cosines are kept, so that their gradient is not lost.
        """
        batch = self.batch([*requests, *texts])
        asked = sum(len(request) for request in requests)
        cosines = batch.sums[: len(requests)] @ batch.sums[len(requests) :].T
        words, of_requests = np.unique(batch.places[:asked], return_inverse=True)
        others, of_texts = np.unique(batch.places[asked:], return_inverse=True)
        sizes = batch.rows.norm(dim=1)
        unit = batch.rows / sizes[:, None]
        near = torch.clamp(unit[torch.from_numpy(others)] @ unit[torch.from_numpy(words)].T, min=0)
        entries = _owners(requests), torch.from_numpy(of_requests)
        importance = torch.zeros(len(requests), len(words)).index_put(
            entries, sizes[torch.from_numpy(words)][entries[1]], accumulate=True
        )
        aligned = importance / importance.sum(1, keepdim=True) @ _nearest(near, of_texts, texts).T
        return (1 - ALIGNED) * cosines + ALIGNED * aligned


def _nearest(near: torch.Tensor, of_texts: NDArray[np.intp], texts: Lines) -> torch.Tensor:
    """Return the largest value in `near`, shape (words of texts, words of requests), over the words of each text,
    shape (texts, words of requests).
    """
    longest = max(len(text) for text in texts)
    padded = np.full((len(texts), longest), len(near))
    padded[np.arange(longest) < np.array([len(text) for text in texts])[:, None]] = of_texts
    places = torch.from_numpy(padded)
    values = torch.cat([near.detach(), torch.zeros(1, near.shape[1])])
    best = places[:, :1].expand(-1, near.shape[1]).clone()
    with torch.no_grad():
        largest = values[places[:, 0]]
        for column in places.T[1:]:
            candidates = values[column]
            better = candidates > largest
            largest = torch.where(better, candidates, largest)
            best = torch.where(better, column[:, None], best)
    return torch.gather(near, 0, best)


def _owners(lines: Lines) -> torch.Tensor:
    return torch.from_numpy(np.repeat(np.arange(len(lines)), [len(line) for line in lines]))
