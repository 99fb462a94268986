"""The nearest memories of new ones: those that may say the same, more, or something else of the same thing."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.strength.retrieval_index import StrengthIndex

NEAREST: Final = 16
"""Maximum number of memories that one new memory is judged against."""
NEAR: Final = 0.3
"""Minimum of the cosine and the share of common words together. Of 184 facts that changed, .95 are as near to the fact
before (`python -m bench.judged`).
"""
SHORTLIST: Final = 48
"""Number of memories by vectors, and as many by BM25, whose words are compared."""


def nearest_memories(index: StrengthIndex, texts: Mapping[UUID, str], scale: float = 1.0) -> dict[UUID, list[UUID]]:
    """Return for each new memory the nearest active ones, nearest first, at most `NEAREST`; none if none is near.

    `texts` are the indexed texts of the new memories. `scale` is that of the embedder's cosines. Memories that the
    index does not have are left out.
    """
    active = index.eligible()
    found = {memory_id: _nearest(index, row, text, active, scale) for memory_id, text, row in _rows(index, texts)}
    return {memory_id: near for memory_id, near in found.items() if near}


def _rows(index: StrengthIndex, texts: Mapping[UUID, str]) -> list[tuple[UUID, str, int]]:
    rows = ((memory_id, text, index.row(memory_id.bytes)) for memory_id, text in texts.items())
    return [(memory_id, text, row) for memory_id, text, row in rows if row is not None]


def _nearest(index: StrengthIndex, row: int, text: str, active: NDArray[np.bool_], scale: float) -> list[UUID]:
    if not active[row]:
        return []
    cosines = index.cosines(index.vectors.of(np.array([row])))[:, 0] / scale
    scores, _ = index.postings.scores_and_limits([terms(text)], len(index))
    among = active.copy()
    among[row] = False
    rows = np.flatnonzero(among)
    chosen = np.unique(np.concatenate([rows[_highest(values[rows])] for values in (cosines, scores[0])]))
    words = index.words.of([row, *chosen.tolist()])
    near = cosines[chosen] + np.array([shared_words(words[0], other) for other in words[1:]], np.float32)
    order = np.argsort(-near, kind="stable")[:NEAREST]
    return [index.id(int(chosen[place])) for place in order.tolist() if near[place] >= NEAR]


def _highest(values: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the places of the highest values, at most `SHORTLIST`."""
    if len(values) <= SHORTLIST:
        return np.arange(len(values))
    return np.argpartition(values, -SHORTLIST)[-SHORTLIST:]


def shared_words(one: Words, other: Words) -> float:
    """Return the share of the importance of both statements' words that both have, 0 to 1."""
    weights = [word_table().importance(words) for words in (one, other)]
    total = float(sum(weight.sum() for weight in weights))
    both = float(weights[0][np.isin(one, other)].sum() + weights[1][np.isin(other, one)].sum())
    return both / total if total else 0.0
