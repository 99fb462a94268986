"""Tests of relations from newer to older memories and of their withdrawal."""

from datetime import timedelta
from uuid import UUID

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.strength import Candidate, Relation
from nemuri_domain.strength.aggregate import Memory
from nemuri_domain.strength.ranked_memory import RankedContent
from nemuri_domain.strength.ranking import RetrievalContext, lower_outdated, outdated_elsewhere, ranked
from tests.unit.domain.strength.facts import accesses, level, status, strength, yielding
from tests.unit.domain.strength.searches import relevant_memory
from tests.unit.domain.strength.stories import (
    BEGINNING,
    COST,
    A,
    B,
    C,
    D,
    Story,
    encoded,
    given,
    parted,
    related,
    repeating,
    ruled,
    separated,
    sleeps,
    used,
)
from tests.unit.domain.strength.stories import ended as session_ended

FOUR = (A, B, C, D)


def test_a_contradicted_memory_yields_to_the_newer_one() -> None:
    """A contradicted memory yields to the newer one and keeps its strength. A relation to an unknown memory is
    ignored.
    """
    given(encoded(A)).when(related(B, A, C, B)).then(
        yielding(A).equals((B,)), yielding(B).equals(()), strength(A).equals(1.0)
    )


def test_a_relation_can_be_withdrawn() -> None:
    """A relation can be withdrawn without others. Withdrawing it again has no effect."""
    given(encoded(A), related(B, A), related(C, A)).when(parted(B, A), parted(B, A), parted(A, C)).then(
        yielding(A).equals((C,))
    )


def test_a_repetition_counts_as_a_use() -> None:
    """A repetition counts as a use in the perspective of the learning, also for the consolidation level."""
    given(encoded(A)).when(repeating(A)).then(
        strength(A).equals(1.1), strength(A, COST).equals(1.15), accesses(A).equals(1)
    )
    given(encoded(A)).when(*[repeating(A)] * 5, session_ended(1), sleeps()).then(level(A).equals(1))


def test_a_withdrawn_repetition_takes_back_its_use() -> None:
    """Withdrawing a repetition undoes its use: the strength is as before it. Other uses stay."""
    given(encoded(A), used(A, perspective=COST)).when(repeating(A), separated(A)).then(
        strength(A).equals(1.1), strength(A, COST).equals(1.15), accesses(A).equals(1)
    )


def test_a_withdrawal_never_leads_to_archiving() -> None:
    """A withdrawal never leads to archiving: it subtracts nothing from a memory below the archive threshold."""
    given(*ruled(), encoded(A, strength=0.1)).when(separated(A)).then(
        strength(A).equals(0.1), status(A).equals("active")
    )


def test_a_yielding_memory_ranks_after_the_newer_one() -> None:
    """A yielding memory ranks after the newer one, even if it is much stronger.

    If the newer memory is not among the candidates, the older one keeps its rank.
    """
    story = given(encoded(A, strength=50.0), related(B, A), *[used(A)] * 20)

    both = _ranked(story, A, B)

    assert [each.memory_id for each in both] == [B, A]
    assert [each.yields_to for each in both] == [None, B]
    assert both[1].score < both[0].score
    alone, nobody_yields = _ranked(story, A), _ranked(story.when(parted(B, A)), A, B)
    assert alone[0].yields_to is None
    assert [each.memory_id for each in nobody_yields] == [A, B]
    assert alone[0].score == pytest.approx(nobody_yields[0].score)


def test_a_contradicted_learning_counts_under_its_perspective_only() -> None:
    """An entry of which one learning is contradicted keeps its rank under another perspective that it has a learning
    for, and in no other case.
    """
    mind = given(encoded(A), encoded(B)).mind
    older = mind.contents[A].replace(memory=MemoryContent(content="Bids.", learnings={COST: "Dear.", "time": "Slow."}))
    newer = mind.memories[B].replace(relations=(Relation(older=A, sort="contradicts", perspective=COST),))

    def outdated(newest: Memory, perspective: str | None) -> frozenset[tuple[UUID, UUID]]:
        told = {content.memory_id: RankedContent.of(content) for content in (older, mind.contents[B])}
        return outdated_elsewhere(told, {A: mind.memories[A], B: newest}, perspective)

    assert outdated(newer, "time") == {(A, B)}
    assert [outdated(newer, perspective) for perspective in (COST, "risk", None)] == [frozenset()] * 3
    whole = newer.replace(relations=(*newer.relations, Relation(older=A, sort="supersedes")))
    assert outdated(whole, "time") == frozenset()
    memories = given(encoded(A), related(B, A)).mind.memories
    candidates = [_candidate(A, 0.9), _candidate(B, 0.1)]
    assert lower_outdated(candidates, memories, {(A, B)}) == candidates


def test_an_archived_memory_does_not_outdate_an_active_one() -> None:
    """An active memory yields only to active memories."""
    story = given(encoded(A), related(B, A))
    memories = story.mind.memories

    active, archived = _candidate(A, 0.9), _candidate(B, 0.1).model_copy(update={"archived": True})

    assert lower_outdated([active, archived], memories)[0] == active
    assert lower_outdated([active.model_copy(update={"archived": True}), archived], memories)[0].yields_to == B


@for_any(
    st.tuples(*[st.floats(-10, 1e6)] * 4),
    st.lists(st.tuples(st.sampled_from(FOUR), st.sampled_from(FOUR)), max_size=8),
    st.permutations(FOUR),
)
def test_newer_ranks_before_older_at_any_score(
    scores: tuple[float, ...], pairs: list[tuple[UUID, UUID]], order: list[UUID]
) -> None:
    """At any scores, a newer memory ranks before the older one that yields to it, in chains and forks.

    No yielding memory gains a rank, and a memory without relations loses none.
    """
    newer = {(new, old) for new, old in pairs if new > old}
    story = given(*(related(each, *(old for new, old in newer if new == each)) for each in FOUR))
    before = {each: _candidate(each, score) for each, score in zip(FOUR, scores, strict=True)}

    after = {
        candidate.memory_id: candidate
        for candidate in lower_outdated([before[each] for each in order], story.mind.memories)
    }

    assert after.keys() == before.keys()
    for each in FOUR:
        above = [new for new, old in newer if old == each]
        assert after[each].score <= before[each].score
        assert (after[each].yields_to in above) if above else after[each] == before[each]
        if above:
            assert after[each].score < max(after[one].score for one in above)
    assert after == {
        candidate.memory_id: candidate for candidate in lower_outdated(list(before.values()), story.mind.memories)
    }


def test_memories_that_yield_to_each_other_are_ranked() -> None:
    """Memories that yield to each other in a cycle are ranked. No valid log contains such a cycle."""
    story = given(encoded(A), related(B, A))
    circle = story.mind.memories.set(B, story.memory(B).replace(yields_to=(A,)))

    found = lower_outdated([_candidate(A, 0.5), _candidate(B, 0.4)], circle)

    assert len(found) == len({candidate.score for candidate in found}) == 2


def _ranked(story: Story, *memory_ids: UUID) -> tuple[Candidate, ...]:
    """Rank memories that were all told at the same time, so that only recorded relations count."""
    contents, memories = story.mind.contents, story.mind.memories
    told = {
        memory_id: contents[memory_id].replace(
            memory=contents[memory_id].memory.model_copy(update={"said_at": BEGINNING})
        )
        for memory_id in memory_ids
    }
    found = [relevant_memory(told[memory_id], memories[memory_id], 0.5, lexical=0.0) for memory_id in memory_ids]
    return ranked(story.agent, found, RetrievalContext(None, frozenset(), BEGINNING + timedelta(days=1)))


def _candidate(memory_id: UUID, score: float) -> Candidate:
    return Candidate(memory_id=memory_id, similarity=0, lexical=0, relevance=0, features=(0.0,) * 9, score=score)
