"""What found a memory before it was absorbed finds the memory that stands for it."""

from collections.abc import Mapping
from uuid import UUID

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.client_events import Turn
from nemuri_domain.strength.retrieval_index import StrengthIndex
from nemuri_infra.projections.index_encoding import decode, encode
from tests.unit.domain.strength.searches import by_vector

DIMENSION = 8
WORDS = ("steel", "winter", "dear", "supplier", "fire", "crane")
TEXT = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
SEMANTIC = UUID(int=99)


def index_of(texts: list[str], seed: int = 0) -> StrengthIndex:
    """Return an index of memories with these texts and random vectors, numbered from 1; every other one is a turn."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(len(texts), DIMENSION)).astype(np.float32)
    index = StrengthIndex(DIMENSION)
    turns = [Turn(conversation="c", position=at) if at % 2 else None for at in range(len(texts))]
    ids = [UUID(int=at + 1) for at in range(len(texts))]
    index.add(ids, vectors / np.linalg.norm(vectors, axis=1, keepdims=True), texts, turns=turns)
    return index


def found(index: StrengthIndex, query: str, seed: int = 0, *, active: bool = True) -> dict[UUID, tuple[int, float]]:
    """Return the place and the relevance in context of each candidate for a query, by id."""
    vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    candidates = index.search(by_vector(query, vector / np.linalg.norm(vector)), mask=index.eligible(active=active))
    return {
        each: (at, float(relevance))
        for at, (each, relevance) in enumerate(zip(candidates.ids, candidates.in_context, strict=True))
    }


def absorb(index: StrengthIndex, standing: Mapping[UUID, UUID | None]) -> None:
    """Let other memories stand for some; None if none does."""
    stand_ins = [memory_id.bytes if memory_id else b"" for memory_id in standing.values()]
    index.update(list(standing), absorbed=[True] * len(standing), stand_in=stand_ins)


@given(st.lists(TEXT, min_size=3, max_size=9), TEXT, TEXT, st.integers(0, 99))
def test_whatever_found_a_source_finds_its_semantic_memory(
    texts: list[str], query: str, statement: str, seed: int
) -> None:
    """The semantic memory is found wherever one of its sources was, at least as high, and at least as relevant. Its
    sources are no candidates themselves, and all others are found as before.
    """
    index = index_of([*texts, statement], seed)
    semantic, sources = UUID(int=len(texts) + 1), {UUID(int=1), UUID(int=2)}
    before = found(index, query, seed)
    absorb(index, dict.fromkeys(sources, semantic))
    after = found(index, query, seed)
    assert not sources & after.keys()
    assert after.keys() - {semantic} == before.keys() - sources - {semantic}
    standing = [before[each] for each in (*sources, semantic) if each in before]
    if standing:
        relevance = max(relevance for _, relevance in standing)
        assert after[semantic][1] == relevance
        assert sum(other > relevance for _, other in after.values()) <= min(place for place, _ in standing)
    index.update(list(sources), absorbed=[False, False])
    assert found(index, query, seed) == before


def test_an_archived_semantic_memory_takes_its_sources_with_it() -> None:
    """The sources are searched with the archive while their semantic memory is archived. This holds for nested ones."""
    index = index_of(["steel", "steel winter", "winter dear", "crane"])
    one, two, three, four = (UUID(int=number) for number in range(1, 5))
    absorb(index, {one: two, two: three})
    assert set(found(index, "steel")) >= {three}
    index.update([three], active=[False])
    assert found(index, "steel").keys() <= {four}
    assert three in found(index, "steel", active=False)


def test_a_split_memory_is_never_found() -> None:
    """A memory for which none is to be found is left out, and so is one whose stand-in is not in the index."""
    index = index_of(["steel", "steel", "crane"])
    absorb(index, {UUID(int=1): None, UUID(int=2): UUID(int=77)})
    assert found(index, "steel").keys() <= {UUID(int=3)}
    assert found(index, "steel", active=False) == {}
    index.drop([UUID(int=1)])
    index.update([UUID(int=2)], absorbed=[False])
    assert UUID(int=2) in found(index, "steel")


def test_a_stored_index_knows_what_is_absorbed() -> None:
    """The binary form of an index keeps which memories are absorbed, and by which."""
    index = index_of(["steel", "steel winter", "dear"])
    absorb(index, {UUID(int=1): UUID(int=2), UUID(int=3): None})
    again = StrengthIndex(DIMENSION)
    assert decode(encode(index, "raw"), again, "raw")
    assert found(again, "steel") == found(index, "steel")
