"""Tests of pruning: a sleep archives memories beyond the capacity of an agent (document 000 §3.7)."""

from uuid import UUID

from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Mind
from tests.unit.domain.strength.facts import Fact, status, strength
from tests.unit.domain.strength.stories import (
    RATE,
    STEEP,
    A,
    B,
    C,
    D,
    adopted,
    encoded,
    given,
    night,
    retrieved,
    ruled,
    used,
)


def test_the_lowest_levels_are_pruned_first() -> None:
    """Up to the maximum number nothing is pruned. Above it, memories of lower levels are pruned first."""
    rules = {"max_active_memories": 2, "max_total_weight": None, "consolidation_thresholds": (0, 1, 15, 30, 60, 100)}
    story = given(*ruled(**rules), encoded(A), encoded(B), used(A), used(B), encoded(C), *night(1))

    story.then(status(A).equals("active"), status(B).equals("active"), status(C).equals("archived"))
    story.then(strength(C).equals(RATE))


def test_among_equals_the_longest_unused_goes_first() -> None:
    """Of memories at one level the one that has been unused longest is pruned first.

    Its time is that of the last use, or of its creation if it was never used. A retrieval is not a use.
    """
    story = given(*ruled(max_active_memories=2), encoded(A), encoded(B), encoded(C), encoded(D), used(A), retrieved(B))

    story.when(*night(1)).then(*_gone(B, C))


def test_higher_levels_weigh_more() -> None:
    """A memory of a higher level has more weight: two at level 1 and two at level 0 weigh six (document 000 §3.7)."""
    rules = {"max_total_weight": 5, "max_active_memories": None, "consolidation_thresholds": (0, 1, 15, 30, 60, 100)}
    story = given(*ruled(**rules), encoded(A), encoded(B), encoded(C), encoded(D), used(C), used(D))

    story.when(*night(1)).then(*_gone(A))


def test_pruning_counts_the_levels_of_the_same_sleep() -> None:
    """Pruning uses the levels after the sleep. Four new memories fit; if two rise in this sleep, two more units must be
    freed.
    """
    rules = {"max_total_weight": 4, "max_active_memories": None, "consolidation_thresholds": (0, 1, 15, 30, 60, 100)}
    story = given(*ruled(**rules), encoded(A), encoded(B), encoded(C), encoded(D), used(A), used(B))

    story.when(*night(1)).then(*_gone(C, D))


def test_archiving_frees_capacity_first() -> None:
    """Memories archived by decay free capacity first. If that is enough, nothing is pruned."""
    rules = STEEP | {"max_active_memories": 2}
    story = given(*ruled(**rules), encoded(A), encoded(B, strength=0.15), encoded(C)).when(*night(1))

    story.then(*_gone(B))
    assert isinstance(story.events[-1], AgentSlept)
    assert story.events[-1].pruned == ()


def test_principles_are_pruned_last() -> None:
    """Principles are pruned after all other memories."""
    rules = {"max_active_memories": 1, "consolidation_thresholds": (0, 1, 15, 30, 60, 100)}
    story = given(*ruled(**rules), encoded(A, principle=True), encoded(B, principle=True), encoded(C), used(C))

    story.when(*night(1)).then(*_gone(A, C))


def test_each_limit_can_be_switched_off() -> None:
    """Each of the two limits can be switched off. Without both nothing is pruned."""
    off = {"max_active_memories": None, "max_total_weight": None}
    story = given(*ruled(**off), encoded(A), encoded(B), encoded(C)).when(*night(1)).then(status(A).equals("active"))

    assert sleep.surplus(story.agent, ()) == 0
    story.when(adopted(**off | {"max_total_weight": 2}), *night(2), *night(3)).then(*_gone(A))
    story.when(adopted(**off | {"max_active_memories": 2}), *night(2), *night(3)).then(*_gone(A))


def test_memories_of_weight_0_are_pruned_in_their_order() -> None:
    """A level of weight 0 is pruned in its turn, although that frees no weight, and does not protect the levels above
    it.
    """
    rules = {"max_total_weight": 2, "max_active_memories": None, "consolidation_weights": (0, 2, 4, 8, 16, 32)}
    story = given(*ruled(**rules | {"consolidation_thresholds": (0, 1, 15, 30, 60, 100)}), encoded(A), encoded(B))

    story.when(encoded(C), used(A), used(C), *night(1)).then(*_gone(A, B))


def _gone(*archived: UUID) -> tuple[Fact, ...]:
    """Return the facts that these memories are archived and all others are not."""

    def read(mind: Mind) -> set[UUID]:
        return {memory_id for memory_id, each in mind.memories.items() if each.status == "archived"}

    return (Fact("the archive", read).equals(set(archived)),)
