"""Laws of strength memory: order, repetition, decay, reactivation, pruning."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.strength import AgentSlept
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Memory, Mind
from nemuri_domain.strength.fold import evolve, fold
from nemuri_domain.strength.policy import LEVELS, Policy
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.anything import EVENTS, history
from tests.unit.domain.strength.stories import COST, A, Story, encoded, night, recorded, ruled, sleep_input, used

TIGHT: dict[str, Any] = {
    "expected_tasks_per_day": 1,
    "consolidation_thresholds": (0, 1, 2, 3, 4, 5),
    "max_active_memories": 6,
    "max_total_weight": 20,
}
"""A policy with small limits and few uses per level, so that a few events reach all of them."""
MEMORIES = tuple(UUID(int=number) for number in range(1, 13))
USES = st.lists(st.sampled_from(MEMORIES), max_size=40)
THRESHOLDS = st.one_of(
    st.just(Policy().consolidation_thresholds),
    st.sets(st.integers(1, 120), min_size=5, max_size=5).map(lambda above: (0, *sorted(above))),
    st.integers(1, 20).map(lambda first: (0, *range(first, first + 5))),
)
"""Strategy for the numbers of uses at which levels begin: any rising ones, distant ones, or consecutive ones."""
PRINCIPLES = st.sets(st.sampled_from(MEMORIES), max_size=2)


def _life(uses: Sequence[UUID], principles: set[UUID]) -> Story:
    """Return the story of twelve memories with these uses, up to the end of a session before its sleep."""
    begun = [encoded(memory, principle=memory in principles) for memory in MEMORIES]
    return stories.given(*ruled(**TIGHT), *begun, *map(used, uses), stories.ended(1))


def _decided(story: Story) -> AgentSlept:
    decided = sleep.decide(stories.ended(0), sleep_input(story.mind))
    assert decided is not None
    return decided


def _statuses(story: Story) -> dict[UUID, tuple[str, int]]:
    return {memory_id: (each.status, each.level) for memory_id, each in story.mind.memories.items()}


def _level(memory: Memory, slept: AgentSlept) -> int:
    """Return the level of a memory that counts in this sleep: its new level if the sleep changes it."""
    return {consolidated.memory_id: consolidated.level for consolidated in slept.consolidated}.get(
        memory.memory_id, memory.level
    )


@given(USES, PRINCIPLES)
def test_pruning_takes_lower_levels_first(uses: list[UUID], principles: set[UUID]) -> None:
    """No pruned memory has a higher level than a memory that stays. Principles are pruned last."""
    story = _life(uses, principles)
    slept = _decided(story)
    gone = {each.memory_id for each in (*slept.pruned, *slept.archived)}
    stays = [memory for memory_id, memory in story.mind.memories.items() if memory_id not in gone]
    pruned = [story.memory(each.memory_id) for each in slept.pruned]
    for one in pruned:
        if one.memory_id in principles:
            assert all(stay.memory_id in principles for stay in stays)
        else:
            assert all(_level(one, slept) <= _level(stay, slept) for stay in stays if stay.memory_id not in principles)


@given(USES, PRINCIPLES)
def test_after_a_sleep_neither_weight_nor_number_is_above_its_limit(uses: list[UUID], principles: set[UUID]) -> None:
    """After a sleep neither the weight nor the number of active memories is above its limit.

    A memory whose level rises in the sleep has the weight of its new level.
    """
    story = _life(uses, principles).when(stories.sleeps())
    agent = story.agent
    weight = sum(number * each for number, each in zip(agent.active, agent.rules.consolidation_weights, strict=True))
    assert weight <= TIGHT["max_total_weight"]
    assert sum(agent.active) <= TIGHT["max_active_memories"]


@given(USES, PRINCIPLES, st.integers(1, 4), st.integers(1, 6), st.floats(1, 20), st.booleans())
def test_no_limit_is_exceeded_however_little_fits_one_sleep(
    uses: list[UUID], principles: set[UUID], room: int, number: int, weight: float, fading: bool
) -> None:
    """If one sleep cannot hold all changes, further sleeps continue it until both limits hold, as after one large
    sleep.

    New limits of the policy hold too.
    """
    lower = TIGHT | {"max_active_memories": number, "max_total_weight": weight}
    fades = {"archive_threshold": 0.95} if fading else {}
    begun = [encoded(memory, principle=memory in principles) for memory in MEMORIES]
    story = stories.given(*ruled(**TIGHT | fades), *begun, *map(used, uses))
    story = story.when(stories.adopted(**lower), stories.ended(1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sleep, "CHANGES_PER_SLEEP", room)
        slept = story.when(stories.sleeps())
        done = slept.slept_out()
    weights = done.agent.rules.consolidation_weights
    assert sum(each * heavy for each, heavy in zip(done.agent.active, weights, strict=True)) <= weight
    assert sum(done.agent.active) <= number
    assert (done.agent.clocks, done.agent.slept) == (slept.agent.clocks, slept.agent.slept)
    if not fading:
        assert _statuses(done) == _statuses(story.when(stories.sleeps()))
    sleeps = [event for event in done.events[len(story.events) :] if isinstance(event, AgentSlept)]
    assert [event.unfinished for event in sleeps] == [True] * (len(sleeps) - 1) + [False]
    assert [len(each.sessions) for each in sleeps] == [1] + [0] * (len(sleeps) - 1)
    for event in sleeps:
        assert max(map(len, (event.consolidated, event.archived, event.pruned))) <= room


@given(st.floats(0.2, 100), st.integers(0, LEVELS - 1), st.integers(1, 300), st.floats(0.1, 100))
def test_decay_in_closed_form_equals_decay_step_by_step(
    strength: float, level: int, sessions: int, a_day: float
) -> None:
    """After n sleeps a strength s is s × rate(level)^n, to a relative 1e-9."""
    rules = {"expected_tasks_per_day": a_day, "archive_threshold": 1e-300}
    uses = Policy().consolidation_thresholds[level]
    story = stories.given(*ruled(**rules), encoded(A, strength=strength), *[used(A)] * uses, *night(0))
    begun = story.agent.strength(story.memory(A))
    rate = story.agent.rules.rate(story.memory(A).level)
    stepwise = begun
    for number in range(sessions):
        story = story.when(*night(number + 1))
        stepwise *= rate
    assert story.memory(A).level == level
    now = story.agent.strength(story.memory(A))
    assert abs(now - begun * rate**sessions) <= 1e-9 * now
    assert abs(now - stepwise) <= 1e-9 * now


@given(st.integers(0, 120), st.floats(0.01, 3), st.booleans(), THRESHOLDS)
def test_a_used_memory_returns_from_the_archive(
    uses: int, strength: float, named: bool, thresholds: tuple[int, ...]
) -> None:
    """A reactivated memory is two levels lower with a strength of at least 0.5, and the next sleep keeps that level."""
    rules = ruled(consolidation_thresholds=thresholds)
    story = stories.given(*rules, encoded(A, strength=strength), *[used(A)] * uses, *night(0))
    before = story.memory(A)
    story = story.when(stories.ended(1), stories.slept(1, archived={A: before.revision}))
    frozen = story.memory(A)
    assume(frozen.status == "archived")
    back = story.when(used(A, perspective=COST if named else None))
    memory, agent = back.memory(A), back.agent
    assert memory.status == "active"
    assert memory.level == max(0, frozen.level - 2)
    expected = max(0.5, story.agent.strength(frozen)) + 0.1
    assert abs(agent.strength(memory) - expected) <= 1e-9 * expected
    assert back.when(*night(2)).memory(A).level == memory.level


@given(st.lists(EVENTS, min_size=8, max_size=25), st.lists(EVENTS, min_size=8, max_size=25), st.randoms())
def test_agents_do_not_depend_on_each_others_order(left: Any, right: Any, random: Any) -> None:
    """However the events of two agents are interleaved, each agent's mind is the fold of its own events."""
    logs = {name: _log(events) for name, events in (("left", left), ("right", right))}
    alone = {name: fold(log) for name, log in logs.items()}
    waiting = {name: list(log) for name, log in logs.items()}
    minds = {name: Mind() for name in logs}
    while any(waiting.values()):
        name = random.choice([name for name, log in waiting.items() if log])
        minds[name] = evolve(minds[name], waiting[name].pop(0))
    assert minds == alone


@given(st.permutations(MEMORIES[:6]), st.lists(st.sampled_from(["use", "credit", "retrieve"]), min_size=6, max_size=6))
def test_events_about_different_memories_commute(order: list[UUID], what: list[str]) -> None:
    """Between two sleeps, events about different memories can be exchanged. Only the stored sequences differ."""
    moves: dict[str, Callable[[UUID], AnyAgentEvent]] = {
        "use": stories.used,
        "credit": stories.credited,
        "retrieve": stories.retrieved,
    }
    happens = {each: moves[kind](each) for each, kind in zip(MEMORIES[:6], what, strict=True)}
    begun = stories.given(*(encoded(memory) for memory in MEMORIES[:6]))
    straight, shuffled = (begun.when(*(happens[each] for each in ids)).mind.memories for ids in (MEMORIES[:6], order))
    for memory in MEMORIES[:6]:
        assert _timeless(straight[memory]) == _timeless(shuffled[memory])


@given(st.lists(EVENTS, min_size=5, max_size=30), st.data())
def test_events_that_are_idempotent_by_content_count_once(events: list[AnyAgentEvent], data: st.DataObject) -> None:
    """Encodings, ends of sessions, sleeps and withdrawals count once even if the copies have different event ids."""
    log = _log(events)
    at = data.draw(st.integers(0, len(log) - 1))
    again = log[at]
    assume(again.kind in {"memory_encoded", "session_ended", "agent_defined", "policy_adopted"})
    once = fold(log[: at + 1])
    assert evolve(once, recorded(again, again.sequence or 0)) == once


@given(
    st.lists(EVENTS, min_size=5, max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1)
)
def test_redeliveries_change_nothing(events: list[AnyAgentEvent], again: list[tuple[int, int]]) -> None:
    """A repeated event of any kind, at any later sequence, has no effect."""
    log = _log(events)
    sprinkled = list(log)
    for which, later in again:
        event = log[which % len(log)]
        at = min(sprinkled.index(event) + 1 + later, len(sprinkled))
        sprinkled.insert(at, recorded(event, len(log) + len(sprinkled)))
    assert fold(sprinkled) == fold(log)
    assert [*first_of_each(sprinkled)] == log


def _log(events: Iterable[AnyAgentEvent]) -> list[AnyAgentEvent]:
    return history([*first_of_each([stories.defined(), *events])])


def _timeless(memory: Memory) -> Memory:
    return memory.replace(changed=0, last_accessed_at=None, archived_at=None)
