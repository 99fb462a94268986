"""Tests of a replay of an agent's events under another policy. Under the recorded policy it gives the same mind.

A mind is the state of one agent with strength memory, folded from its events.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.codec import AnyAgentEvent
from nemuri_contracts.erasure import MemoriesErased
from nemuri_contracts.event import derive
from nemuri_contracts.strength import AgentSlept, Candidate, MemoriesRetrieved, MemoriesUsed
from nemuri_domain.counterfactual.replay import UNANSWERED, CounterfactualReplay
from nemuri_domain.event_sourcing.deduplication import first_of_each
from nemuri_domain.strength import sleep
from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import fold
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.state_diff import Differences
from nemuri_domain.strength.tombstone_states import restated
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.anything import EVENTS, history
from tests.unit.domain.strength.stories import COST, QUALITY, A, B, C, Story, encoded, sleep_input

MEMORIES = tuple(UUID(int=number) for number in range(1, 9))
TIGHT: dict[str, Any] = {
    "expected_tasks_per_day": 1,
    "consolidation_thresholds": (0, 1, 2, 3, 4, 5),
    "daily_decay_targets": (0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    "archive_threshold": 0.3,
    "max_active_memories": 5,
}
"""A policy with few uses per level, fast decay and small limits, so that a few events reach all steps of a sleep."""
SOME = st.lists(st.sampled_from(MEMORIES), min_size=1, max_size=3, unique=True)
PERSPECTIVE = st.sampled_from([None, COST, QUALITY])


LIVING: st.SearchStrategy[Any] = st.one_of(
    st.builds(
        stories.encoded,
        st.sampled_from(MEMORIES),
        strength=st.sampled_from([0.35, 0.5, 1.0]),
        principle=st.booleans(),
        against=st.lists(st.sampled_from(MEMORIES), max_size=1),
    ),
    st.builds(lambda each, view: stories.used(*each, perspective=view), SOME, PERSPECTIVE),
    st.builds(lambda each: stories.retrieved(*each), SOME),
    st.builds(lambda each: stories.credited(*each), SOME),
    st.builds(lambda each: stories.reviewed(*each), SOME),
    st.builds(lambda each: stories.repeating(*each), SOME),
    st.builds(stories.separated, st.sampled_from(MEMORIES)),
    st.builds(lambda threshold: stories.adopted(**TIGHT | {"archive_threshold": threshold}), st.floats(0.05, 0.9)),
    st.just(stories.adopted(consolidation_thresholds=(0, 2, 4, 6, 8, 10))),
    st.just(stories.defined()),
)
"""Strategies for the events of an agent between two sleeps."""
BETWEEN = st.lists(LIVING, max_size=2)
NIGHT = st.builds(
    lambda number, early, late: [stories.ended(number), *early, "decide", *late, "sleep"],
    st.integers(0, 500),
    BETWEEN,
    BETWEEN,
)
"""Strategy for a session that ends and a sleep that is recorded some events after it was decided."""
STEPS = st.lists(
    st.one_of(st.lists(LIVING, min_size=1, max_size=3), NIGHT, BETWEEN.map(lambda each: ["decide", *each, "sleep"])),
    min_size=4,
    max_size=14,
).map(lambda groups: [step for group in groups for step in group])


def lived(steps: Sequence[AnyAgentEvent | str]) -> Story:
    """Return the story after these steps. A sleep is decided again if another one was appended since its decision."""
    story = stories.given(stories.adopted(**TIGHT), *(stories.encoded(memory) for memory in MEMORIES[:6]))
    waiting: AgentSlept | None = None
    for step in steps:
        match step:
            case "decide":
                waiting = _decided(story)
            case "sleep":
                waiting = waiting or _decided(story)
                story = story.when(waiting) if waiting else story
                waiting = None
            case str():
                raise ValueError(step)
            case event:
                story = story.when(event)
    return story


def _decided(story: Story) -> AgentSlept | None:
    """Return a sleep that resumes an unfinished sleep, or else one over all sessions that no sleep covers.

    Return None if there are no such sessions.
    """
    seen = sleep_input(story.mind)
    seen = replace(
        seen, touched=seen.touched[::-1], faded=seen.faded[::-1]
    )  # The projections return rows in any order.
    sleeps = [event for event in story.events if isinstance(event, AgentSlept)]
    going_on = sleep.continue_sleep(sleeps[-1], seen) if sleeps else None
    return going_on or sleep.decide(stories.ended(0), seen)


def what_if(events: Sequence[AnyAgentEvent], since: int = 0, **parameters: Any) -> CounterfactualReplay:
    """Return the replay of these events in which other policy parameters apply from the sequence `since` on."""
    found = CounterfactualReplay(parameters)
    for event in events:
        if not found.begun and (event.sequence or 0) > since:
            found.begin()
        found.take(event)
    return found


def plain(mind: Mind) -> tuple[Any, ...]:
    """Return the content of a mind as a tuple that can be compared by value."""
    assert mind.agent is not None
    waiting = None if mind.agent.next_policy is None else mind.agent.coming
    agent = mind.agent.replace(policy=mind.agent.rules.differing, next_policy=waiting)
    return agent, dict(mind.memories), dict(mind.contents), mind.scorer


@given(STEPS, st.integers(1, 4), st.integers(0, 60))
def test_the_recorded_policy_gives_the_same_mind(steps: list[AnyAgentEvent | str], room: int, since: int) -> None:
    """Under the recorded policy the replay gives exactly the same levels, archive and strengths.

    This also holds for late, interrupted and divided sleeps.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sleep, "CHANGES_PER_SLEEP", room)
        story = lived(steps)
        found = what_if(story.events, since)
    assert plain(found.other) == plain(found.recorded) == plain(story.mind), stories.lines(story.events)
    assert found.sleeps.explained == found.sleeps.slept
    assert not found.missed
    assert Differences.between(found.recorded, found.other).changes == ()


FADING: dict[str, Any] = {"expected_tasks_per_day": 1, "daily_decay_targets": (0.5,) * 6, "archive_threshold": 0.2}
"""A policy under which each session halves all strengths, so that three sessions archive an unused memory."""


def archived(mind: Mind) -> set[UUID]:
    """Return the ids of the archived memories."""
    return {memory_id for memory_id, each in mind.memories.items() if each.status == "archived"}


def recalled(*memory_ids: UUID, assignment: int, deep: bool = False, chosen: int = 1) -> MemoriesRetrieved:
    """Return a retrieval of these memories, most relevant first. The first `chosen` of them are in the context."""
    candidates = tuple(
        Candidate(
            memory_id=each,
            similarity=0.5,
            lexical=0.5,
            relevance=1 - place / 10,
            features=(1 - place / 10, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0),
            score=1 - place / 10,
        )
        for place, each in enumerate(memory_ids)
    )
    assignment_id = UUID(int=5_000 + assignment)
    return stories.retrieved(*memory_ids[:chosen]).model_copy(
        update={"candidates": candidates, "assignment_id": assignment_id, "deep": deep}
    )


def drawn_on(*memory_ids: UUID, assignment: int) -> MemoriesUsed:
    """Return the use of these memories in the answer of an assignment."""
    return stories.used(*memory_ids).model_copy(update={"assignment_id": UUID(int=5_000 + assignment)})


def test_another_archive_threshold_is_applied_in_every_sleep() -> None:
    """Another archive threshold applies in every sleep. Levels and decay change accordingly."""
    story = stories.given(*stories.ruled(**FADING), encoded(A), encoded(B), *stories.night(0), stories.used(B))
    story = story.when(*stories.night(1))
    assert archived(story.mind) == set()
    assert archived(what_if(story.events, archive_threshold=0.3).other) == {A}
    assert archived(what_if(story.events, archive_threshold=0.9).other) == {A, B}
    kind = what_if(story.events, daily_decay_targets=(1.0,) * 6, consolidation_thresholds=(0, 1, 2, 3, 4, 5)).other
    assert kind.memories[B].level == 1
    assert kind.agent is not None
    assert kind.agent.strength(kind.memories[A]) == 1.0


def test_the_other_policy_applies_from_the_named_sequence() -> None:
    """The other policy applies from the named sequence on, and sleeps before it are unchanged.

    It also replaces a recorded policy that waits for the next sleep.
    """
    story = stories.given(*stories.ruled(**FADING), encoded(A), *stories.night(0), *stories.night(1))
    assert archived(what_if(story.events, since=len(story.events), archive_threshold=0.9).other) == set()
    assert archived(what_if(story.events, since=len(story.events) - 2, archive_threshold=0.26).other) == {A}
    tame = story.when(stories.adopted(archive_threshold=0.001, daily_decay_targets=(0.5,) * 6), *stories.night(2))
    found = what_if(tame.events, archive_threshold=0.26)
    assert found.other.agent is not None
    assert found.other.agent.rules == Policy(archive_threshold=0.26, daily_decay_targets=(0.5,) * 6)


def test_a_memory_archived_under_the_other_policy_is_not_used() -> None:
    """A memory that the other policy has archived is not used. Its credit, and the withdrawal of a repetition, are
    missing too.
    """
    story = stories.given(*stories.ruled(**FADING), encoded(A), encoded(B), *stories.night(0), encoded(C))
    story = story.when(recalled(A, B, C, assignment=1, chosen=2), drawn_on(A, B, assignment=1))
    credit = stories.credited(A, B).model_copy(update={"assignment_id": UUID(int=5_001)})
    found = what_if(story.when(credit).events, archive_threshold=0.6)
    assert [(event.memory_id, event.kind) for event in found.missed] == [(A, "memories_used"), (B, "memories_used")]
    assert archived(found.other) == {A, B}
    assert found.other.memories[A].access_count == found.other.memories[A].impact_score == 0
    assert found.other.memories[A].candidate_count == 0
    assert found.recorded.memories[A].access_count == 1


def test_a_memory_found_in_the_other_archive_is_used() -> None:
    """A memory in the archive under the other policy is found by a deep recall, or if nothing active is relevant. It is
    then reactivated.
    """
    night = stories.given(*stories.ruled(**FADING), encoded(A), *stories.night(0), encoded(B))
    for asked in (recalled(A, assignment=1), recalled(A, B, assignment=1, deep=True)):
        found = what_if(night.when(asked, drawn_on(A, assignment=1)).events, archive_threshold=0.6)
        assert found.missed == []
        assert found.other.memories[A].status == "active"
        assert found.other.memories[A].access_count == 1
    found = what_if(night.when(recalled(A, B, assignment=1), drawn_on(A, assignment=1)).events, archive_threshold=0.6)
    assert [each.memory_id for each in found.missed] == [A]


def test_the_replay_has_the_memories_that_would_be_retrieved() -> None:
    """The replay ranks and selects the recorded candidates with their strengths under the other policy."""
    story = stories.given(*stories.ruled(**FADING), encoded(A), *stories.night(0), encoded(B), encoded(C))
    story = story.when(recalled(A, B, C, assignment=1, chosen=3))
    [same] = what_if(story.events).recalls
    assert same.explained
    assert (same.gained, same.lost) == ((), ())
    [fewer] = what_if(story.events, top_k_results=1).recalls
    assert (fewer.other, fewer.lost) == ((A,), (B, C))
    [without] = what_if(story.events, archive_threshold=0.6).recalls
    assert (without.gained, without.lost) == ((), (A,))
    [fainter] = what_if(story.events, top_k_results=1, strength_increment_on_use=0, ranking="document_000").recalls
    assert fainter.other == (A,), "its logged features stand where the minds do not differ"
    [faded] = what_if(story.events, top_k_results=1, ranking="document_000", daily_decay_targets=(0.25,) * 6).recalls
    assert faded.other == (B,), "what faded further there comes later there"


def test_values_that_come_from_the_policy_are_replaced() -> None:
    """Initial strengths and impact points are those of the other policy, unless an event states another value."""
    story = stories.given(encoded(A), encoded(B, strength=0.7), stories.credited(A, points=2.0))
    story = story.when(stories.credited(B, points=7.0))
    other = what_if(story.events, initial_strength=3.0, impact_user_positive=1.0, impact_to_strength_ratio=0).other
    assert other.agent is not None
    assert [round(other.agent.strength(other.memories[each]), 6) for each in (A, B)] == [3.0, 0.7]
    assert [other.memories[each].impact_score for each in (A, B)] == [1.0, 7.0]


def test_an_unexplained_sleep_is_reported() -> None:
    """A sleep that the recorded policy does not explain is reported, and is decided again from the state before it."""
    story = stories.given(*stories.ruled(**FADING), encoded(A), stories.ended(1), stories.slept(1, archived={A: 0}))
    sleeps = what_if(story.events).sleeps
    assert sleeps.explained == sleeps.slept - 1
    assert archived(what_if(story.events).other) == set()


def erased(story: Story, gone: set[int]) -> list[AnyAgentEvent]:
    """Return the story without the events at the positions `gone`, followed by the erasure of their data."""
    kept = [event for event in story.events if event.sequence not in gone]
    said = MemoriesErased(
        event_id=derive("tombstone", "memories_erased"),
        agent_id=stories.AGENT,
        memory_ids=(),
        standing=restated(story.mind, fold(kept), ()),
    )
    return [*kept, stories.recorded(said, len(story.events) + 1)]


def strength(mind: Mind, memory_id: UUID) -> float:
    """Return the present strength of a memory."""
    assert mind.agent is not None
    return mind.agent.strength(mind.memories[memory_id])


def test_an_erasure_restates_strengths_not_stored_values() -> None:
    """A memory whose use was erased has the strength that the erasure states, at any speed of decay."""
    story = stories.given(*stories.ruled(**FADING), encoded(A), encoded(B))
    for number in range(12):
        story = story.when(stories.used(A), *stories.night(number))
    used = [event.sequence or 0 for event in story.events if isinstance(event, MemoriesUsed)]
    events = erased(story, {used[-1]})
    [standing] = [each for each in events[-1].standing if each.memory_id == A]  # type: ignore[union-attr]
    assert standing.stored_strength > 5, "clocks that ran for nights are in it"
    slow = what_if(events, daily_decay_targets=(1.0,) * 6)
    assert strength(slow.recorded, A) == strength(story.mind, A) < 1
    assert strength(slow.other, A) == pytest.approx(strength(story.mind, A), rel=1e-12)
    assert strength(slow.other, B) == 1.0, "what it does not speak of stands as the other policy made it"
    quick = what_if(events, daily_decay_targets=(0.1,) * 6, archive_threshold=1e-9)
    assert strength(quick.other, A) == pytest.approx(strength(story.mind, A), rel=1e-12)
    same = what_if(events)
    assert (
        same.other.memories[A]
        == same.recorded.memories[A]
        == story.mind.memories[A].replace(changed=len(story.events) + 1)
    )


@given(STEPS, st.sets(st.integers(1, 60)), st.floats(0.01, 0.9), st.floats(0.1, 1))
def test_after_an_erasure_both_minds_have_the_restated_values(
    steps: list[AnyAgentEvent | str], gone: set[int], threshold: float, left: float
) -> None:
    """After any erasure, status, level, counts and strength that it states are equal in both minds, under any
    policy.
    """
    story = lived(steps)
    of_tasks = (MemoriesUsed, MemoriesRetrieved)
    events = erased(story, {event.sequence or 0 for event in story.events if isinstance(event, of_tasks)} & gone)
    found = what_if(events, archive_threshold=threshold, daily_decay_targets=[left] * 6)
    for each in events[-1].standing:  # type: ignore[union-attr]
        here, there = found.recorded.memories[each.memory_id], found.other.memories[each.memory_id]
        assert (there.status, there.level, there.access_count) == (here.status, here.level, here.access_count)
        assert strength(found.other, each.memory_id) == pytest.approx(strength(found.recorded, each.memory_id))


def test_the_unsupported_parameters_are_parameters_of_the_policy() -> None:
    """The set of unsupported parameters contains only fields of the policy."""
    assert set(Policy.model_fields) >= UNANSWERED


@given(st.lists(EVENTS, min_size=5, max_size=40), st.integers(0, 40), st.floats(0.01, 3), st.floats(0.1, 1))
def test_the_replay_is_total(events: list[AnyAgentEvent], since: int, threshold: float, left: float) -> None:
    """For any events the replay raises no error, the recorded mind is the fold, and every memory in it was encoded."""
    log = history([*first_of_each([stories.defined(), *events])])
    found = what_if(log, since, archive_threshold=threshold, daily_decay_targets=[left] * 6)
    assert found.recorded == fold(log)
    assert set(found.other.memories) == set(found.recorded.memories)
    assert found.other.agent is not None
    standing = [memory for memory in found.other.memories.values() if memory.absorbed_by is None]
    assert sum(found.other.agent.active) + found.other.agent.archived == len(standing)
