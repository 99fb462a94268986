"""Tests of the changes of a memory by use, retrieval, feedback and review (document 000 §3.5, document 003 §4)."""

from nemuri_domain.strength.aggregate import Mind
from nemuri_domain.strength.fold import fold
from tests.unit.domain.strength.facts import accesses, archived_at, candidates, impact, level, status, strength
from tests.unit.domain.strength.stories import (
    COST,
    QUALITY,
    A,
    B,
    C,
    adopted,
    credited,
    defined,
    encoded,
    ended,
    given,
    night,
    retrieved,
    reviewed,
    ruled,
    sleeps,
    used,
)

ARCHIVE_AT_ONCE = {"daily_decay_targets": (0.05,) * 6, "expected_tasks_per_day": 1}
"""A policy under which one sleep leaves a twentieth of each strength, so that memories with less than 2 are archived.
"""


def test_a_memory_begins_with_its_initial_strength_in_every_perspective() -> None:
    """A memory begins with the strength 1.0 in every perspective, and one from a textbook with 0.5."""
    given(encoded(A), encoded(B, strength=0.5)).then(
        strength(A).equals(1.0),
        strength(A, COST).equals(1.0),
        strength(B).equals(0.5),
        strength(B, QUALITY).equals(0.5),
        level(A).equals(0),
        status(A).equals("active"),
    )


def test_a_memory_that_was_only_a_candidate_is_not_strengthened() -> None:
    """A retrieval raises only a memory's `candidate_count`, not its strength."""
    given(encoded(A)).when(retrieved(A)).then(strength(A).equals(1.0), candidates(A).equals(1), accesses(A).equals(0))


def test_principles_in_the_context_are_candidates_too() -> None:
    """A retrieval counts once for every memory in the context, principles included."""
    given(encoded(A), encoded(B)).when(retrieved(A, principles=(B, A))).then(
        candidates(A).equals(1), candidates(B).equals(1)
    )


def test_a_use_strengthens_a_memory_and_the_perspective_of_the_task() -> None:
    """A use adds 0.1 to the memory's strength, and 0.15 to its strength in the perspective of the task only."""
    given(encoded(A)).when(used(A, perspective=COST)).then(
        accesses(A).equals(1),
        candidates(A).equals(0),
        strength(A).equals(1.1),
        strength(A, COST).equals(1.15),
        strength(A, QUALITY).equals(1.0),
    )


def test_a_use_without_a_perspective_strengthens_the_memory_only() -> None:
    """A use in a task without a perspective strengthens the memory, and none of its perspectives."""
    given(encoded(A)).when(used(A)).then(strength(A).equals(1.1), strength(A, COST).equals(1.0))


def test_an_unknown_perspective_begins_with_the_strength_of_the_memory() -> None:
    """The first use in an unknown perspective adds that perspective, with the memory's strength before the use."""
    given(encoded(A, perspectives=[COST]), used(A)).then(strength(A, "new").equals(1.1)).when(
        used(A, perspective="new")
    ).then(strength(A, "new").equals(1.25), strength(A).equals(1.2))


def test_a_review_is_a_use_with_another_increment() -> None:
    """A review adds 0.2 to the memory's strength (document 000 §4.1), and to the perspective as much as a use."""
    given(encoded(A), encoded(B)).when(reviewed(A, perspective=COST)).then(
        strength(A).equals(1.2),
        strength(A, COST).equals(1.15),
        strength(A, QUALITY).equals(1.0),
        accesses(A).equals(1),
        strength(B).equals(1.0),
        accesses(B).equals(0),
    )


def test_a_review_uses_the_policy_in_force() -> None:
    """The increment of a review is `review_increment` of the policy in force. A review may have no perspective."""
    given(*ruled(review_increment=0.7, strength_increment_on_use=0.0), encoded(A)).when(reviewed(A)).then(
        strength(A).equals(1.7), strength(A, COST).equals(1.0)
    )


def test_a_review_counts_for_levels_and_reactivates() -> None:
    """Reviews count as uses: five of them raise the level, and one reactivates an archived memory at 0.5 and adds
    0.2.
    """
    given(encoded(A), *[reviewed(A)] * 5, *night(1)).then(level(A).equals(1))
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(reviewed(A)).then(
        status(A).equals("active"), strength(A).equals(0.7)
    )


def test_impact_adds_up_and_a_fifth_of_it_adds_to_the_strength() -> None:
    """Impact points add up, and a fifth of them is added to the strength: 2.0 and 1.5 points add 0.7 (document 003
    §4.4).
    """
    given(encoded(A)).when(credited(A, points=2.0), credited(A, points=1.5)).then(
        impact(A).equals(3.5), strength(A).equals(1.7), strength(A, COST).equals(1.0), accesses(A).equals(0)
    )


def test_feedback_of_0_points_changes_nothing() -> None:
    """Feedback of 0 points changes nothing, so an unhelpful answer lowers no strength."""
    given(encoded(A)).when(credited(A, points=0.0)).then(strength(A).equals(1.0), impact(A).equals(0.0))


def test_an_event_with_an_unknown_memory_applies_to_the_others() -> None:
    """An event that names an unknown memory still applies to the other memories that it names."""
    story = given(encoded(A)).when(used(B, A), credited(B), retrieved(B))

    story.then(accesses(A).equals(1), strength(A).equals(1.1))
    assert set(story.mind.memories) == {A}


def test_events_of_an_undefined_agent_have_no_effect() -> None:
    """Events of an agent have no effect before its definition."""
    assert fold(given(encoded(A), used(A), ended(1), sleeps(), adopted()).events[1:]) == Mind()


def test_a_new_definition_keeps_the_memories() -> None:
    """A new definition of an agent keeps all of its memories."""
    story = given(encoded(A), used(A)).when(defined("speed"))

    story.then(accesses(A).equals(1), strength(A).equals(1.1))
    assert story.agent.definition.perspective_names == ("speed",)


def test_a_memory_is_encoded_once() -> None:
    """A second encoding event with the id of an existing memory has no effect."""
    story = given(encoded(A), used(A)).when(encoded(A, strength=9.0))

    story.then(strength(A).equals(1.1))
    assert story.agent.active == (1, 0, 0, 0, 0, 0)


def test_only_a_change_of_strength_is_a_new_revision() -> None:
    """A use or a credit gives a memory a new revision, a retrieval does not. A sleep's decision is valid only for the
    same revision.
    """
    story = given(encoded(A))

    revisions = [story.when(each).memory(A).revision for each in (retrieved(A), used(A), credited(A))]

    assert revisions == [0, 1, 1]


def test_an_archived_memory_does_not_decay() -> None:
    """Later sleeps do not change an archived memory."""
    story = given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), encoded(B, strength=40.0), *night(1))

    story.then(status(A).equals("archived"), strength(A).equals(0.05))
    story.when(*night(2)).then(strength(A).equals(0.05), strength(B).equals(0.1), status(B).equals("active"))


def test_a_retrieval_does_not_reactivate() -> None:
    """A retrieval does not reactivate an archived memory. Only a use does."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(retrieved(A), credited(A, points=0.0)).then(
        status(A).equals("archived"), candidates(A).equals(1)
    )


def test_an_archived_memory_has_its_time_of_archiving() -> None:
    """The time of archiving is the time of the sleep, and is removed when the memory is reactivated."""
    story = given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), encoded(B, strength=40.0), *night(1))
    asleep = story.agent.last_slept_at

    story.then(archived_at(A).equals(asleep), archived_at(B).equals(None))
    story = story.when(retrieved(A), credited(A, points=1.0), *night(2)).then(archived_at(A).equals(asleep))
    story.when(used(A)).then(archived_at(A).equals(None))


def test_a_use_reactivates_at_one_half() -> None:
    """A use of an archived memory sets its strength to 0.5 and then raises it as any use does."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(used(A, perspective=COST)).then(
        status(A).equals("active"),
        strength(A).equals(0.6),
        strength(A, COST).equals(0.05 + 0.15),
        strength(A, QUALITY).equals(0.05),
        accesses(A).equals(1),
    )


def test_a_use_reactivates_at_a_higher_present_strength() -> None:
    """A memory that was pruned while it was strong keeps its strength if that is above 0.5 when it is reactivated."""
    given(*ruled(max_active_memories=1), encoded(A, strength=3.0), encoded(B), used(B), *night(1)).then(
        status(A).equals("archived")
    ).when(used(A)).then(status(A).equals("active"), strength(A).equals(3.0 * 0.95**0.1 + 0.1))


def test_a_reactivated_memory_is_two_levels_lower() -> None:
    """A reactivated memory is two levels lower. Its uses count as the threshold of its new level, so the next sleep
    keeps that level.
    """
    rules = {"consolidation_thresholds": (0, 1, 2, 4, 6, 8), "max_active_memories": 1}
    story = given(*ruled(**rules), encoded(A), *(used(A) for _ in range(4)), *night(1))
    story = story.then(level(A).equals(3)).when(encoded(B), *(used(B) for _ in range(6)), *night(2))
    story = story.then(status(A).equals("archived"), level(B).equals(4)).when(
        adopted(**rules | {"max_active_memories": 9})
    )

    story = story.when(*night(3), used(A)).then(status(A).equals("active"), level(A).equals(1), accesses(A).equals(5))

    story.when(*night(4)).then(level(A).equals(1))
    story.when(used(A), *night(4)).then(level(A).equals(2))
    assert story.memory(A).effective_uses == 1


def test_a_level_is_at_least_0() -> None:
    """A memory of level 1 is reactivated at level 0, since no level is below 0."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(C), *night(1)).when(used(C)).then(level(C).equals(0))


def test_huge_and_tiny_strengths_stay_finite() -> None:
    """Huge and tiny strengths stay finite after every event."""
    steep = {"daily_decay_targets": (1e-6,) * 6, "expected_tasks_per_day": 0.01, "perspective_strength_increment": 0}
    story = given(*ruled(**steep), encoded(A, principle=True), *night(1), *night(2))

    story = story.when(used(A, perspective=COST), *(credited(A, points=1e6) for _ in range(3)))

    story.then(strength(A).equals(0.1 + 0.2 * 3e6), status(A).equals("active"))
    assert 0 <= story.agent.strength(story.memory(A), COST) < 1e-200
