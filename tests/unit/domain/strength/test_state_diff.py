"""Tests of the differences between two states of one agent."""

from nemuri_contracts.agents import Definition, Perspective
from nemuri_domain.strength.state_diff import Differences, MemoryChange
from tests.unit.domain.strength import stories
from tests.unit.domain.strength.stories import A, B, C, D, adopted, encoded, ended, night, ruled, slept, used


def ids(changes: tuple[MemoryChange, ...]) -> set[object]:
    """Return the ids of the changed memories."""
    return {change.memory_id for change in changes}


def test_equal_states_have_no_differences() -> None:
    """Two equal states have no difference in memories, policy or definition."""
    mind = stories.given(encoded(A), used(A), *night(0)).mind
    assert Differences.between(mind, mind) == Differences((), {}, {})


def test_every_memory_is_listed_under_each_of_its_changes() -> None:
    """Each changed memory is listed under each of its changes, the largest change first.

    The kinds of changes are new, archived, reactivated, level, stronger and weaker.
    """
    one = stories.given(encoded(A), encoded(B), encoded(C), *[used(C)] * 5, ended(1), slept(1, archived={B: 0}))
    gone = one.memory(A).revision
    other = one.when(encoded(D), used(B), ended(2), slept(2, archived={A: gone}, levels={C: (1, 5)}))
    found = Differences.between(one.mind, other.mind)
    assert ids(found.began) == {D}
    assert ids(found.archived) == {A}
    assert ids(found.returned) == {B}
    assert ids(found.levels) == {C}
    assert ids(found.stronger) == {B}
    assert ids(found.weaker) == {A, C}
    gains = [abs(change.gain) for change in found.changes]
    assert gains == sorted(gains, reverse=True)
    assert ids(Differences.between(other.mind, one.mind).gone) == {D}


def test_policy_and_definition_are_compared_by_value() -> None:
    """Definitions and policies in force are compared by their values, not by their notation. A policy that waits does
    not count.
    """
    one = stories.given(encoded(A))
    assert Differences.between(one.mind, one.when(adopted(archive_threshold=0.2)).mind).policy == {}
    assert Differences.between(one.mind, one.when(*ruled(archive_threshold=0.1)).mind).policy == {}
    other = one.when(*ruled(archive_threshold=0.2), stories.defined("cost"))
    found = Differences.between(one.mind, other.mind)
    assert found.policy == {"archive_threshold": (0.1, 0.2)}
    assert set(found.definition) == {"perspectives"}
    cost = Definition(role="buyer", perspectives=(Perspective(name="cost"),)).model_dump(mode="json")["perspectives"]
    assert found.definition["perspectives"][1] == cost
