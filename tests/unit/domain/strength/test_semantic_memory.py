"""The law of semantic memory: nothing used is lost, and a split undoes the merge (document 000 §3.5)."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_domain.strength.aggregate import Content, Mind
from nemuri_domain.strength.memory_in_words import origin_in_words
from nemuri_domain.strength.ranking import RetrievalContext, features
from nemuri_domain.strength.state_diff import MemoryState
from tests.unit.domain.strength.facts import accesses, candidates, impact, level, status, strength, totals, yielding
from tests.unit.domain.strength.searches import relevant_memory
from tests.unit.domain.strength.stories import (
    BEGINNING,
    COST,
    QUALITY,
    A,
    B,
    C,
    D,
    Move,
    Story,
    absorbing,
    credited,
    encoded,
    erased,
    formed,
    given,
    night,
    parted,
    related,
    retrieved,
    reviewed,
    separated,
    split_up,
    used,
)

S, S2 = UUID(int=11), UUID(int=12)
SOURCES = (A, B, C)
CONTEXT = RetrievalContext(COST, frozenset(), BEGINNING)

SOME = st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3)
STEP = st.one_of(
    st.tuples(
        st.just("use"), st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3), st.sampled_from([None, COST])
    ),
    st.tuples(st.just("credit"), st.lists(st.sampled_from(SOURCES), min_size=1, max_size=2), st.sampled_from([1.5, 2])),
    st.tuples(st.just("retrieve"), st.lists(st.sampled_from(SOURCES), min_size=1, max_size=3), st.none()),
    st.tuples(st.just("sleep"), st.none(), st.none()),
)
LIFE = st.lists(STEP, max_size=25)


def _moves(steps: Iterable[tuple[Any, ...]], first: int = 0) -> list[Move]:
    found: list[Move] = []
    for number, (name, ids, more) in enumerate(steps, first):
        match name:
            case "use":
                found.append(used(*ids, perspective=more))
            case "credit":
                found.append(credited(*ids, points=more))
            case "retrieve":
                found.append(retrieved(*ids))
            case _:
                found += night(number)
    return found


def _lived(steps: Iterable[tuple[Any, ...]]) -> Story:
    return given(encoded(A), encoded(B, strength=0.7), encoded(C, perspectives=())).when(*_moves(steps))


def _standing(mind: Mind, name: str) -> float:
    """Return the sum of a number over the memories that nothing stands for."""
    return float(sum(getattr(memory, name) for memory in mind.memories.values() if memory.absorbed_by is None))


@for_any(LIFE)
def test_a_semantic_memory_has_all_uses_and_impact_and_the_highest_strengths(steps: list[tuple[Any, ...]]) -> None:
    """Forming a semantic memory keeps the sums of uses, effective uses and impact, and the highest level and strength,
    overall and in every perspective.
    """
    before = _lived(steps)
    after = before.when(formed(S, *SOURCES))
    if after.mind.memories.get(S) is None:  # a source had faded into the archive
        assert any(before.memory(source).status == "archived" for source in SOURCES)
        return
    for name in ("access_count", "effective_uses", "impact_score"):
        assert abs(_standing(after.mind, name) - _standing(before.mind, name)) < 1e-9
    agent, semantic = after.agent, after.memory(S)
    assert semantic.level == max(before.memory(source).level for source in SOURCES)
    for perspective in (None, COST, QUALITY, "another"):
        strongest = max(before.agent.strength(before.memory(source), perspective) for source in SOURCES)
        assert agent.strength(semantic, perspective) >= strongest * (1 - 1e-9)
    assert (agent.active, agent.archived) == totals(after.mind)


@for_any(LIFE, st.floats(0, 1))
def test_no_feature_of_the_ranking_falls(steps: list[tuple[Any, ...]], relevance: float) -> None:
    """Each ranking feature of a semantic memory is at least that of each of its sources before, for equal relevance. So
    its rank by any weights that are not negative does not fall.
    """
    before = _lived(steps)
    after = before.when(formed(S, *SOURCES))
    if S not in after.mind.memories:
        return

    def found(story: Story, memory_id: UUID) -> tuple[float, ...]:
        content: Content = story.mind.contents[memory_id]
        relevant = relevant_memory(content, story.memory(memory_id), relevance)
        return features(story.agent, relevant, CONTEXT)

    mine = found(after, S)
    for source in SOURCES:
        assert all(new >= old * (1 - 1e-9) for new, old in zip(mine, found(before, source), strict=True))


@for_any(LIFE)
def test_a_split_undoes_a_merge(steps: list[tuple[Any, ...]]) -> None:
    """If nothing happened in between, all sources are as they were before the merge."""
    before = _lived(steps)
    after = before.when(formed(S, *SOURCES), split_up(S, *SOURCES))
    for source in SOURCES:
        was, now = MemoryState.of(before.mind, source), MemoryState.of(after.mind, source)
        assert was is not None
        assert now is not None
        assert now.alike(was)
    assert (after.agent.active, after.agent.archived) == (before.agent.active, before.agent.archived)


@for_any(LIFE, LIFE, LIFE)
def test_nothing_gained_is_lost_by_a_split(
    steps: list[tuple[Any, ...]], between: list[tuple[Any, ...]], later: list[tuple[Any, ...]]
) -> None:
    """Uses and impact of sources and semantic memory count once, before, between and after merge and split. No source
    is weaker after the split than before the merge.
    """
    before = _lived(steps).when(formed(S, *SOURCES))
    if S not in before.mind.memories:
        return
    merged = before.when(*_moves(between, 100), used(S), credited(S, points=2))
    after = merged.when(split_up(S, *SOURCES))
    for name in ("access_count", "impact_score"):
        assert abs(_standing(after.mind, name) - _standing(merged.mind, name)) < 1e-9
    for each in SOURCES:
        source = before.memory(each)
        assert after.agent.strength(after.memory(each)) >= before.agent.strength(source) * (1 - 1e-9)
    plain = after.when(*_moves(later, 200))
    late = after.when(*_moves(later, 200), used(S), credited(S, points=2))
    assert _standing(late.mind, "access_count") == _standing(plain.mind, "access_count") + 1
    assert abs(_standing(late.mind, "impact_score") - _standing(plain.mind, "impact_score") - 2) < 1e-9


def test_a_use_of_a_source_counts_for_its_semantic_memory() -> None:
    """A use, credit, review, retrieval or withdrawn repetition of a source that comes after the merge counts for the
    semantic memory, once for all its sources together.
    """
    given(encoded(A), encoded(B), used(A), used(B), formed(S, A, B)).when(
        used(A, B, perspective=COST), credited(A, points=2), reviewed(B), retrieved(A, B), separated(A)
    ).then(accesses(S).equals(3), impact(S).equals(2.0), accesses(A).equals(1), accesses(B).equals(1))


def test_sources_neither_decay_nor_count() -> None:
    """Sources are frozen. They are neither active nor archived, so they take up no capacity."""
    story = given(encoded(A), encoded(B), formed(S, A, B)).when(*(move for each in range(9) for move in night(each)))
    story.then(strength(A).equals(1.0), status(A).equals("absorbed"))
    assert sum(story.agent.active) == 1
    assert story.agent.archived == 0
    assert story.agent.strength(story.memory(S)) < 1


def test_a_source_that_has_changed_forbids_the_merge() -> None:
    """If a source was used or erased after the decision, or is unknown, no semantic memory is formed."""
    for moves in ((used(A),), (erased(A),), ()):
        sources = {A: 0, B: 0} if moves else {B: 0, D: 0}
        story = given(encoded(A), encoded(B)).when(*moves, absorbing(S, sources))
        assert S not in story.mind.memories
        assert S not in story.mind.contents
        story.then(status(B).equals("active"))


def test_what_contradicts_a_source_contradicts_its_semantic_memory() -> None:
    """A newer memory that contradicts a source also outdates the semantic memory, and all sources after a split. The
    relation can be withdrawn.
    """
    story = given(encoded(A), encoded(B), formed(S, A, B)).when(related(C, A))
    story.then(yielding(S).equals((C,)), yielding(A).equals((C,)))
    story.when(split_up(S, A, B)).then(yielding(A).equals((C,)), yielding(B).equals((C,)))
    story.when(parted(C, A)).then(yielding(S).equals(()), yielding(A).equals(()))


def test_a_semantic_memory_can_become_a_source() -> None:
    """A semantic memory may be merged again. A use of an inner source counts for the outer memory, and each split
    brings back one layer.
    """
    story = given(encoded(A), encoded(B), encoded(C), used(A), formed(S, A, B), formed(S2, S, C)).when(used(B))
    story.then(accesses(S2).equals(2), accesses(S).equals(1), status(S).equals("absorbed"))
    outer = story.when(split_up(S2, S, C)).then(accesses(S).equals(2), status(S).equals("active"))
    outer.when(split_up(S, A, B)).then(accesses(A).equals(2), accesses(B).equals(0), status(S).equals("split"))


def test_a_split_needs_a_semantic_memory_with_these_sources() -> None:
    """Splitting an ordinary memory, an unknown one, or a second time changes nothing."""
    story = given(encoded(A), encoded(B), encoded(C), formed(S, A, B))
    assert story.when(split_up(C, A, B)).mind.memories == story.mind.memories
    assert story.when(split_up(D, A, B)).mind.memories == story.mind.memories
    once = story.when(split_up(S, A, B))
    assert once.when(split_up(S, A, B)).mind.memories == once.mind.memories


def test_an_erased_semantic_memory_gives_its_gains_back() -> None:
    """If a source and its semantic memory are erased, the other source is a memory of its own again, with what the
    semantic memory had gained. This holds for nested ones too.
    """
    story = given(encoded(A), encoded(B), encoded(C), used(A), formed(S, A, B), used(S), retrieved(S))
    story.when(erased(A, S)).then(status(B).equals("active"), accesses(B).equals(1), candidates(B).equals(1))
    nested = story.when(formed(S2, S, C), used(S2)).when(erased(C, S, S2, A))
    nested.then(status(B).equals("active"), accesses(B).equals(2))
    assert not any(memory.absorbed_by for memory in nested.mind.memories.values())


def test_a_semantic_memory_rises_as_its_uses_earn() -> None:
    """The next sleep gives a semantic memory the level that the uses of all its sources earn together."""
    given(encoded(A), encoded(B), *[used(A), used(B)] * 4, *night(1)).when(formed(S, A, B), *night(2)).then(
        level(S).equals(1), accesses(S).equals(8)
    )


def test_a_content_is_kept_for_the_prompt() -> None:
    """A prompt says of a semantic memory from how many experiences it comes, and when they happened."""
    content = given(encoded(A), encoded(B), formed(S, A, B)).mind.contents[S]
    assert origin_in_words(content) == "from 2 experiences on 1 January 2026, which all said this"
