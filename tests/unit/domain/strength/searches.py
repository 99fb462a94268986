"""Indexes and searches by the built-in table, without an agent."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.request_items import requests
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.aggregate import Content, Memory
from nemuri_domain.strength.candidates import Candidates
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.query_texts import QueryTexts, message_parts
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.ranking import RelevantMemory
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts


def rows(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of texts."""
    table = word_table()
    return table.vectors([table.words(text) for text in texts])


def index_of(texts: Sequence[str], **options: Any) -> StrengthIndex:
    """Return an index of memories with these texts, whose ids are 1, 2, …"""
    index = StrengthIndex(word_table().dimension)
    index.add([UUID(int=number) for number in range(1, len(texts) + 1)], rows(texts), texts, **options)
    return index


def asked(*texts: str | QueryText) -> SearchTexts:
    """Return the texts to search for, those without a weight with full weight."""
    every = [QueryText(text) if isinstance(text, str) else text for text in texts]
    return SearchTexts.of(every, rows([each.text for each in every]))


def by_vector(text: str, vector: Sequence[float] | NDArray[np.float32], scale: float = 1.0) -> SearchTexts:
    """Return one text to search for, with this vector."""
    return SearchTexts.of([QueryText(text)], np.array([vector], np.float32), scale)


def message(query: str) -> SearchTexts:
    """Return the texts to search for in a message, as a retrieval without perspectives does."""
    items = requests(query)
    every = QueryTexts(query, message_parts(query, items), items).every
    return asked(*every)


def numbers(found: Candidates) -> tuple[int, ...]:
    """Return the ids of the candidates as numbers, best first."""
    return tuple(each.int for each in found.ids)


def relevant_memory(
    content: Content, memory: Memory, relevance: float, *, lexical: float | None = None
) -> RelevantMemory:
    """Return a memory that stage 1 found with this relevance, also in its context and as its similarity."""
    words = word_table().words(indexed_text(content.memory))
    aligned = relevance if lexical is None else lexical
    return RelevantMemory(
        content.memory_id, RankedContent.of(content), memory, relevance, aligned, relevance, relevance, words
    )
