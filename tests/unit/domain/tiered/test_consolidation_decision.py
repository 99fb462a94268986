"""Tests of planning a consolidation of an agent's whole tiered memory."""

from collections.abc import Sequence
from uuid import UUID

from nemuri_contracts.tiered import ConsolidationBegun
from nemuri_domain.tiered.aggregate import TieredMind
from nemuri_domain.tiered.consolidation import Vectors, due_reason
from nemuri_domain.tiered.consolidation_decision import plan_for_mind
from nemuri_domain.tiered.fold import evolve
from tests.unit.domain.tiered.lives import AGENT, became, lived, named, rows

ROOM = 40


def test_a_mind_that_lives_on_holds_no_more_than_its_capacities() -> None:
    """Regular consolidations keep short-term and long-term memory within their capacities. Only weak, old memories are
    forgotten.
    """
    policy = {"long_term": {"capacity": ROOM}, "short_term": {"base_capacity": 10, "max_capacity": 10}}
    tiers, most = TieredMind.of(AGENT, policy=policy), 0
    for number in range(400):
        tiers = evolve(tiers, lived(number, importance=0.9 if number == 7 else 0.5), float(number))
        assert tiers.agent is not None
        if (because := due_reason(tiers.agent, float(number))) is None:
            continue
        found = plan_for_mind(tiers, lambda _: {}, because, float(number))
        begun = ConsolidationBegun(
            event_id=named(f"begun {number}"), agent_id=AGENT, because=because, groups=found.groups,
            deleted=found.deleted, second=float(number),
        )  # fmt: skip
        tiers = evolve(tiers, begun, float(number))
        for nth, group in enumerate(found.groups):
            strong = max(each.importance for each in tiers.find(group.memory_ids))
            made = became(10_000 + 100 * number + nth, (0,), importance=strong, second=float(number))
            tiers = evolve(tiers, made.model_copy(update={"sources": group.memory_ids}), float(number))
        most = max(most, len(tiers.long))
    assert len(tiers.short) <= 10
    assert ROOM <= most <= ROOM + 10
    assert max(each.importance for each in tiers.long) == 0.9
    assert min(each.at for each in tiers.long if each.importance < 0.9) > 300


def test_what_is_faint_in_long_term_memory_is_merged_in_the_same_go() -> None:
    """The same consolidation also merges weak long-term memories, and all vectors that it needs are requested at
    once.
    """
    tiers = TieredMind.of(AGENT, policy={"long_term": {"capacity": 10}})
    for number in range(8):
        tiers = evolve(tiers, became(number, (100 + number,)), 0.0)
    tiers = tiers.with_memories(
        each.replace(access_count=1 + (each.memory_id == named(7)) * 500) for each in tiers.long
    )
    tiers = evolve(tiers, lived(50), 5_000.0)
    asked = list[Sequence[UUID]]()

    def vectors(ids: Sequence[UUID]) -> Vectors:
        asked.append(ids)
        return rows(*[(1.0, 0.0)] * 8)

    found = plan_for_mind(tiers, vectors, "asked", 5_000.0)
    assert [group.layer for group in found.groups] == ["short", "long"]
    assert set(found.groups[1].memory_ids) == {named(each) for each in range(7)}
    assert [set(each) for each in asked] == [{named(50), *(named(each) for each in range(7))}]


def test_a_reflection_leaves_a_memory_alone_until_it_has_company() -> None:
    """A memory that no other resembles stays in short-term memory after a reflection. When the capacity is reached, it
    moves too.
    """
    tiers = TieredMind.of(AGENT, policy={"short_term": {"kept_by_reflection": 0, "kept_share": 0}})
    for number in range(3):
        tiers = evolve(tiers, lived(number, second=float(number)), float(number))

    def vectors(_: Sequence[UUID]) -> Vectors:
        return rows((1.0, 0.0), (1.0, 0.0), (0.0, 1.0))

    reflected = plan_for_mind(tiers, vectors, "reflection", 5.0)
    assert [group.memory_ids for group in reflected.groups] == [(named(0), named(1))]
    assert len(plan_for_mind(tiers, vectors, "asked", 5.0).groups) == 2
