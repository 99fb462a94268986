"""The best rows of a search, with a share of the places for each source."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.strength.memory_rows import NO_SOURCE, MemoryRows

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


def best_rows(memories: MemoryRows, rows: Rows, relevance: Floats, found: Rows, limit: int, share: float) -> list[int]:
    """Return the places of up to `limit` of the found rows, most relevant first.

    If there are more than `limit`, a source gets at most `share` of the places while other sources have candidates.
    """
    order = _first(memories, rows, relevance, found, limit)
    most = ceil(share * limit)
    if len(found) > limit and _crowded(memories, rows[order], most):
        return _mixed(memories, rows, relevance, found, limit, most)
    return order


def _first(memories: MemoryRows, rows: Rows, relevance: Floats, found: Rows, limit: int) -> list[int]:
    """Return up to `limit` of the found rows, most relevant first, ties by id."""
    if len(found) > limit:
        least = np.partition(relevance[found], -limit)[-limit]
        found = found[relevance[found] >= least]
    return sorted(map(int, found), key=lambda at: (-relevance[at], memories.id_bytes(int(rows[at]))))[:limit]


def _crowded(memories: MemoryRows, rows: Rows, most: int) -> bool:
    """Return True if more than `most` of these rows have the same source."""
    counts = np.bincount(memories.sources(rows))
    counts[NO_SOURCE] = 0
    return int(counts.max()) > most


def _mixed(memories: MemoryRows, rows: Rows, relevance: Floats, found: Rows, limit: int, most: int) -> list[int]:
    """Return up to `limit` of the found rows, most relevant first: up to `most` of each source, then the best of
    the rest.
    """
    sources = memories.sources(rows[found])
    room = {int(source): most if source else limit for source in np.unique(sources)}
    pool = [_first(memories, rows, relevance, found[sources == source], number) for source, number in room.items()]
    first = _first(memories, rows, relevance, np.array([at for chosen_rows in pool for at in chosen_rows]), limit)
    rest = np.setdiff1d(found, first)
    filled = [*first, *_first(memories, rows, relevance, rest, limit - len(first))]
    return _first(memories, rows, relevance, np.array(filled), limit)
