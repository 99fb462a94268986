"""The best rows of a search, with a share of the places for each source."""

from math import ceil

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.retrieval.memory_index import NO_NAME, MemoryIndex

Floats = NDArray[np.float32]
Rows = NDArray[np.intp]


def best_rows(index: MemoryIndex, rows: Rows, relevance: Floats, hits: Rows, limit: int, share: float) -> list[int]:
    """Return the places of up to `limit` of the hits among `rows`, most relevant first.

    If there are more than `limit`, a source gets at most `share` of the places while other sources have candidates.
    """
    order, most = _first(index, rows, relevance, hits, limit), ceil(share * limit)
    counts = np.bincount(index.features["source"][rows[order]], minlength=1)
    counts[NO_NAME] = 0
    if len(hits) <= limit or counts.max() <= most:
        return order
    sources = index.features["source"][rows[hits]]
    room = {int(source): most if source else limit for source in np.unique(sources)}
    pool = [_first(index, rows, relevance, hits[sources == source], places) for source, places in room.items()]
    first = _first(index, rows, relevance, np.array([at for some in pool for at in some]), limit)
    rest = np.setdiff1d(hits, first)
    filled = [*first, *_first(index, rows, relevance, rest, limit - len(first))]
    return _first(index, rows, relevance, np.array(filled), limit)


def _first(index: MemoryIndex, rows: Rows, relevance: Floats, hits: Rows, limit: int) -> list[int]:
    """Return up to `limit` of the hits, most relevant first, ties by id."""
    if len(hits) > limit:
        least = np.partition(relevance[hits], -limit)[-limit]
        hits = hits[relevance[hits] >= least]
    return sorted(hits.tolist(), key=lambda at: (-relevance[at], index.ids[rows[at]]))[:limit]
