"""Tests of the index for stage 1 of retrieval, which finds candidates by words and vectors."""

from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting
from nemuri_domain.language.tokenization import terms
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.retrieval_index import EXPANSION_WEIGHT, AgentIndex, Candidates

A, B, C, D = (UUID(int=number) for number in range(1, 5))
TEXTS = ["sleep makes memories fade", "the projector folds the log", "眠りは記憶を弱める", "bread and butter"]


def test_one_source_gets_at_most_its_share_of_the_candidates() -> None:
    """A source with a thousand similar texts gets at most half of the candidates, or all if there is no other
    source.
    """
    flood, others = [UUID(int=100 + number) for number in range(1_000)], [A, B, C]
    index = AgentIndex(2)
    index.add(flood[:500], np.zeros((500, 2), np.float32), ["sleep sleep"] * 500, sources=["client mallory"] * 500)
    index.add(others, np.zeros((3, 2), np.float32), ["sleep helps"] * 3, sources=["client ann", "textbook S", ""])
    index.add(flood[500:], np.zeros((500, 2), np.float32), ["sleep sleep"] * 500, sources=["client mallory"] * 500)

    def ask(share: float, limit: int = 10) -> tuple[UUID, ...]:
        query = np.zeros((1, 2), np.float32)
        return index.search(query, [["sleep"]], vector_threshold=0.5, limit=limit, share=share).ids

    assert ask(1.0) == tuple(flood[:10])
    assert ask(0.5) == (*flood[:7], A, B, C)
    assert ask(0.5, limit=4) == (*flood[:2], A, B)
    index.remove(others)
    assert ask(0.5) == tuple(flood[:10])


def test_memories_without_vectors_are_found_by_words() -> None:
    """Memories without vectors are found by their words (stems and pairs of characters).

    The best one has the lexical score 1, and the relevance 0.5 because its cosine is 0.
    """
    index = _index()

    english, japanese = _ask(index, "fading memory"), _ask(index, "記憶と眠り")

    assert english.ids == (A,)
    assert english.lexical.tolist() == [1.0]
    assert english.relevance.tolist() == [0.5]
    assert japanese.ids == (C,)


def test_memories_above_the_threshold_are_found_by_vectors() -> None:
    """Memories with a cosine above the threshold are candidates. A cosine below it, or one that is not positive, gives
    none.
    """
    index = _index(np.array([[1, 0], [0.6, 0.8], [0.1, -0.995], [-1, 0]], np.float32))
    query = np.array([[1, 0]], np.float32)

    found = index.search(query, [[]], vector_threshold=0.3)

    assert found.ids == (A, B)
    assert found.similarity.tolist() == pytest.approx([1.0, 0.6])
    assert index.search(query, [[]], vector_threshold=-1).ids == (A, B, C)


def test_relevance_is_the_mean_of_both_channels() -> None:
    """The relevance is (BM25 / max + cosine) / 2. A negative cosine counts as 0."""
    index = _index(np.array([[-1, 0], [0.8, 0.6], [0, 1], [0, 1]], np.float32))

    found = index.search(np.array([[1, 0]], np.float32), [terms("fading memory")], vector_threshold=0.3)

    assert dict(zip(found.ids, found.relevance.tolist(), strict=True)) == {A: 0.5, B: pytest.approx(0.4)}


def test_an_expansion_adds_candidates_but_weighs_less() -> None:
    """The words of an expansion add candidates, but rank after the words of the query itself."""
    index = _index()

    found = index.search(np.zeros((2, 2), np.float32), [terms("bread"), terms("bread log")], vector_threshold=0.5)

    assert found.ids == (D, B)
    assert found.lexical[0] == 1.0
    assert 0 < found.lexical[1] <= EXPANSION_WEIGHT


def test_the_vector_of_an_expansion_weighs_less() -> None:
    """A match with the vector of an expansion alone ranks after a match with the vector of the query."""
    index = AgentIndex(2)
    index.add([A, B], np.eye(2, dtype=np.float32), ["", ""])

    found = index.search(np.eye(2, dtype=np.float32), [[], []], vector_threshold=0.1)

    assert found.ids == (A, B)
    assert found.similarity.tolist() == [1.0, EXPANSION_WEIGHT]


def test_archived_memories_are_searched_on_request_only() -> None:
    """Archived memories are searched only on request (deep recall), in the same index."""
    index = _index()
    index.set_active([A, UUID(int=99)], active=False)

    assert _ask(index, "sleep").ids == ()
    assert _ask_masked(index, "sleep", index.eligible(active=False)).ids == (A,)


def test_only_scopes_valid_in_the_setting_are_searched() -> None:
    """Universal memories are always searched. Memories of a domain or project are searched only under its name
    (document 003 §3.3).
    """
    index = AgentIndex(2)
    scopes = [Scope(), Scope(level="domain", name="web"), Scope(level="project", name="web"), Scope()]
    index.add([A, B, C, D], np.zeros((4, 2), np.float32), ["sleep"] * 4, scopes=scopes)

    def found(setting: Setting | None) -> tuple[UUID, ...]:
        return _ask_masked(index, "sleep", index.eligible(setting)).ids

    assert found(None) == (A, B, C, D)
    assert found(Setting()) == (A, D)
    assert found(Setting(domains=("web", "unknown"))) == (A, B, D)
    assert found(Setting(project="web")) == (A, C, D)


def test_an_updated_memory_replaces_the_old_one() -> None:
    """An updated memory replaces the old version. If one call has two versions, the last one is kept."""
    index = _index()
    index.add([A, A], np.zeros((2, 2), np.float32), ["one", "two"])

    assert (_ask(index, "sleep").ids, _ask(index, "one").ids, _ask(index, "two").ids) == ((), (), (A,))
    assert len(index) == 4


def test_invalid_input_changes_nothing() -> None:
    """Arrays of different lengths and NaN are refused, and the index is not changed."""
    index = _index()
    for vectors in (np.zeros((1, 3), np.float32), np.full((1, 2), np.nan, np.float32)):
        with pytest.raises(ValueError, match="expected 1 texts"):
            index.add([A], vectors, ["new"])
    with pytest.raises(ValueError, match="got 1, 0, 1, 1"):
        index.add([A], np.zeros((1, 2), np.float32), ["new"], scopes=[])
    with pytest.raises(ValueError, match="expected at least one text"):
        index.search(np.zeros((0, 2), np.float32), [], vector_threshold=0)

    assert _ask(index, "sleep").ids == (A,)


def test_an_empty_index_finds_nothing() -> None:
    """A search in an empty index gives no candidates."""
    assert _ask(AgentIndex(2), "sleep").ids == ()
    assert _ask_masked(_index(), "sleep", np.zeros(4, np.bool_)).ids == ()


def test_ties_are_ordered_by_id() -> None:
    """Candidates of equal relevance are ordered by id, so that a replay selects the same ones at the limit."""
    index = AgentIndex(2)
    ids = [UUID(int=number) for number in range(100, 0, -1)]
    index.add(ids, np.zeros((100, 2), np.float32), ["same text"] * 100)

    assert index.search(np.zeros((1, 2), np.float32), [["text"]], vector_threshold=0.1, limit=3).ids == tuple(
        UUID(int=number) for number in (1, 2, 3)
    )


@given(st.lists(st.tuples(st.integers(0, 7), st.sampled_from(["", *TEXTS]), st.booleans()), max_size=30))
def test_an_index_after_changes_equals_a_new_one(history: list[tuple[int, str, bool]]) -> None:
    """After any additions, replacements and removals an index gives the same results as a new one."""
    index, now = AgentIndex(8), dict[UUID, tuple[str, bool]]()
    for number, text, active in history:
        memory_id = UUID(int=number)
        if text:
            index.add([memory_id], _unit(number), [text], active=[active])
            now[memory_id] = (text, active)
        else:
            index.remove([memory_id])
            now.pop(memory_id, None)
    fresh = AgentIndex(8)
    for memory_id, (text, active) in sorted(now.items()):
        fresh.add([memory_id], _unit(memory_id.int), [text], active=[active])

    found, expected = (_ask_unit(each, "sleep folds bread 記憶") for each in (index, fresh))

    assert found.ids == expected.ids
    np.testing.assert_allclose(found.relevance, expected.relevance, rtol=1e-6)
    assert {memory_id for memory_id in map(UUID, map(str, now)) if memory_id in index} == set(now)
    assert len(index) == len(now)


def test_one_common_word_is_not_enough_to_be_relevant() -> None:
    """If no memory reaches the relevance floor, nothing is found. If one does, weaker ones are found too.

    One common word is not enough to reach the floor.
    """
    index, weak = _index(), terms("does the weather forecast for Osaka mention bread")

    assert index.search(np.zeros((1, 2), np.float32), [weak], vector_threshold=0.5).ids == (D,)
    assert _ask_floor(index, [weak]) == ()
    assert _ask_floor(index, [terms("bread and butter and the log")]) == (D, B)
    assert _ask_floor(index, [terms("眠りと記憶")]) == (C,)


def test_a_high_cosine_is_enough_to_be_relevant() -> None:
    """A high cosine alone reaches the relevance floor.

    At the default floor it must be three times the embedder's threshold; it is proportional to the floor.
    """
    near, far = (np.array([[cosine, np.sqrt(1 - cosine**2)]], np.float32) for cosine in (0.46, 0.44))
    index = AgentIndex(2)
    index.add([A], np.array([[1, 0]], np.float32), ["sleep"])

    def found(query: NDArray[np.float32], floor: float) -> tuple[UUID, ...]:
        return index.search(query, [[]], vector_threshold=0.15, floor=floor).ids

    assert (found(near, RELEVANCE_FLOOR), found(far, RELEVANCE_FLOOR)) == ((A,), ())
    assert (found(far, RELEVANCE_FLOOR / 2), found(near, RELEVANCE_FLOOR * 2)) == ((A,), ())


def test_the_words_of_an_expansion_make_nothing_relevant() -> None:
    """The words that an expansion adds do not help a memory reach the relevance floor, because they are not of the
    question.
    """
    index = _index()

    assert _ask_floor(index, [terms("weather"), terms("weather sleep memories fade")]) == ()
    assert _ask_floor(index, [terms("bread"), terms("bread sleep memories fade")]) == (D, A)


def test_archived_or_out_of_scope_memories_make_nothing_relevant() -> None:
    """Memories that are not searched (archived ones, or those of another scope) do not count for the relevance
    floor.
    """
    index = _index()
    index.set_active([A], active=False)

    assert _ask_floor(index, [terms("memories fade slowly in a winter log")]) == ()
    everything = index.eligible() | index.eligible(active=False)
    assert _ask_floor(index, [terms("memories fade slowly in a winter log")], everything) == (A, B)


def _index(vectors: NDArray[np.float32] | None = None) -> AgentIndex:
    index = AgentIndex(2)
    index.add([A, B, C, D], np.zeros((4, 2), np.float32) if vectors is None else vectors, TEXTS)
    return index


def _ask(index: AgentIndex, query: str) -> Candidates:
    return _ask_masked(index, query, None)


def _ask_masked(index: AgentIndex, query: str, mask: NDArray[np.bool_] | None) -> Candidates:
    return index.search(np.zeros((1, 2), np.float32), [terms(query)], vector_threshold=0.5, mask=mask)


def _ask_floor(index: AgentIndex, queries: list[list[str]], mask: NDArray[np.bool_] | None = None) -> tuple[UUID, ...]:
    nowhere = np.zeros((len(queries), 2), np.float32)
    return index.search(nowhere, queries, vector_threshold=0.5, floor=RELEVANCE_FLOOR, mask=mask).ids


def _unit(number: int) -> NDArray[np.float32]:
    vector = np.ones((1, 8), np.float32)
    vector[0, number] = 5
    return vector / np.linalg.norm(vector)


def _ask_unit(index: AgentIndex, query: str) -> Candidates:
    return index.search(_unit(3), [terms(query)], vector_threshold=0.1)
