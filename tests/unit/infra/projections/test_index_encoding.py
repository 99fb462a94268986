"""A stored index is the same index, and its form has a version."""

from datetime import UTC, datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from nemuri_contracts.client_events import MemoryContent, Scope, Setting, Turn
from nemuri_domain.strength.aggregate import Memory
from nemuri_domain.strength.candidates import Candidates
from nemuri_domain.strength.memory_content import indexed_text
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_domain.strength.search_texts import QueryText, SearchTexts
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections.index_encoding import FORMAT, decode, encode

DIMENSION = 64
EMBEDDER = BuiltInEmbedder(DIMENSION)
TEXTS = ("Bread is baked at dawn.", "The log is written once.", "鍵は入口の棚にあります。", "list.append returns None")


def filled() -> StrengthIndex:
    """Return an index with active, archived and removed memories of several scopes and sources."""
    index = StrengthIndex(DIMENSION)
    memories = [MemoryContent(content=text, tags=("kept",), said_by="ann") for text in TEXTS]
    index.add(
        [UUID(int=number) for number in range(len(TEXTS))],
        EMBEDDER.rows(TEXTS),
        [indexed_text(memory) for memory in memories],
        scopes=[Scope(), Scope(level="project", name="x"), Scope(), Scope()],
        sources=["", "a book", "", "a book"],
        turns=[None, Turn(conversation="monday"), *(Turn(conversation="tuesday", position=place) for place in (4, 7))],
    )
    index.update([UUID(int=3)], active=[False])
    index.drop([UUID(int=0)])
    return index


def stored(index: StrengthIndex) -> StrengthIndex:
    """Return an index that was encoded and decoded."""
    decoded = StrengthIndex(DIMENSION)
    assert decode(encode(index, "raw"), decoded, "raw")
    return decoded


def found(index: StrengthIndex, query: str) -> Candidates:
    """Return the results of a search for a query in project x."""
    mask = index.eligible(Setting(project="x"))
    return index.search(SearchTexts.of([QueryText(query)], EMBEDDER.rows([query])), mask=mask)


def test_a_decoded_index_is_the_same() -> None:
    """A decoded index gives the same results, and can be changed like the encoded one."""
    index = filled()
    decoded = stored(index)
    np.testing.assert_array_equal(decoded.features, index.features)
    for agent_index in (index, decoded):
        agent_index.update([UUID(int=3)], active=[True])
        turn = Turn(conversation="tuesday", position=5)
        agent_index.add(
            [UUID(int=9)], EMBEDDER.rows(["The log is read often."]), ["The log is read often."], turns=[turn]
        )
    for query in ("Is the log written?", "鍵はどこですか", "append"):
        expected, now = found(index, query), found(decoded, query)
        assert expected.ids == now.ids != ()
        np.testing.assert_array_equal(expected.relevance, now.relevance)
    assert UUID(int=0) not in decoded
    assert len(decoded) == len(index)


def test_a_decoded_index_ranks_the_same() -> None:
    """A decoded index has what ranking reads of each memory, and nothing of a memory that was removed."""
    index, content = filled(), RankedContent(created_at=datetime(2026, 1, 1, tzinfo=UTC), tags=("kept",), before=1)
    index.add([UUID(int=9), UUID(int=8)], EMBEDDER.rows(TEXTS[:2]), TEXTS[:2], contents=[content, content])
    of: dict[str, Any] = {"agent_id": "ann", "stored_strength": 0.25, "perspectives": {"use": 0.5}, "changed": 3}
    index.set_states([Memory(memory_id=UUID(int=number), candidate_count=number, **of) for number in (8, 9)])
    index.drop([UUID(int=8)])
    decoded = stored(index)
    found, state = decoded.ranked(UUID(int=9))
    assert (found, state.candidate_count, state.perspectives) == (content, 9, {"use": 0.5})
    with pytest.raises(KeyError):
        decoded.ranked(UUID(int=8))


def test_damaged_data_is_refused() -> None:
    """Truncated data raises an error instead of giving another index."""
    data, index = encode(filled(), "raw"), StrengthIndex(DIMENSION)
    for damaged in (data[:-1], data[:40], b"\x00" * 8 + data[8:], b""):
        with pytest.raises((ValueError, KeyError, TypeError)):
            decode(damaged, index, "raw")
    assert len(index) == 0


def test_an_index_of_another_calibration_is_ignored() -> None:
    """A copy whose vectors were centred by another calibration is not used."""
    assert not decode(encode(filled(), "old"), StrengthIndex(DIMENSION), "new")


def test_the_format_has_a_new_number_when_its_content_changes() -> None:
    """The bytes of an index change only with `FORMAT`. If this fails, raise `FORMAT` and write down the new digest.

    The words are unknown to the table of word vectors, so another table does not change the bytes.
    """
    index = StrengthIndex(DIMENSION)
    index.add(
        [UUID(int=1), UUID(int=2)],
        np.eye(2, DIMENSION, dtype=np.float32),
        ["qzxwvk vkqjzx", "zzxwqj"],
        scopes=[Scope(level="project", name="x"), Scope()],
        sources=["", "a book"],
        turns=[None, Turn(conversation="monday", position=4)],
    )
    index.update([UUID(int=2)], active=[False])
    digest = sha256(encode(index, "raw")).hexdigest()
    assert (FORMAT, digest[:16]) == (11, "8d3857dfe09f8899")
