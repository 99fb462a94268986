"""Tests of finding the attempt to which an event belongs, and of reopening a failed task."""

from uuid import uuid4

from nemuri_contracts.event import DERIVED
from nemuri_domain.tasks.aggregate import TaskState
from nemuri_domain.tasks.task_attempts import attempt_of, reopened
from tests.unit.domain.tasks.stories import (
    TASK,
    answered,
    assigned,
    failed,
    feedback,
    given,
    ready,
    retrieved,
    routed,
    submitted,
    summarised,
)


def test_an_event_of_an_assignment_belongs_to_its_attempt() -> None:
    """An event of an assignment belongs to the attempt of that assignment, even if the next attempt has begun."""
    state = given(
        submitted(), summarised(), routed(), assigned(1), failed(), reopened(TASK, 1, None),
        routed(attempt=2), assigned(2, attempt=2),
    ).state  # fmt: skip
    assert [attempt_of(each, state) for each in (retrieved(1), answered(1), retrieved(2), answered(2))] == [1, 1, 2, 2]


def test_an_event_with_an_attempt_belongs_to_it() -> None:
    """An event that names an attempt belongs to it, whatever the state of the task is."""
    assert [attempt_of(each, TaskState()) for each in (routed(attempt=3), reopened(TASK, 3, None))] == [3, 4]


def test_other_events_have_no_known_attempt() -> None:
    """An event that names neither an attempt nor an assignment has no known attempt."""
    assert [attempt_of(each, given(submitted()).state) for each in (ready(0), feedback(), retrieved(7))] == [None] * 3


def test_an_attempt_is_reopened_once() -> None:
    """An attempt is reopened once, because the id of the reopening is derived from the failed attempt, whatever causes
    it.
    """
    first, again, second = reopened(TASK, 1, None), reopened(TASK, 1, uuid4()), reopened(TASK, 2, None)
    assert first.event_id == again.event_id != second.event_id
    assert (first.event_id.version, first.attempt, second.attempt) == (DERIVED, 2, 3)
    state = given(submitted(), failed(), first).state
    assert state.task is not None
    assert (state.task.status, state.task.attempt) == ("open", 2)
