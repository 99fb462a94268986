"""What a night changed: the states before it, after it, and before the next one, compared."""

from nemuri.operations.night_changes import by_sort, strength_changes, strength_faded
from nemuri_domain.strength.aggregate import Mind
from tests.unit.domain.strength.stories import A, B, C, D, Story, encoded, formed, given, night, ruled, slept, used

QUICK = {"fading": "tasks", "expected_tasks_per_day": 1, "daily_decay_targets": (0.5, 0.9, 0.9, 0.9, 0.9, 0.9)}


def sorts(before: Mind, after: Mind, later: Mind | None = None) -> dict[str, list[object]]:
    """Return the ids of the changed memories by the sort of their change."""
    found = by_sort(strength_changes(before, after, later or after, ()))
    return {sort: [change.memory_id for change in changes] for sort, changes in found.items()}


def story() -> Story:
    """Return an agent with a policy under which memories fade quickly."""
    return given(*ruled(**QUICK))


def test_archived_memories_and_those_at_another_level_are_named() -> None:
    """Name what was archived with its strengths, and what became more durable."""
    before = story().when(encoded(A, strength=0.15), encoded(B, strength=5.0), *(used(B) for _ in range(5)))
    after = before.when(*night(1))
    assert sorts(before.mind, after.mind) == {"archived": [A], "raised": [B]}
    [gone] = by_sort(strength_changes(before.mind, after.mind, after.mind, ()))["archived"]
    assert gone.strength[0] is not None
    assert gone.strength[1] is not None
    assert gone.strength[0] > gone.strength[1]


def test_a_memory_that_came_and_went_between_two_sleeps_is_named() -> None:
    """Name a memory that was remembered after the first state and archived before the second."""
    before = story()
    after = before.when(encoded(A, strength=0.15), *night(1))
    assert sorts(before.mind, after.mind) == {"archived": [A]}


def test_a_memory_that_a_use_brought_back_is_named() -> None:
    """Name a memory that a use after the sleep brought back from the archive."""
    before = story().when(encoded(A, strength=0.15), *night(1))
    after = before.when(*night(2))
    later = after.when(used(A))
    assert sorts(before.mind, after.mind, later.mind) == {"returned": [A]}


def test_memories_that_became_another_one_are_named_with_it() -> None:
    """Name the sources of a semantic memory, and the words that stand for them."""
    before = story().when(encoded(A, strength=5.0), encoded(B, strength=5.0), encoded(C, strength=5.0))
    after = before.when(*night(1))
    later = after.when(formed(D, A, B))
    found = by_sort(strength_changes(before.mind, after.mind, later.mind, ()))
    assert [
        (night_change.memory_id, night_change.into, night_change.after_words) for night_change in found["merged"]
    ] == [
        (A, D, later.mind.contents[D].memory.content),
        (B, D, later.mind.contents[D].memory.content),
    ]
    assert set(found) == {"merged"}


def test_pruned_memories_are_marked() -> None:
    """Say of an archived memory that the agent's memory was full."""
    before = story().when(encoded(A))
    after = before.when(slept(pruned={A: before.memory(A).revision}))
    [gone] = strength_changes(before.mind, after.mind, after.mind, [A])
    assert gone.pruned


def test_what_only_faded_is_counted_weakest_first() -> None:
    """List the active memories that are weaker, the weakest first, and nothing that was archived."""
    before = story().when(encoded(A, strength=0.15), encoded(B, strength=2.0), encoded(C, strength=1.0))
    after = before.when(*night(1))
    faded = strength_faded(before.mind, after.mind)
    assert faded.number == len(faded.weakest)
    assert A not in {each.memory_id for each in faded.weakest}
    assert [each.memory_id for each in faded.weakest if each.memory_id in {B, C}] == [C, B]
