"""Tests of judgements: which pairs are compared, what a comparison means, and its effect on both memories."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.client_events import MemoryContent, Turn
from nemuri_contracts.strength import Relation, RelationSort
from nemuri_domain.language.statement_comparison import Compared
from nemuri_domain.strength.aggregate import Content, Memory, Remembered
from nemuri_domain.strength.judgements import MemoryPair, comparable_pairs, judgement
from tests.unit.domain.strength.facts import accesses, status, strength, yielding
from tests.unit.domain.strength.stories import AGENT, BEGINNING, A, B, C, encoded, given, judged, parted, used

JUNE, JANUARY = datetime(2026, 6, 8, tzinfo=UTC), datetime(2026, 1, 12, tzinfo=UTC)
SUPERSEDES = Compared("supersedes", "she has moved")


def known(memory_id: UUID, relations: tuple[Relation, ...] = (), minute: int = 0, **content: Any) -> Remembered:
    """Return an active memory that was encoded in this minute."""
    at = BEGINNING + timedelta(minutes=minute)
    memory = MemoryContent.model_validate({"content": "Ann lives in Porto."} | content)
    return Content(
        memory_id=memory_id, agent_id=AGENT, memory=memory, links=(), vector="-", source="manual", created_at=at,
        created=minute,
    ), Memory(
        memory_id=memory_id, agent_id=AGENT, stored_strength=0.0, perspectives={}, changed=minute, relations=relations
    )  # fmt: skip


def test_the_later_time_decides_and_not_the_arrival() -> None:
    """The memory that holds from a later time is the newer one, whichever was encoded first."""
    late = known(A, minute=5, said_at=JANUARY)
    now = known(B, minute=1, said_at=JANUARY, valid_from=JUNE)

    for pair in (MemoryPair.of(late, now), MemoryPair.of(now, late)):
        made = judgement(pair, SUPERSEDES)
        assert (made.memory_id, made.older, made.sort, made.since) == (B, A, "supersedes", JUNE)


def test_memories_of_the_same_moment_contradict_each_other() -> None:
    """Two memories of the same time, and two corrections of one memory within a minute, do not supersede each other.
    Two turns of a conversation follow each other.
    """
    corrections = tuple(Relation(older=C, sort="supersedes") for _ in range(1))
    turns = [Turn(conversation="chat", position=position) for position in (3, 4)]
    at_once = [
        (known(A, said_at=JUNE), known(B, minute=9, said_at=JUNE)),
        (known(A, corrections), known(B, corrections, minute=1)),
    ]
    for one, other in at_once:
        made = judgement(MemoryPair.of(one, other), SUPERSEDES)
        assert (made.sort, made.at_once) == ("contradicts", True)
    one, other = (known(name, said_at=JUNE, turn=turn) for name, turn in zip((A, B), turns, strict=True))
    assert judgement(MemoryPair.of(other, one), SUPERSEDES).sort == "supersedes"
    assert judgement(MemoryPair.of(known(A, corrections), known(B, corrections, minute=9)), SUPERSEDES).older == A


@pytest.mark.parametrize(
    ("mine", "others"),
    [
        ({"person": "ann"}, {"person": "bob"}),
        ({"person": "ann"}, {}),
        ({"subject": "Mia"}, {"subject": "Tom"}),
        ({"scope": {"level": "project", "name": "bridge"}}, {}),
    ],
)
def test_what_speaks_of_others_is_not_compared(mine: dict[str, Any], others: dict[str, Any]) -> None:
    """Memories of different persons, about different subjects, or in different scopes are not compared."""
    memories = {A: known(A, **others), B: known(B, minute=1, **mine)}
    assert comparable_pairs({B: [A]}, memories) == []
    assert len(comparable_pairs({B: [A]}, {A: known(A, **mine), B: known(B, minute=1, **mine)})) == 1


def test_a_pair_is_compared_once_and_the_nearest_first() -> None:
    """A memory is compared with those before it: a pair that has a relation is not compared again, two new memories are
    one pair, and the limit keeps the nearest memory of each.
    """
    memories = {name: known(name, minute=minute) for minute, name in enumerate((A, B, C))}
    assert len(comparable_pairs({B: [A, C], C: [A, B]}, memories)) == 3
    assert len(comparable_pairs({A: [B], B: [A]}, memories)) == 1
    [first] = comparable_pairs({C: [B, A]}, memories, limit=1)
    assert (first.new, first.older[0].memory_id) == (C, B)
    assert comparable_pairs({A: [B, C]}, memories) == []
    related = memories | {B: known(B, (Relation(older=A, sort="independent"),), 1)}
    assert comparable_pairs({A: [B], B: [A]}, related) == []


def test_a_superseded_memory_gains_nothing_until_it_is_back() -> None:
    """A superseded memory yields and gains nothing by a use. When the judgement is withdrawn it is as before."""
    story = given(encoded(A), encoded(B), judged(B, A, "supersedes", since=JUNE))
    story.then(yielding(A).equals((B,)))
    assert story.memory(A).held_until == {B: JUNE}
    gone = story.when(used(A, B)).then(strength(A).equals(1.0), accesses(A).equals(0), accesses(B).equals(1))
    back = gone.when(parted(B, A)).then(yielding(A).equals(()), strength(A).equals(1.0))
    assert back.memory(A).held_until == {}
    back.when(used(A)).then(accesses(A).equals(1))


def test_a_withdrawal_is_final() -> None:
    """The first judgement of a pair counts, in either direction, and what was withdrawn is not judged again."""
    once = given(encoded(A), encoded(B), judged(B, A, "refines"))
    for again in (judged(B, A, "supersedes"), judged(A, B, "contradicts")):
        once.when(again).then(yielding(A).equals((B,)), yielding(B).equals(()))
        once.when(parted(B, A), again).then(yielding(A).equals(()), yielding(B).equals(()))


def test_what_repeats_stands_behind_until_it_is_back() -> None:
    """A memory that repeats another stands behind it, and is one of its own when the judgement is withdrawn."""
    story = given(encoded(A, strength=0.5), encoded(B), judged(B, A, "repeats", since=JUNE))
    story.then(status(B).equals("absorbed"), strength(A).equals(1.0))
    assert story.memory(A).told_again_at == JUNE
    story.when(parted(B, A)).then(status(B).equals("active"), strength(B).equals(1.0))


def test_neither_of_two_memories_of_one_moment_yields() -> None:
    """Of two memories that contradict each other at once, neither comes first."""
    given(encoded(A), encoded(B), judged(B, A, "contradicts", at_once=True)).then(
        yielding(A).equals(()), yielding(B).equals(())
    )


@for_any(
    st.lists(
        st.tuples(
            st.sampled_from([A, B, C]),
            st.sampled_from([A, B, C]),
            st.sampled_from(["repeats", "refines", "supersedes", "contradicts", "independent"]),
        ),
        max_size=8,
    )
)
def test_judgements_taken_back_leave_no_trace(made: list[tuple[UUID, UUID, RelationSort]]) -> None:
    """After all judgements are withdrawn, every memory is active, yields to none and holds."""
    story = given(encoded(A), encoded(B), encoded(C), *(judged(*each) for each in made))
    back = story.when(*(parted(one, other) for one in (A, B, C) for other in (A, B, C) if one != other))
    for memory_id in (A, B, C):
        memory = back.memory(memory_id)
        assert (memory.status, memory.yields_to, dict(memory.held_until)) == ("active", (), {})
