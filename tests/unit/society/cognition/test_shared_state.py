"""Tests of snapshots of an agent's state, of changes to it and of conflicts between changes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.shared_state import Conflict, SharedState


def test_a_snapshot_does_not_change() -> None:
    """Later changes of the state are not visible in a snapshot."""
    state = SharedState.of("ada", {"goals": {"active": ["iron"]}, "plans": {"steps": []}})
    before = state.snapshot(["goals", "plans"], 1.0)
    state.put({"goals": {"active": ["gold"]}, "plans": {"steps": ["dig"]}}, 2.0)
    assert before["goals"] == {"active": ["iron"]}
    assert before["plans"] == {"steps": []}
    assert state.snapshot(["goals"], 3.0)["goals"] == {"active": ["gold"]}


def test_two_modules_may_change_different_keys_of_a_section() -> None:
    """Changes of two modules to different keys of a section are both applied."""
    state = SharedState.of("ada", {"social_model": {"bob": 3, "eve": 5}})
    base = state.snapshot(["social_model"], 1.0)
    assert state.apply({"social_model": {"bob": 7}}, base, 1.0) == {"social_model"}
    assert state.apply({"social_model": {"eve": 1}}, base, 1.0) == {"social_model"}
    assert state.values()["social_model"] == {"bob": 7, "eve": 1}


def test_a_key_changed_since_the_snapshot_is_a_conflict() -> None:
    """If a key has changed since the snapshot, a module's whole change is rejected."""
    state = SharedState.of("ada", {"social_model": {"bob": 3}})
    base = state.snapshot(["social_model", "goals"], 1.0)
    state.apply({"social_model": {"bob": None}}, base, 1.0)
    with pytest.raises(Conflict):
        state.apply({"goals": {"active": []}, "social_model": {"bob": 4}}, base, 2.0)
    assert state.values() == {"social_model": {}}


def test_writing_an_equal_value_is_no_change() -> None:
    """Writing an equal value is no change: the section keeps its version."""
    state = SharedState.of("ada", {"plans": {"steps": ["dig"]}})
    revision = state.revision
    base = state.snapshot(["plans"], 1.0)
    assert state.apply({"plans": {"steps": ["dig"], "goal": None}}, base, 1.0) == frozenset()
    assert state.revision == revision


def test_an_unknown_section_is_refused() -> None:
    """A change of an unknown section raises an error."""
    with pytest.raises(KeyError, match="mood"):
        SharedState("ada").put({"mood": {"now": "fine"}}, 0.0)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.booleans()), max_size=30))
def test_no_change_is_lost(writes: list[tuple[str, int, bool]]) -> None:
    """With writers on old snapshots, a counter still equals the number of accepted writes."""
    state, accepted = SharedState("ada"), dict.fromkeys("abc", 0)
    old = state.snapshot(["goals"], 0.0)
    for key, step, fresh in writes:
        base = state.snapshot(["goals"], 0.0) if fresh else old
        now = base["goals"].get(key, 0)
        assert isinstance(now, int)
        try:
            state.apply({"goals": {key: now + step}}, base, 0.0)
        except Conflict:
            continue
        accepted[key] += step
        old = base
    assert {key: state.values().get("goals", {}).get(key, 0) for key in "abc"} == accepted
