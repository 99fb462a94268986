"""Tests of sleep: first levels change, then strengths decay, then memories are archived, then pruned (document 000
§3.7).
"""

from uuid import UUID

import pytest

from nemuri_contracts.strength import AgentSlept
from nemuri_domain.strength import sleep
from tests.unit.domain.strength.facts import level, nights, status, strength, totals
from tests.unit.domain.strength.stories import (
    COST,
    QUALITY,
    RATE,
    STEEP,
    A,
    B,
    C,
    D,
    Move,
    adopted,
    credited,
    encoded,
    ended,
    given,
    night,
    retrieved,
    ruled,
    session,
    sleep_input,
    sleeps,
    slept,
    used,
)


def test_a_sleep_decays_by_one_step_for_each_session() -> None:
    """In a sleep a memory decays by one step for each session, in its strength and in every perspective."""
    given(encoded(A), used(A, perspective=COST), ended(1), ended(2), ended(3)).when(sleeps()).then(
        strength(A).equals(1.1 * RATE**3),
        strength(A, COST).equals(1.15 * RATE**3),
        strength(A, QUALITY).equals(RATE**3),
        nights().equals(3),
    )


def test_an_agent_without_ended_sessions_does_not_sleep() -> None:
    """For an agent without ended sessions no sleep is decided."""
    story = given(encoded(A))

    assert sleep.decide(ended(1), sleep_input(story.mind)) is None
    assert sleep.decide(ended(1), sleep_input(story.when(*night(1)).mind)) is None


def test_a_session_is_slept_over_once() -> None:
    """A session takes effect in one sleep only.

    A second sleep with it, a sleep with an unknown session, and a repeated end of a session have no effect.
    """
    story = given(encoded(A), ended(1), ended(1), slept(1))

    story.then(nights().equals(1), strength(A).equals(RATE))
    story.when(slept(1), slept(7), ended(2), slept(1, 2, 7)).then(nights().equals(2), strength(A).equals(RATE**2))


def test_sessions_that_end_after_the_decision_wait_for_the_next_sleep() -> None:
    """A sleep covers only the sessions that it names. A session that ends after the decision waits for the next
    sleep.
    """
    story = given(encoded(A), ended(1), ended(2), ended(3)).when(slept(1, 3))

    assert story.agent.awake == (session(2),)
    story.when(sleeps()).then(nights().equals(3), strength(A).equals(RATE**3))


def test_five_uses_raise_the_level_in_the_next_sleep() -> None:
    """Five uses raise the level in the next sleep, in which the memory decays at its new level (document 000 §3.5)."""
    story = given(encoded(A), *(used(A) for _ in range(5)))

    story.then(level(A).equals(0)).when(*night(1)).then(level(A).equals(1), strength(A).equals(1.5 * 0.97**0.1))


def test_the_level_changes_before_the_decay() -> None:
    """The level changes before the decay: at its old level this memory would be archived in this sleep."""
    rules = STEEP | {"consolidation_thresholds": (0, 1, 15, 30, 60, 100), "strength_increment_on_use": 0.0}
    story = given(*ruled(**rules), encoded(A, strength=0.15), encoded(B, strength=0.15)).when(used(A), *night(1))

    story.then(level(A).equals(1), status(A).equals("active"), strength(A).equals(0.135))
    story.then(status(B).equals("archived"))


def test_a_memory_is_archived_only_below_the_threshold_in_every_perspective() -> None:
    """A memory is archived only if it is below the threshold in every perspective. At the threshold itself it stays."""
    rules = STEEP | {"strength_increment_on_use": 0.0}
    memories = (encoded(A, strength=0.19), encoded(B, strength=0.19), encoded(C, strength=0.21))
    story = given(*ruled(**rules), *memories, used(B, perspective=COST)).when(*night(1))

    story.then(status(A).equals("archived"), status(B).equals("active"), status(C).equals("active"))
    story.then(strength(A).equals(0.095), strength(B).equals(0.095), strength(B, COST).equals(0.17))
    assert story.agent.archived == 1


def test_a_sleep_over_several_sessions_decays_by_all_of_them() -> None:
    """A sleep that covers three sessions decays by three steps, and archives a memory that is then below the
    threshold.
    """
    awake = (ended(1), ended(2), ended(3))
    given(*ruled(**STEEP), encoded(A, strength=0.7), encoded(B, strength=0.9), *awake).when(sleeps()).then(
        status(A).equals("archived"), status(B).equals("active")
    )


def test_principles_are_never_archived_by_decay() -> None:
    """A principle decays below the threshold and stays active."""
    given(*ruled(**STEEP), encoded(A, principle=True), encoded(B)).when(
        *night(1), *night(2), *night(3), *night(4)
    ).then(status(A).equals("active"), strength(A).equals(0.0625), status(B).equals("archived"))


@pytest.mark.parametrize("between", [used(A), credited(A)], ids=["used", "credited"])
def test_a_memory_that_changed_since_the_decision_is_not_archived(between: Move) -> None:
    """A sleep does not archive a memory that changed since its decision. It archives the other chosen memories, and all
    memories decay.
    """
    story = given(*ruled(**STEEP), encoded(A, strength=0.15), encoded(B, strength=0.15), encoded(C), ended(1))
    decided = sleep.decide(ended(1), sleep_input(story.mind))
    assert decided is not None
    assert {each.memory_id for each in decided.archived} == {A, B}

    story.when(between, decided).then(
        status(A).equals("active"), status(B).equals("archived"), strength(C).equals(0.5), nights().equals(2)
    )


def test_a_retrieval_after_the_decision_changes_nothing() -> None:
    """A retrieval after the decision does not prevent the archiving, because it does not raise the revision."""
    story = given(*ruled(**STEEP), encoded(A, strength=0.15), ended(1))
    decided = sleep.decide(ended(1), sleep_input(story.mind))
    assert decided is not None

    story.when(retrieved(A), decided).then(status(A).equals("archived"))


def test_a_change_after_the_decision_is_seen_by_the_next_sleep() -> None:
    """A fifth use after the decision raises the level one sleep later, without another use."""
    story = given(encoded(A), *(used(A) for _ in range(4)), *night(1), ended(2))
    decided = sleep.decide(ended(2), sleep_input(story.mind))
    assert decided is not None

    story = story.when(used(A), decided).then(level(A).equals(0))

    story.when(*night(3)).then(level(A).equals(1))


def test_a_new_policy_takes_effect_after_the_next_sleep() -> None:
    """A new policy is in force after the next sleep. That sleep itself still uses the old policy."""
    story = given(encoded(A)).when(adopted(**STEEP))

    assert story.agent.rules.expected_tasks_per_day == 10
    story = story.when(*night(1)).then(strength(A).equals(RATE))
    assert story.agent.rules.expected_tasks_per_day == 1
    story.when(*night(2)).then(strength(A).equals(RATE / 2))


def test_the_last_policy_before_a_sleep_counts() -> None:
    """If several policies are adopted before a sleep, the last one replaces the others completely."""
    story = given(adopted(**STEEP), adopted(archive_threshold=0.2), *night(1))

    assert story.agent.rules.archive_threshold == 0.2
    assert story.agent.rules.expected_tasks_per_day == 10


def test_new_level_thresholds_apply_to_all_memories() -> None:
    """After a change of the level thresholds, the first sleep checks the level of every memory, upwards and downwards.

    Later sleeps check only memories that changed.
    """
    story = given(encoded(A), encoded(B), used(A), used(A), *night(1), *night(2), *night(3))

    story = story.when(adopted(consolidation_thresholds=(0, 1, 2, 30, 60, 100)), *night(4)).then(level(A).equals(0))
    story = story.when(*night(5)).then(level(A).equals(2), level(B).equals(0))
    story = story.when(adopted(), *night(6), *night(7)).then(level(A).equals(0))
    story = story.when(*night(8), *night(9))
    assert sleep_input(story.mind).touched == ()


def test_a_lower_level_can_lead_to_the_archive_in_the_same_sleep() -> None:
    """If the level of a memory falls in a sleep, the decay at the lower level may archive it in the same sleep."""
    rules = STEEP | {"consolidation_thresholds": (0, 1, 2, 3, 4, 5), "strength_increment_on_use": 0.0}
    story = given(*ruled(**rules), encoded(A, strength=0.2), used(A), *night(1)).then(strength(A).equals(0.18))

    story = story.when(adopted(**STEEP), *night(2)).then(level(A).equals(1), strength(A).equals(0.162))

    story.when(*night(3)).then(level(A).equals(0), status(A).equals("archived"), strength(A).equals(0.081))


def test_a_sleep_over_unknown_memories_is_a_sleep() -> None:
    """A sleep that names unknown memories is valid, and its decisions on them have no effect."""
    story = given(encoded(A), ended(1)).when(slept(1, levels={B: (3, 0)}, archived={C: 0}, pruned={D: 0}))

    story.then(nights().equals(1), strength(A).equals(RATE))
    assert (story.agent.active, story.agent.archived) == totals(story.mind) == ((1, 0, 0, 0, 0, 0), 0)


def test_further_sleeps_finish_what_does_not_fit_one() -> None:
    """Changes that do not fit into one event are done by further sleeps, before the next session.

    Each of these sleeps fits into one event even with thousands of memories.
    """
    many = [UUID(int=number) for number in range(1, 2 * sleep.CHANGES_PER_SLEEP + 2)]
    roomy = {"max_active_memories": None, "max_total_weight": None}
    rising = roomy | {"daily_decay_targets": (1.0,) * 6, "consolidation_thresholds": (0, 1, 15, 30, 60, 100)}
    story = given(*ruled(**rising), *(encoded(each) for each in many), *(used(each) for each in many))

    story = story.when(*night(1))
    assert totals(story.mind) == ((sleep.CHANGES_PER_SLEEP + 1, sleep.CHANGES_PER_SLEEP, 0, 0, 0, 0), 0)
    assert totals(story.slept_out().mind) == ((0, len(many), 0, 0, 0, 0), 0)

    fading = given(*ruled(**roomy, archive_threshold=1.0), *(encoded(each) for each in many))
    fading = fading.when(*night(1))
    assert totals(fading.mind) == ((sleep.CHANGES_PER_SLEEP + 1, 0, 0, 0, 0, 0), sleep.CHANGES_PER_SLEEP)
    fading = fading.slept_out()
    assert totals(fading.mind) == ((0,) * 6, len(many))
    assert fading.agent.slept == 2


def test_a_sleep_continues_only_the_last_one() -> None:
    """A sleep can continue only the last one. It has no effect after another sleep, or if the last one left nothing
    over.
    """
    story = given(*ruled(max_active_memories=1), encoded(A), encoded(B), *night(1))
    last = story.events[-1]
    assert isinstance(last, AgentSlept)
    assert sleep.continue_sleep(last, sleep_input(story.mind)) is None

    unfinished = last.model_copy(update={"unfinished": True})
    more = sleep.continue_sleep(unfinished, sleep_input(story.mind))
    assert more is not None
    assert (more.sessions, more.causation_id, more.unfinished) == ((), last.event_id, False)
    assert sleep.continue_sleep(unfinished, sleep_input(story.when(*night(2)).mind)) is None
