"""Relevance of memories from conversations: a turn is also as relevant as its neighbours make it.

What answers a question often stands in a turn that shares no word with it, next to one that does ("When was that?" –
"Last Tuesday."). Recall@10 of words and vectors on LoCoMo, on five conversations / on the other five: .645 / .646 by
the turns alone, .736 / .717 with the neighbours, .748 / .729 with the best turn of the session too. The weights were
chosen on the first five.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int32]
Mask = NDArray[np.bool_]

NO_CONVERSATION: Final = 0
"""Code of a memory that comes from no conversation."""
UNKNOWN_POSITION: Final = -1
NEIGHBOUR_WEIGHTS: Final = (0.3, 0.3)
"""Weight of each of the two memories at a distance of one and of two turns, relative to the memory itself. In a
dialogue the next turn but one has the same speaker.
"""
CONVERSATION_WEIGHT: Final = 0.5
"""Weight of the most relevant memory of the conversation."""


@dataclass(frozen=True, slots=True)
class ConversationOrder:
    """The rows of an index whose memories come from conversations, ordered by conversation and position."""

    rows: NDArray[np.intp]
    begins: NDArray[np.intp]
    """Place in `rows` of the first row of each conversation."""
    conversation: NDArray[np.intp]
    """Number of the conversation of each of `rows`, ascending from 0."""
    placed: NDArray[np.bool_]
    """True for each of `rows` whose position is known."""

    @classmethod
    def of(cls, conversations: Codes, positions: Codes) -> Self:
        """Return the order of rows with these codes of conversations and these positions."""
        rows = np.flatnonzero(conversations != NO_CONVERSATION)
        rows = rows[np.lexsort((positions[rows], conversations[rows]))]
        begins, number = np.zeros(0, np.intp), np.zeros(0, np.intp)
        if len(rows):
            changes = np.diff(conversations[rows], prepend=NO_CONVERSATION) != 0
            begins, number = np.flatnonzero(changes), np.cumsum(changes) - 1
        return cls(rows, begins, number, positions[rows] != UNKNOWN_POSITION)

    def spread(self, relevance: Floats, hits: Mask, searched: Mask) -> tuple[Floats, Mask]:
        """Return the relevance of each row with its neighbours, 0 to 1, and which rows have a neighbour that is a hit.

        All arrays have one element for each row of the index. A row counts for others if it is `searched`, and supports
        its neighbours if it is one of the `hits` too. The result is the weighted mean of the row, of its neighbours and
        of the best row of its conversation, as far as they exist. So a row outside of conversations, or alone in one,
        keeps its relevance.
        """
        own, here = relevance[self.rows], searched[self.rows]
        told = np.where(hits[self.rows] & here, own, 0)
        added, weight = np.zeros_like(own), np.full_like(own, 1 + CONVERSATION_WEIGHT)
        for distance, neighbour_weight in enumerate(NEIGHBOUR_WEIGHTS, 1):
            near = self.conversation[distance:] == self.conversation[:-distance]
            near &= self.placed[distance:] & self.placed[:-distance]
            for at, beside in ((slice(distance, None), slice(-distance)), (slice(-distance), slice(distance, None))):
                added[at] += neighbour_weight * np.where(near, told[beside], 0)
                weight[at] += neighbour_weight * (near & here[beside])
        best = np.maximum.reduceat(np.where(here, own, 0), self.begins)[self.conversation]
        result, supported = relevance.copy(), np.zeros(len(relevance), np.bool_)
        result[self.rows] = (own + added + CONVERSATION_WEIGHT * best) / weight
        supported[self.rows] = added > 0
        return result, supported
