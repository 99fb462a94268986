"""Tests of the fields that all events have: derived ids, correlation and causation."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from nemuri_contracts.client_events import MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import derive
from nemuri_contracts.tasks import TaskAssigned, TaskCompleted, TaskFailed, TaskRouted
from tests.contracts.examples import EXAMPLES

KEY = UUID(int=1)


@pytest.mark.parametrize(
    ("key", "kind", "number", "expected"),
    [
        (KEY, "task_assigned", 0, "3e20c122-f0e1-5072-a8ab-23d4c0c88539"),
        (KEY, "task_assigned", 1, "8c95c452-42f0-5711-bad5-658f198fc199"),
        (KEY, "task_answered", 0, "20ceb746-e199-555a-abb0-d9358464fa71"),
        (f"{KEY}/2", "task_completed", 0, "4042ace8-0375-599d-b94a-bb53f23fd865"),
        (KEY, "reaction_failed", "specialist", "03a7dda8-d9d0-553e-b005-65dbd74638af"),
    ],
)
def test_derived_ids_never_change(key: object, kind: str, number: object, expected: str) -> None:
    """Derived ids stay the same in all releases. Otherwise events that are already on a log would be appended again."""
    assert str(derive(key, kind, number)) == expected


@given(st.lists(st.tuples(st.uuids(), st.sampled_from(sorted(EVENTS)), st.integers(0, 9)), unique=True, max_size=20))
def test_different_causes_kinds_and_numbers_give_different_ids(keys: list[tuple[UUID, str, int]]) -> None:
    """Different causes, kinds and numbers give different ids, and equal ones give equal ids."""
    assert len({derive(*each) for each in keys}) == len(keys)
    assert [derive(*each) for each in keys] == [derive(*each) for each in keys]


def test_a_consequence_inherits_task_and_agent_and_names_its_cause() -> None:
    """An event inherits task and agent from its cause unless they are given, and names its cause."""
    cause = EXAMPLES["task_assigned"]

    event = TaskCompleted.following(cause, answer="so")
    other = TaskCompleted.following(cause, answer="so", correlation_id=KEY, agent_id=None)

    assert (event.correlation_id, event.agent_id, event.causation_id) == (
        cause.correlation_id,
        cause.agent_id,
        cause.event_id,
    )
    assert event.event_id == derive(cause.event_id, "task_completed")
    assert (other.correlation_id, other.agent_id) == (KEY, None)


def test_the_id_of_a_fan_in_is_derived_from_the_joined_key() -> None:
    """The id of a fan-in (an event that joins others) is the same whichever of the joined events comes last."""
    one, two = (
        TaskFailed.following(EXAMPLES[kind], key=KEY, attempt=1, reason="no") for kind in ("chunk_ready", "task_routed")
    )

    assert one.event_id == two.event_id == derive(KEY, "task_failed")
    assert one.causation_id != two.causation_id


def test_the_events_of_a_fan_out_have_different_ids() -> None:
    """The events of a fan-out (several events with one cause) have different ids, because their numbers differ."""
    routed = EXAMPLES["task_routed"]
    assert isinstance(routed, TaskRouted)

    events = [
        TaskAssigned.following(routed, nth=number, agent_id="a", part=0, perspective=None, attempt=1)
        for number in range(3)
    ]

    assert len({event.event_id for event in events}) == 3
    assert events[0].assignment_id == events[0].event_id


def test_the_task_of_a_submission_has_its_event_id() -> None:
    """The id of a submission is the id of its task. A correlation id in the body is ignored."""
    submitted = TaskSubmitted(event_id=KEY, text="?", correlation_id=uuid4())

    assert submitted.thread == submitted.task_id == KEY
    assert TaskFailed.following(submitted, attempt=1, reason="no").correlation_id == KEY


def test_an_event_without_a_task_has_no_correlation_id() -> None:
    """An event without a task has no correlation id. An event that was not read from the log has no time."""
    offered = MemoryOffered.model_validate({"event_id": KEY, "agent_id": "a", "memory": {"content": "x"}})

    assert offered.thread is None
    with pytest.raises(LookupError, match="belongs to no task"):
        _ = offered.task_id
    with pytest.raises(LookupError, match="not read from the log"):
        _ = offered.at
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert offered.model_copy(update={"recorded_at": now}).at == now


def test_an_event_cannot_be_changed(subtests: pytest.Subtests) -> None:
    """Assigning to a field of an event raises an error."""
    for kind, event in EXAMPLES.items():
        with subtests.test(kind):
            name = "event_id"
            with pytest.raises(ValidationError, match="frozen"):
                setattr(event, name, KEY)


def test_every_kind_is_the_snake_case_of_its_class() -> None:
    """The kind of an event is its class name in snake case."""
    for kind, event in EVENTS.items():
        words = "".join(f"_{each.lower()}" if each.isupper() else each for each in event.__name__)
        assert kind == words.removeprefix("_")
