"""Candidates: what stage 1 of retrieval finds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.word_table import Words

Floats = NDArray[np.float32]
NUMBERS: Final = ("similarity", "lexical", "relevance", "in_context")
"""Fields with one number for each result, in their order."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Results of stage 1, most relevant first, ties by id. All sequences have the same length."""

    ids: tuple[UUID, ...]
    similarity: Floats
    """Cosine with the most similar text of the query, -1 to 1."""
    lexical: Floats
    """Alignment with the words of the best aligned text of the query, 0 to 1."""
    relevance: Floats
    """Relevance to the text of the query to which it is most relevant, times the weight of that text, 0 to 1. It does
    not depend on other memories.
    """
    in_context: Floats
    """The relevance by which the memories are ordered, 0 to 3: words that are rare among the agent's memories count
    more, BM25 adds up to `LEXICAL`, and it is averaged with that of the neighbours if the memory comes from a
    conversation (`conversation_order`).
    """
    words: Sequence[Words] = ()
    """The words of the indexed text of each memory."""
    nearest: tuple[UUID, float] | None = None
    """If there are no candidates: the memory that is nearest to being relevant, with its relevance."""


def together(found: Sequence[Candidates], limit: int) -> Candidates:
    """Return the results of several indexes as one, at most `limit`."""
    there = [candidates for candidates in found if candidates.ids]
    if len(there) < 2:
        nearest = max((one.nearest for one in found if one.nearest), key=lambda near: near[1], default=None)
        return there[0] if there else replace(found[0], nearest=nearest)
    ids = [memory_id for candidates in there for memory_id in candidates.ids]
    numbers = [np.concatenate([getattr(candidates, name) for candidates in there]) for name in NUMBERS]
    words = [text for candidates in there for text in candidates.words]
    order = sorted(range(len(ids)), key=lambda at: (-numbers[-1][at], ids[at].bytes))[:limit]
    similarity, lexical, relevance, in_context = (column[order] for column in numbers)
    chosen, texts = tuple(ids[at] for at in order), [words[at] for at in order]
    return Candidates(chosen, similarity, lexical, relevance, in_context, texts)
