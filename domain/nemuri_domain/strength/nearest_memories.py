"""The nearest memories of new ones: those that may say the same, more, or something else of the same thing."""

from collections.abc import Mapping, Sequence
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
SHORTLIST: Final = 24
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
    near = _likeness(_stated(index, row), [_stated(index, at) for at in chosen])
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


def _likeness(one: Words, others: Sequence[Words]) -> NDArray[np.float64]:
    """Return the cosine of a statement and each other one plus the share of their words, by importance, that both have,
    shape (others,), up to 2. It is what `StatementPairs` compares of all pairs.
    """
    table, number = word_table(), len(others) + 1
    every, places = np.unique(np.concatenate([one, *others]), return_inverse=True)
    statement = np.repeat(np.arange(number), [len(words) for words in (one, *others)])
    counts = np.bincount(statement * len(every) + places, minlength=number * len(every)).reshape(number, len(every))
    weighted = table.weighted(every)
    rows, weights, has = counts @ weighted, counts * np.linalg.norm(weighted, axis=1), counts > 0
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1.0)
    both, totals = weights[1:] @ has[0] + has[1:] @ weights[0], weights.sum(axis=1)
    found: NDArray[np.float64] = rows[1:] @ rows[0] + both / np.maximum(totals[1:] + totals[0], 1.0)
    return found
