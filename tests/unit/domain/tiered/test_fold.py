"""Tests of the fold of tiered memory, which gives an agent's state from its events."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.tiered import ConsolidationBegun, Group, MemoriesAccessed, MemoryAccess, MemoryShared
from nemuri_domain.tiered.aggregate import TieredMind, TierMemory
from nemuri_domain.tiered.fold import evolve_at_its_time, fold, touched
from tests.unit.domain.tiered.lives import AGENT, BORN, became, defined, lived, mind, named, simulated


def begun(number: int, *groups: tuple[int, ...], deleted: tuple[int, ...] = (), layer: str = "short") -> AnyAgentEvent:
    """Return the event that begins the consolidation of these groups of memories."""
    return ConsolidationBegun.model_validate(
        {
            "event_id": named(f"begun {number}"),
            "agent_id": AGENT,
            "because": "asked",
            "groups": [{"layer": layer, "memory_ids": [named(each) for each in group]} for group in groups],
            "deleted": [named(each) for each in deleted],
            "recorded_at": BORN,
            "sequence": 100 + number,
        }
    )


def accessed(number: int, times: int, *, second: float = 60.0) -> MemoriesAccessed:
    """Return the event that a memory was retrieved `times` times."""
    return MemoriesAccessed(
        event_id=named(f"accessed {number} {times}"),
        agent_id=AGENT,
        accessed=(MemoryAccess(memory_id=named(number), times=times),),
        second=second,
        recorded_at=BORN,
        sequence=200 + number,
    )


def shared(number: int, scope: str = "global", *to: str) -> AnyAgentEvent:
    """Return the event that shares a memory with the agents `to`."""
    return MemoryShared.model_validate(
        {"event_id": named(f"shared {number}"), "agent_id": AGENT, "memory_id": named(number), "scope": scope}
        | {"visible_to": to, "recorded_at": BORN, "sequence": 300 + number}
    )


def only(tiers: TieredMind, number: int | str) -> TierMemory:
    """Return the memory that belongs to a number."""
    return tiers.memories[named(number)]


def test_an_experience_is_in_short_term_memory_by_its_own_clock_or_the_logs() -> None:
    """Short-term memories are ordered by the simulation's clock if the experiences state its second, otherwise by the
    log's clock.
    """
    tiers = mind(lived(1, minutes=2), lived(2, minutes=1), lived(3, second=5.0))

    assert [each.memory_id for each in tiers.short] == [named(3), named(2), named(1)]
    assert only(tiers, 3).at == 5.0
    assert only(tiers, 2).at == BORN.timestamp() + 60
    assert tiers.agent is not None
    assert (tiers.agent.short, tiers.agent.long) == (3, 0)


def test_only_an_agent_with_tiered_memory_has_one() -> None:
    """Experiences of an agent with another kind of memory change nothing."""
    definition = defined().definition.model_copy(update={"memory": "affective"})

    assert fold([defined().model_copy(update={"definition": definition}), lived(1)]) == TieredMind()


def test_what_goes_stays_until_it_has_become_another_memory() -> None:
    """A memory that is being consolidated does not count in short-term memory, but exists until the new memory is
    formed.
    """
    merging = mind(lived(1), lived(2), lived(3), begun(1, (1, 2)))
    gone = mind(lived(1), lived(2), lived(3), begun(1, (1, 2)), became(9, (1, 2)))

    assert merging.agent is not None
    assert merging.agent.short == 1
    assert set(merging.memories) == {named(1), named(2), named(3)}
    assert set(gone.memories) == {named(3), named(9)}
    assert only(gone, 9).sources == (named(1), named(2))
    assert gone.agent is not None
    assert (gone.agent.short, gone.agent.long, gone.agent.consolidated_for) == (1, 1, "asked")


def test_a_memory_made_of_memories_knows_the_experiences_that_they_came_from() -> None:
    """A memory formed in several consolidations knows the original experiences."""
    tiers = mind(*(lived(each) for each in range(4)), became(8, (0, 1)), became(9, (2,)), became(10, (8, 9, 3)))

    assert only(tiers, 10).sources == tuple(named(each) for each in range(4))
    assert set(tiers.memories) == {named(10)}


def test_retrievals_count_as_access() -> None:
    """An access event adds its retrievals to the memory's count, and sets the time of the last access."""
    tiers = mind(lived(1), accessed(1, 2), accessed(1, 3, second=90.0), accessed(7, 1))

    assert (only(tiers, 1).access_count, only(tiers, 1).accessed_at) == (5, 90.0)


def test_what_is_shared_stays_as_it_is() -> None:
    """A shared memory moves to long-term memory. It is neither merged nor forgotten."""
    tiers = mind(lived(1, kind="reflection"), lived(2), shared(1, "bilateral", "lila"), begun(1, (1, 2), deleted=(1,)))
    formed = evolve_at_its_time(tiers, became(9, (1, 2)))

    assert (only(tiers, 1).layer, only(tiers, 1).type, only(tiers, 1).visible_to) == ("long", "semantic", ("lila",))
    assert set(formed.memories) == {named(1), named(9)}


def test_what_is_forgotten_is_gone_and_what_is_erased_too() -> None:
    """Forgotten and erased memories are removed, and the totals no longer count them."""
    lives: list[AnyAgentEvent] = [lived(1), became(8, (1,)), lived(2)]
    erased = MemoriesErased(
        event_id=named("erased"), agent_id=AGENT, memory_ids=(named(2),), recorded_at=BORN, sequence=400
    )
    tiers = mind(*lives, begun(1, deleted=(8, 2)), erased)

    assert not tiers.memories
    assert tiers.agent is not None
    assert (tiers.agent.short, tiers.agent.long) == (0, 0)


def test_other_parameters_are_in_force_at_once() -> None:
    """New parameters apply at once; invalid ones are replaced by the defaults."""
    adopted = PolicyAdopted(
        event_id=named("policy"), agent_id=AGENT, parameters={"short_term": {"base_capacity": 7}},
        recorded_at=BORN, sequence=2,
    )  # fmt: skip
    tiers = mind(adopted)

    assert tiers.agent is not None
    assert tiers.agent.rules.short_term.base_capacity == 7
    assert tiers.with_agent(policy={"short_term": {"base_capacity": -7}}).agent != tiers.agent


def test_a_simulation_keeps_a_mind_by_its_own_clock() -> None:
    """A simulation can keep an agent's tiered memory without a log, by the simulation's own clock."""
    tiers = simulated([(lived(1), 30.0), (lived(2), 10.0)])

    assert [each.at for each in tiers.short] == [10.0, 30.0]
    assert tiers.agent is not None
    assert tiers.agent.hours(7_200.0) == 2.0


ERASED = MemoriesErased(
    event_id=named("erased"), agent_id=AGENT, memory_ids=(named(1), named(8)), recorded_at=BORN, sequence=400
)
EVENTS: list[AnyAgentEvent] = [
    defined(), lived(1), lived(2, minutes=3), lived(3, kind="action"), begun(1, (1, 2), (3,)), ERASED,
    begun(2, (8,), layer="long"), begun(3, deleted=(8, 9)), became(8, (1, 2)), became(9, (8, 3)), accessed(1, 2),
    accessed(8, 1), shared(8), shared(2, "group", "lila", "mira"),
]  # fmt: skip


@given(st.lists(st.sampled_from(EVENTS), max_size=20))
def test_no_history_is_impossible(events: list[AnyAgentEvent]) -> None:
    """For events in any order, with repetitions, the totals equal a recount, and each event changes only rows that it
    names.
    """
    tiers = TieredMind()
    for event in events:
        before, tiers = tiers, evolve_at_its_time(tiers, event)
        changed = {
            memory
            for memory in {*before.memories, *tiers.memories}
            if before.memories.get(memory) is not tiers.memories.get(memory)
        }
        assert changed <= touched(event)
        if tiers.agent is not None:
            assert tiers.agent.short == len(tiers.short)
            assert tiers.agent.long == len(tiers.long)


@given(st.lists(st.sampled_from(EVENTS), max_size=12), st.data())
def test_repetitions_count_once(events: list[AnyAgentEvent], data: st.DataObject) -> None:
    """An event that is repeated counts once. The log may deliver an event more than once."""
    again = [*events, *data.draw(st.lists(st.sampled_from(events), max_size=5) if events else st.just([]))]

    assert fold(again) == fold(events)


def test_a_group_is_of_one_layer_only() -> None:
    """A group of short-term memories does not include a memory that has already moved to long-term memory."""
    tiers = mind(lived(1), became(8, (1,)), begun(1, (8,)))

    assert not only(tiers, 8).merging
    assert Group(layer="long", memory_ids=(UUID(int=1),)).layer == "long"


def test_who_shares_names_those_whom_the_scope_asks_for() -> None:
    """A shared memory names no agent with the scope global, one with bilateral, and at least one with group."""
    for scope, to in (("global", ("lila",)), ("bilateral", ()), ("bilateral", ("lila", "mira")), ("group", ())):
        with pytest.raises(ValueError, match=r"visible|between|group"):
            shared(1, scope, *to)
