"""Tests of consolidation: the short-term memories that are selected, and their clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.tiered import Because
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory, TiersAgent
from nemuri_domain.tiered.consolidation import Vectors, capacity, clusters, due_reason, interval, memories_to_move
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.policy import TiersPolicy
from tests.unit.domain.tiered.lives import AGENT, lived, named, rows, simulated

RULES = TiersPolicy()


def full(number: int, every: float = 10.0, policy: dict[str, object] | None = None) -> TieredMind:
    """Return a tiered memory with `number` experiences, `every` seconds apart."""
    tiers = simulated((lived(each), each * every) for each in range(number))
    return tiers.with_agent(policy=policy or {})


def agent_of(tiers: TieredMind) -> TiersAgent:
    """Return the agent of a tiered memory; fail if it is not defined."""
    assert tiers.agent is not None
    return tiers.agent


@pytest.mark.parametrize(
    ("hours", "most", "minutes"),
    [(0.5, 100, 10), (1.0, 200, 5), (1.9, 200, 5), (2.0, 300, 3), (4.0, 300, 3), (100.0, 300, 3)],
)
def test_the_longer_it_lives_the_more_is_held_and_the_more_often_it_goes_over(
    hours: float, most: int, minutes: float
) -> None:
    """With age the capacity of short-term memory grows and the interval of consolidation shrinks, as in document 004
    §4.2.2.
    """
    agent = agent_of(TieredMind.of(AGENT))

    assert capacity(agent, hours * 3_600) == most
    assert interval(agent, hours * 3_600) == minutes * 60


def test_too_much_goes_over_the_oldest_first() -> None:
    """When short-term memory reaches its capacity, its oldest memories are consolidated until it is half full."""
    tiers = full(100, every=1.0)
    agent = agent_of(tiers)

    assert due_reason(agent_of(full(99, every=1.0)), 99.0) is None
    assert due_reason(agent, 100.0) == "capacity"
    assert memories_to_move(tiers.short, agent, "capacity", 100.0) == tiers.short[:50]


def test_in_time_what_is_old_goes_over() -> None:
    """In the first hour of an agent, memories older than thirty minutes are consolidated every ten minutes."""
    tiers = full(90, every=30.0)
    agent = agent_of(tiers)
    later = agent.replace(consolidated_at=2_500.0)

    assert due_reason(agent, 599.0) is None
    assert due_reason(agent, 600.0) == "interval"
    assert due_reason(later, 3_000.0) is None
    assert due_reason(later, 3_100.0) == "interval"
    assert [tier_memory.at for tier_memory in memories_to_move(tiers.short, later, "interval", 2_700.0)] == [
        30.0 * each for each in range(31)
    ]
    assert due_reason(agent_of(TieredMind.of(AGENT)), 10_000.0) is None


def test_a_reflection_leaves_the_newest_and_who_asks_gets_all() -> None:
    """After a reflection the newest memories stay in short-term memory. On a client's request all are consolidated."""
    tiers = full(15)
    agent = agent_of(tiers)

    assert memories_to_move(tiers.short, agent, "reflection", 200.0) == tiers.short[:5]
    assert memories_to_move(tiers.short, agent, "asked", 200.0) == tiers.short


def test_what_is_alike_belongs_together() -> None:
    """Memories with a cosine of at least 0.85 are in one cluster, also if only a chain of others connects them.

    All other memories are clusters of one.
    """
    tiers = full(5)
    turned = [np.deg2rad(angle) for angle in (0, 30, 60, 120, 61)]
    vectors = rows(*((np.cos(each), np.sin(each)) for each in turned))

    found = plan_for_mind(tiers, lambda _: vectors, "asked", 100.0)

    assert [[*group.memory_ids] for group in found.groups] == [[named(0), named(1), named(2), named(4)], [named(3)]]
    assert not found.deleted


@pytest.mark.parametrize(("cosine", "together"), [(0.85, True), (0.849, False)])
def test_the_bound_is_the_documents(cosine: float, together: bool) -> None:
    """Two memories are in one cluster from a cosine of 0.85 on, the limit of document 004."""
    vectors = rows((1.0, 0.0), (cosine, np.sqrt(1 - cosine**2)))

    assert (len(clusters(full(2).short, vectors, RULES)) == 1) == together


def test_a_cluster_that_is_too_large_is_told_in_pieces() -> None:
    """A cluster above the maximum size is divided into pieces in the order of time."""
    tiers = full(45)
    vectors = dict.fromkeys((named(each) for each in range(45)), np.array([1.0, 0.0], np.float32))

    found = clusters(tiers.short, vectors, RULES)

    assert [len(each) for each in found] == [20, 20, 5]
    assert [each for cluster in found for each in cluster] == tiers.short


def test_what_has_no_vector_is_like_nothing() -> None:
    """A memory without a vector, or with a vector of another length, is similar to no other."""
    vectors: Vectors = {named(0): np.array([1.0, 0.0], np.float32), named(1): np.array([1.0], np.float32)}

    assert len(clusters(full(3).short, vectors, RULES)) == 3


@given(st.lists(st.tuples(st.floats(0, 6.28), st.integers(0, 5)), max_size=12), st.randoms())
def test_clusters_are_the_same_in_any_order(turned: list[tuple[float, int]], random: object) -> None:
    """Clusters do not depend on the order of the input, and every memory is in exactly one."""
    tiers = simulated((lived(each), float(second)) for each, (_, second) in enumerate(turned))
    vectors = rows(*((np.cos(angle), np.sin(angle)) for angle, _ in turned))
    shuffled: list[TierMemory] = list(tiers.short)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    found = clusters(shuffled, vectors, RULES)

    assert found == clusters(tiers.short, vectors, RULES)
    assert sorted(each.memory_id for cluster in found for each in cluster) == sorted(tiers.memories)


@given(st.integers(0, 120), st.sampled_from(["capacity", "interval", "reflection", "asked"]), st.floats(0, 20_000))
def test_what_goes_over_is_the_oldest(number: int, because: Because, now: float) -> None:
    """Whatever the reason of a consolidation is, it takes the oldest memories."""
    tiers = full(number)
    merging = memories_to_move(tiers.short, agent_of(tiers), because, now)

    assert merging == tiers.short[: len(merging)]
