"""Memory by use: what makes a memory stronger, and what does not (document 000 §3.5, document 003 §4)."""

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
"""One sleep leaves a twentieth: whatever is weaker than 2 goes into the archive."""


def test_a_memory_begins_with_its_strength_overall_and_in_every_perspective() -> None:
    """1.0 for what was experienced, 0.5 for what was read."""
    given(encoded(A), encoded(B, strength=0.5)).then(
        strength(A).equals(1.0),
        strength(A, COST).equals(1.0),
        strength(B).equals(0.5),
        strength(B, QUALITY).equals(0.5),
        level(A).equals(0),
        status(A).equals("active"),
    )


def test_a_memory_that_was_only_a_candidate_is_not_strengthened() -> None:
    """Being retrieved is not being used."""
    given(encoded(A)).when(retrieved(A)).then(strength(A).equals(1.0), candidates(A).equals(1), accesses(A).equals(0))


def test_principles_in_the_context_are_candidates_too() -> None:
    """Everything that the model was given counts, each once."""
    given(encoded(A), encoded(B)).when(retrieved(A, principles=(B, A))).then(
        candidates(A).equals(1), candidates(B).equals(1)
    )


def test_a_used_memory_is_stronger_overall_and_in_the_perspective_of_the_task() -> None:
    """One use: +0.1, and +0.15 in that perspective alone."""
    given(encoded(A)).when(used(A, perspective=COST)).then(
        accesses(A).equals(1),
        candidates(A).equals(0),
        strength(A).equals(1.1),
        strength(A, COST).equals(1.15),
        strength(A, QUALITY).equals(1.0),
    )


def test_a_use_without_a_perspective_strengthens_the_memory_alone() -> None:
    """A task may have no perspective."""
    given(encoded(A)).when(used(A)).then(strength(A).equals(1.1), strength(A, COST).equals(1.0))


def test_a_perspective_that_a_memory_does_not_keep_counts_as_its_strength() -> None:
    """It begins from there when the memory is used in it."""
    given(encoded(A, perspectives=[COST]), used(A)).then(strength(A, "new").equals(1.1)).when(
        used(A, perspective="new")
    ).then(strength(A, "new").equals(1.25), strength(A).equals(1.2))


def test_a_review_is_one_use_that_is_worth_more() -> None:
    """Document 000 §4.1: +0.2, and in the perspective of the exercise what any use adds there."""
    given(encoded(A), encoded(B)).when(reviewed(A, perspective=COST)).then(
        strength(A).equals(1.2),
        strength(A, COST).equals(1.15),
        strength(A, QUALITY).equals(1.0),
        accesses(A).equals(1),
        strength(B).equals(1.0),
        accesses(B).equals(0),
    )


def test_a_review_is_worth_what_the_policy_in_force_says() -> None:
    """`review_increment`, whatever a use adds; and its perspective may be none."""
    given(*ruled(review_increment=0.7, strength_increment_on_use=0.0), encoded(A)).when(reviewed(A)).then(
        strength(A).equals(1.7), strength(A, COST).equals(1.0)
    )


def test_reviews_earn_levels_and_bring_back_as_uses_do() -> None:
    """Five of them are the first level; one brings back what was archived, at 0.5 and 0.2."""
    given(encoded(A), *[reviewed(A)] * 5, *night(1)).then(level(A).equals(1))
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(reviewed(A)).then(
        status(A).equals("active"), strength(A).equals(0.7)
    )


def test_impact_adds_up_and_a_fifth_of_it_goes_into_strength() -> None:
    """Document 003 §4.4: 2.0 and 1.5 points are 0.7 of strength."""
    given(encoded(A)).when(credited(A, points=2.0), credited(A, points=1.5)).then(
        impact(A).equals(3.5), strength(A).equals(1.7), strength(A, COST).equals(1.0), accesses(A).equals(0)
    )


def test_feedback_that_is_worth_nothing_moves_nothing() -> None:
    """Unhelpful is no punishment."""
    given(encoded(A)).when(credited(A, points=0.0)).then(strength(A).equals(1.0), impact(A).equals(0.0))


def test_what_concerns_an_unknown_memory_leaves_the_others_as_they_are() -> None:
    """B is not there; A is treated as if B had not been named."""
    story = given(encoded(A)).when(used(B, A), credited(B), retrieved(B))

    story.then(accesses(A).equals(1), strength(A).equals(1.1))
    assert set(story.mind.memories) == {A}


def test_events_of_an_agent_that_is_not_defined_change_nothing() -> None:
    """A mind begins with a definition."""
    assert fold(given(encoded(A), used(A), ended(1), sleeps(), adopted()).events[1:]) == Mind()


def test_a_new_definition_keeps_what_was_learned() -> None:
    """Only who the agent is changes."""
    story = given(encoded(A), used(A)).when(defined("speed"))

    story.then(accesses(A).equals(1), strength(A).equals(1.1))
    assert story.agent.definition.perspective_names == ("speed",)


def test_a_memory_is_encoded_once() -> None:
    """The same id again changes nothing, however strong it says it is."""
    story = given(encoded(A), used(A)).when(encoded(A, strength=9.0))

    story.then(strength(A).equals(1.1))
    assert story.agent.active == (1, 0, 0, 0, 0, 0)


def test_only_what_moves_a_memory_is_a_new_revision() -> None:
    """A sleep's verdict survives a retrieval, but not a use or a credit."""
    story = given(encoded(A))

    revisions = [story.when(each).memory(A).revision for each in (retrieved(A), used(A), credited(A))]

    assert revisions == [0, 1, 1]


def test_what_is_archived_is_frozen() -> None:
    """Sleeps pass it by."""
    story = given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), encoded(B, strength=40.0), *night(1))

    story.then(status(A).equals("archived"), strength(A).equals(0.05))
    story.when(*night(2)).then(strength(A).equals(0.05), strength(B).equals(0.1), status(B).equals("active"))


def test_a_retrieval_from_the_archive_brings_nothing_back() -> None:
    """Only what is then used returns."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(retrieved(A), credited(A, points=0.0)).then(
        status(A).equals("archived"), candidates(A).equals(1)
    )


def test_a_memory_knows_since_when_it_is_archived() -> None:
    """Since the sleep, whatever concerns it there, until it comes back."""
    story = given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), encoded(B, strength=40.0), *night(1))
    asleep = story.agent.last_slept_at

    story.then(archived_at(A).equals(asleep), archived_at(B).equals(None))
    story = story.when(retrieved(A), credited(A, points=1.0), *night(2)).then(archived_at(A).equals(asleep))
    story.when(used(A)).then(archived_at(A).equals(None))


def test_use_brings_back_from_the_archive_at_one_half() -> None:
    """At 0.5, and then it counts as any use."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(A), *night(1)).when(used(A, perspective=COST)).then(
        status(A).equals("active"),
        strength(A).equals(0.6),
        strength(A, COST).equals(0.05 + 0.15),
        strength(A, QUALITY).equals(0.05),
        accesses(A).equals(1),
    )


def test_use_brings_back_at_the_present_strength_if_that_is_more() -> None:
    """What was pruned while it was strong comes back as strong."""
    given(*ruled(max_active_memories=1), encoded(A, strength=3.0), encoded(B), used(B), *night(1)).then(
        status(A).equals("archived")
    ).when(used(A)).then(status(A).equals("active"), strength(A).equals(3.0 * 0.95**0.1 + 0.1))


def test_what_comes_back_is_two_levels_lower_and_stays_so_in_the_next_sleep() -> None:
    """The uses that count towards consolidation fall to the lower level's threshold; only a second use rises."""
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


def test_a_level_is_never_below_the_lowest() -> None:
    """Two levels down from the first is the lowest."""
    given(*ruled(**ARCHIVE_AT_ONCE), encoded(C), *night(1)).when(used(C)).then(level(C).equals(0))


def test_huge_and_tiny_strengths_stay_numbers() -> None:
    """A fold never meets an infinity, and never a logarithm of nothing."""
    steep = {"daily_decay_targets": (1e-6,) * 6, "expected_tasks_per_day": 0.01, "perspective_strength_increment": 0}
    story = given(*ruled(**steep), encoded(A, principle=True), *night(1), *night(2))

    story = story.when(used(A, perspective=COST), *(credited(A, points=1e6) for _ in range(3)))

    story.then(strength(A).equals(0.1 + 0.2 * 3e6), status(A).equals("active"))
    assert 0 <= story.agent.strength(story.memory(A), COST) < 1e-200
