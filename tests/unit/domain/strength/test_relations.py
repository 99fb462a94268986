"""What newer memories say of older ones, and that all of it can be taken back."""

from datetime import timedelta
from uuid import UUID

from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.strength import Candidate
from nemuri_domain.strength.ranking import RelevantMemory, RetrievalContext, lower_outdated, ranked
from tests.unit.domain.strength.facts import accesses, level, status, strength, yielding
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


def test_an_older_memory_yields_to_what_contradicts_it() -> None:
    """Its strength stays as it is; an unknown one, or the newer one itself, yields to nothing."""
    given(encoded(A)).when(related(B, A, C, B)).then(
        yielding(A).equals((B,)), yielding(B).equals(()), strength(A).equals(1.0)
    )


def test_a_relation_can_be_taken_back() -> None:
    """Only the one that is meant, and as often as one likes."""
    given(encoded(A), related(B, A), related(C, A)).when(parted(B, A), parted(B, A), parted(A, C)).then(
        yielding(A).equals((C,))
    )


def test_a_repetition_is_one_more_use() -> None:
    """In the perspective of the learning, and enough of them consolidate the memory."""
    given(encoded(A)).when(repeating(A)).then(
        strength(A).equals(1.1), strength(A, COST).equals(1.15), accesses(A).equals(1)
    )
    given(encoded(A)).when(*[repeating(A)] * 5, session_ended(1), sleeps()).then(level(A).equals(1))


def test_a_repetition_that_was_none_takes_back_what_it_gave() -> None:
    """The use is not counted and the strength is what it was; other uses stay."""
    given(encoded(A), used(A, perspective=COST)).when(repeating(A), separated(A)).then(
        strength(A).equals(1.1), strength(A, COST).equals(1.15), accesses(A).equals(1)
    )


def test_what_fades_below_the_threshold_is_not_taken_from() -> None:
    """A withdrawal never sends a memory into the archive."""
    given(*ruled(), encoded(A, strength=0.1)).when(separated(A)).then(
        strength(A).equals(0.1), status(A).equals("active")
    )


def test_whatever_yields_comes_after_what_it_yields_to() -> None:
    """However much stronger the older one is; without the newer one it keeps its place."""
    story = given(encoded(A, strength=50.0), related(B, A), *[used(A)] * 20)

    both = _ranked(story, A, B)

    assert [each.memory_id for each in both] == [B, A]
    assert [each.yields_to for each in both] == [None, B]
    assert both[1].score < both[0].score
    alone, nobody_yields = _ranked(story, A), _ranked(story.when(parted(B, A)), A, B)
    assert alone[0].yields_to is None
    assert [each.memory_id for each in nobody_yields] == [A, B]
    assert alone[0].score == nobody_yields[0].score


def test_what_is_archived_outdates_nothing_that_is_active() -> None:
    """What the agent has let go of does not hide what it still knows."""
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
def test_newer_comes_before_older_whatever_the_scores(
    scores: tuple[float, ...], pairs: list[tuple[UUID, UUID]], order: list[UUID]
) -> None:
    """Over chains and forks too; nobody gains, who yields to nobody loses nothing, and order makes no difference."""
    newer = {(new, old) for new, old in pairs if new > old}
    story = given(*(related(each, *(old for new, old in newer if new == each)) for each in FOUR))
    before = {each: _candidate(each, score) for each, score in zip(FOUR, scores, strict=True)}

    after = {each.memory_id: each for each in lower_outdated([before[each] for each in order], story.mind.memories)}

    assert after.keys() == before.keys()
    for each in FOUR:
        above = [new for new, old in newer if old == each]
        assert after[each].score <= before[each].score
        assert (after[each].yields_to in above) if above else after[each] == before[each]
        if above:
            assert after[each].score < max(after[one].score for one in above)
    assert after == {each.memory_id: each for each in lower_outdated(list(before.values()), story.mind.memories)}


def test_memories_that_yield_to_each_other_are_ranked_all_the_same() -> None:
    """No log should hold such a circle; if one does, nothing hangs."""
    story = given(encoded(A), related(B, A))
    circle = story.mind.memories.set(B, story.memory(B).replace(yields_to=(A,)))

    found = lower_outdated([_candidate(A, 0.5), _candidate(B, 0.4)], circle)

    assert len(found) == len({each.score for each in found}) == 2


def _ranked(story: Story, *memory_ids: UUID) -> tuple[Candidate, ...]:
    contents, memories = story.mind.contents, story.mind.memories
    found = [RelevantMemory(contents[each], memories[each], 0.5, 0.0, 0.5) for each in memory_ids]
    return ranked(story.agent, found, RetrievalContext(None, frozenset(), BEGINNING + timedelta(days=1)))


def _candidate(memory_id: UUID, score: float) -> Candidate:
    return Candidate(memory_id=memory_id, similarity=0, lexical=0, relevance=0, features=(0.0,) * 9, score=score)
