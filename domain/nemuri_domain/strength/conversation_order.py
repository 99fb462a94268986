"""Relevance of memories from conversations: a turn is also as relevant as its neighbours make it.

What answers a question often stands in a turn that shares no word with it, next to one that does ("When was that?" –
"Last Tuesday."). Recall@10 of words and vectors on LoCoMo, on five conversations / on the other five: .645 / .646 by
the turns alone, .719 / .708 with the neighbours, .736 / .719 with the best turn of the session too. The weights were
chosen on the first five.
"""

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int32]

NO_CONVERSATION: Final = 0
"""Code of a memory that comes from no conversation."""
UNKNOWN_POSITION: Final = -1
NEIGHBOUR_WEIGHTS: Final = (0.3, 0.3)
"""Weight of each of the two memories at a distance of one and of two turns, relative to the memory itself. In a
dialogue the next turn but one has the same speaker.
"""
CONVERSATION_WEIGHT: Final = 0.5
"""Weight of the most relevant memory of the conversation."""
_TOTAL: Final = 1 + 2 * sum(NEIGHBOUR_WEIGHTS) + CONVERSATION_WEIGHT


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

    def support(self, relevance: Floats) -> Floats:
        """Return what the neighbours of each row add to its relevance, before normalisation. `relevance` and the result
        have one number for each row of the index. Rows that are not searched have relevance 0.
        """
        own = relevance[self.rows]
        added = np.zeros_like(own)
        for distance, weight in enumerate(NEIGHBOUR_WEIGHTS, 1):
            near = self.conversation[distance:] == self.conversation[:-distance]
            near &= self.placed[distance:] & self.placed[:-distance]
            added[distance:] += weight * np.where(near, own[:-distance], 0)
            added[:-distance] += weight * np.where(near, own[distance:], 0)
        result = np.zeros_like(relevance)
        result[self.rows] = added
        return result

    def combined(self, relevance: Floats, support: Floats) -> Floats:
        """Return the relevance of each row, 0 to 1, with its neighbours and the best row of its conversation.

        A row outside of conversations keeps its relevance. So it counts as if its neighbours were as relevant as
        itself, and loses nothing against conversations.
        """
        own = relevance[self.rows]
        best = np.maximum.reduceat(own, self.begins)[self.conversation]
        result = relevance.copy()
        result[self.rows] = (own + support[self.rows] + CONVERSATION_WEIGHT * best) / _TOTAL
        return result
