"""Indexes and searches by the built-in table, without an agent."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.request_items import requests
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.query_texts import QueryTexts, message_parts
from nemuri_domain.strength.retrieval_index import AgentIndex, Candidates
from nemuri_domain.strength.search_texts import SearchText


def rows(texts: Sequence[str]) -> NDArray[np.float32]:
    """Return the vectors of texts."""
    table = word_table()
    return table.vectors([table.words(each) for each in texts])


def index_of(texts: Sequence[str], **options: Any) -> AgentIndex:
    """Return an index of memories with these texts, whose ids are 1, 2, …"""
    index = AgentIndex(word_table().dimension)
    index.add([UUID(int=number) for number in range(1, len(texts) + 1)], rows(texts), texts, **options)
    return index


def asked(*texts: str) -> list[SearchText]:
    """Return each text as a text to search for, with full weight."""
    return [SearchText(text, vector) for text, vector in zip(texts, rows(texts), strict=True)]


def message(query: str) -> list[SearchText]:
    """Return the texts to search for in a message, as a retrieval without perspectives does."""
    items = requests(query)
    every = QueryTexts(query, message_parts(query, items), items).every
    vectors = rows([each.text for each in every])
    return [
        SearchText(each.text, vector, each.weight, each.decides) for each, vector in zip(every, vectors, strict=True)
    ]


def numbers(found: Candidates) -> tuple[int, ...]:
    """Return the ids of the candidates as numbers, best first."""
    return tuple(each.int for each in found.ids)
