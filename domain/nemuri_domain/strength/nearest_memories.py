"""The nearest memories of new ones: those that may say the same, more, or something else of the same thing."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import terms
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.strength.retrieval_index import StrengthIndex

NEAREST: Final = 16
"""Maximum number of memories that one new memory is judged against."""
NEAR: Final = 0.3
"""Minimum of the cosine and the share of common words of two statements together. Of 184 facts that changed, .95 are as
near to what was said before.
"""
SHORTLIST: Final = 48
"""Number of memories by vectors, and as many by BM25, whose statements are compared."""


def nearest_memories(index: StrengthIndex, statements: Mapping[UUID, str]) -> dict[UUID, list[UUID]]:
    """Return for each new memory the nearest active ones, nearest first, at most `NEAREST`; none if none is near.

    `statements` are the texts of the new memories, without speaker and time. Memories that are not active or not in the
    index are left out.
    """
    active = index.eligible()
    rows = {memory_id: index.row(memory_id.bytes) for memory_id in statements}
    found = {
        memory_id: _nearest(index, row, statements[memory_id], active)
        for memory_id, row in rows.items()
        if row is not None and active[row]
    }
    return {memory_id: near for memory_id, near in found.items() if near}


def _nearest(index: StrengthIndex, row: int, statement: str, active: NDArray[np.bool_]) -> list[UUID]:
    among = active.copy()
    among[row] = False
    rows = np.flatnonzero(among)
    cosines = index.cosines(index.vectors.of(np.array([row])))[:, 0]
    scores, _ = index.postings.scores_and_limits([terms(statement)], len(index))
    chosen = np.unique(np.concatenate([rows[_highest(values[rows])] for values in (cosines, scores[0])])).tolist()
    words = [_stated(index, at) for at in (row, *chosen)]
    vectors = word_table().vectors(words)
    near = vectors[1:] @ vectors[0] + np.array([shared_words(words[0], other) for other in words[1:]], np.float32)
    order = np.argsort(-near, kind="stable")[:NEAREST]
    return [index.id(chosen[place]) for place in order.tolist() if near[place] >= NEAR]


def _stated(index: StrengthIndex, row: int) -> Words:
    """Return the words of what a memory states: those of its indexed text without speaker, time and tags."""
    (words,) = index.words.of([row])
    content: dict[str, Any] = orjson.loads(index.features["content"][row] or b"{}")
    return words[content.get("before", 0) : len(words) - content.get("after", 0)]


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
