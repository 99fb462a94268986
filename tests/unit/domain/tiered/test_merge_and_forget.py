"""Tests of merging and forgetting in long-term memory."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.merge_and_forget import (
    LongTermColumns,
    access_weight,
    decay_factor,
    groups_to_merge,
    plan_forgetting,
    recency,
)
from nemuri_domain.tiered.policy import TiersPolicy
from tests.unit.domain.tiered.lives import became, named, rows, simulated

SMALL = TiersPolicy.of({"long_term": {"capacity": 10}})
HOUR = 3_600.0


def kept(number: int, **more: object) -> TierMemory:
    """Return a long-term memory that was formed at second 0."""
    return simulated([(became(number, (100 + number,)), 0.0)]).long[0].replace(**more)


def test_recency_is_the_documents() -> None:
    """Recency is 0.61 after one hour, 0.5 after 1.4 hours and 0.29 after two and a half hours, as in document 004."""
    after = recency([0.0, 0.0, 0.0, 9e9], 2.5 * HOUR, 0.5)

    assert after[0] == pytest.approx(math.exp(-1.25))
    assert after[3] == 1.0
    assert recency([0.0], HOUR, 0.5)[0] == pytest.approx(0.6065, abs=1e-4)
    assert recency([0.0], 1.4 * HOUR, 0.5)[0] == pytest.approx(0.5, abs=0.01)


def test_access_weighs_by_its_logarithm() -> None:
    """The access weight is the logarithm of the retrievals, relative to the most retrieved memory. Without any it is
    0.
    """
    assert access_weight([0, 3, 9]) == pytest.approx([0, math.log(4) / math.log(10), 1])
    assert access_weight([0, 0]) == pytest.approx([0, 0])


def test_the_decay_factor_is_the_product() -> None:
    """The decay factor is importance · recency · access weight (document 004 §4.3)."""
    fading = LongTermColumns.of([kept(1, importance=0.8, access_count=3), kept(2, importance=1.0, access_count=9)])

    expected = [0.8 * math.exp(-0.5) * math.log(4) / math.log(10), math.exp(-0.5)]
    assert decay_factor(fading, HOUR, TiersPolicy()) == pytest.approx(expected)


def test_nothing_is_forgotten_while_there_is_room() -> None:
    """Below 80 % of the capacity no memory is forgotten, however weak it is."""
    assert plan_forgetting(LongTermColumns.of([kept(each) for each in range(7)]), 1_000 * HOUR, SMALL).deleted == ()
    assert len(plan_forgetting(LongTermColumns.of([kept(each) for each in range(8)]), 1_000 * HOUR, SMALL).deleted) == 8


def test_what_was_never_retrieved_is_forgotten_once_it_is_faint() -> None:
    """A memory that was never retrieved is forgotten once importance · recency is below 0.05."""
    memories = [kept(each, importance=0.5) for each in range(8)]
    retrieved = [memories[0].replace(access_count=1), *memories[1:]]

    assert plan_forgetting(LongTermColumns.of(memories), 4.5 * HOUR, SMALL).deleted == ()
    assert len(plan_forgetting(LongTermColumns.of(memories), 4.7 * HOUR, SMALL).deleted) == 8
    assert named(0) not in plan_forgetting(LongTermColumns.of(retrieved), 4.7 * HOUR, SMALL).deleted


def test_what_is_young_is_left_alone_but_above_the_capacity() -> None:
    """Young memories are forgotten only if the capacity is exceeded, the weakest first."""
    memories = [kept(each, importance=0.01 * (each + 1)) for each in range(12)]

    assert plan_forgetting(LongTermColumns.of(memories[:9]), 0.9 * HOUR, SMALL).deleted == ()
    assert plan_forgetting(LongTermColumns.of(memories), 0.9 * HOUR, SMALL).deleted == (named(0), named(1))


def test_what_is_shared_or_going_stays() -> None:
    """Shared memories, and memories that are being consolidated, stay even if the capacity is exceeded."""
    memories = [kept(each, scope="global") if each else kept(each, merging=True) for each in range(12)]

    found = plan_forgetting(LongTermColumns.of(memories), 100 * HOUR, SMALL)

    assert (found.deleted, found.mergeable) == ((), ())


def test_the_faint_are_merged_with_what_is_like_them() -> None:
    """Memories with a decay factor below 0.1 are merged with memories from a cosine of 0.85 on."""
    memories = [kept(each, importance=0.9, access_count=1 + (each > 3) * 500) for each in range(8)]
    found = plan_forgetting(LongTermColumns.of(memories), 1.2 * HOUR, SMALL)
    vectors = rows((1, 0), (1, 0.1), (0, 1), (0.1, 1), (1, 0), (1, 0), (1, 0), (1, 0))
    groups = groups_to_merge([memory for memory in memories if memory.memory_id in found.mergeable], vectors, SMALL)

    assert set(found.mergeable) == {named(each) for each in range(4)}
    assert sorted(sorted(group.memory_ids) for group in groups) == sorted(
        sorted(pair) for pair in ((named(0), named(1)), (named(2), named(3)))
    )
    assert {group.layer for group in groups} == {"long"}


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20), st.floats(0, 50), st.booleans()), max_size=20),
    st.floats(0, 100),
)
def test_forgetting_keeps_its_promises(lives: list[tuple[float, int, float, bool]], hours: float) -> None:
    """For any memories, none is named twice, both deleted and merged, or touched although it must stay.

    A retrieved memory is deleted only if the capacity is exceeded.
    """
    memories = [
        kept(number, importance=importance, access_count=count, at=at * HOUR, merging=fixed)
        for number, (importance, count, at, fixed) in enumerate(lives)
    ]
    found = plan_forgetting(LongTermColumns.of(memories), hours * HOUR, SMALL)
    known = {memory.memory_id: memory for memory in memories}

    assert len(set(found.deleted)) == len(found.deleted)
    assert set(found.deleted).isdisjoint(found.mergeable)
    assert not any(known[each].merging for each in (*found.deleted, *found.mergeable))
    if len(memories) <= 10:
        assert not any(known[each].access_count for each in found.deleted)
        assert all(hours * HOUR - known[each].at >= HOUR for each in found.deleted)
    assert plan_forgetting(LongTermColumns.of(memories[::-1]), hours * HOUR, SMALL) == found


def test_ten_thousand_are_looked_at_at_once() -> None:
    """The decision on ten thousand memories is made on arrays, and takes the weakest first."""
    random = np.random.default_rng(1)
    memories = [kept(each) for each in range(2)] * 5_000
    fading = LongTermColumns(
        [named(each % 2) for each in range(10_000)],
        np.zeros(10_000),
        random.random(10_000),
        np.zeros(10_000, np.int64),
        np.zeros(10_000, bool),
    )

    assert len(plan_forgetting(fading, 100 * HOUR, TiersPolicy()).deleted) == TiersPolicy().long_term.at_once
    assert len(memories) == len(fading.ids)
