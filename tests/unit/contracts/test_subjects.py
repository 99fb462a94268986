"""Tests of the subjects on the bus."""

import re
from typing import get_args
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.client_events import MemoryOffered, TaskSubmitted
from nemuri_contracts.codec import EVENTS
from nemuri_contracts.event import ClientEvent
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_contracts.subjects import PARTITIONS, Subjects, virtual_partition
from nemuri_contracts.tasks import TaskAssigned
from nemuri_domain.tasks.fold import LifeEvent
from tests.contracts.examples import EXAMPLES

SUBJECTS = Subjects("zzz")


def test_every_kind_has_its_subject(subtests: pytest.Subtests) -> None:
    """Each event's subject is on the log's stream, has no wildcard, and matches the filter of its kind."""
    for kind, event in EXAMPLES.items():
        with subtests.test(kind):
            subject = SUBJECTS.of(event)

            family = {"client": 5, "task": 4, "agent": 6, "operator": 3}
            assert subject.split(".")[1] == event.stream
            assert subject.split(".")[-1] == event.kind
            assert len(subject.split(".")) == family[event.stream]
            assert not re.search(r"[\s*>\x00]", subject)
            assert [each for each in SUBJECTS.of_kind(type(event)) if _matches(each, subject)]
            assert [each for each in SUBJECTS.everything if _matches(each, subject)]


def test_no_filter_of_a_kind_matches_another_kind() -> None:
    """The filter of a kind matches no subject of another kind."""
    for kind in EVENTS.values():
        heard = {
            event.kind
            for event in EXAMPLES.values()
            if any(_matches(each, SUBJECTS.of(event)) for each in SUBJECTS.of_kind(kind))
        }
        assert heard == {kind.kind_of()}


def test_subjects_never_change() -> None:
    """Subjects stay the same in all releases. A partition is the crc32 of the agent modulo 256."""
    task = UUID(int=1)
    assigned = TaskAssigned(event_id=task, correlation_id=task, agent_id="buyer", part=0, perspective=None, attempt=1)
    ended = SessionEnded(event_id=task, agent_id="buyer", assignment_id=task)
    submitted = TaskSubmitted(event_id=task, client_id="ann", text="?")

    worked = ended.model_copy(update={"correlation_id": task})

    assert SUBJECTS.of(assigned) == f"zzz.task.{task}.task_assigned"
    assert SUBJECTS.of(ended) == "zzz.agent.-.179.buyer.session_ended"
    assert SUBJECTS.of(worked) == f"zzz.agent.{task}.179.buyer.session_ended"
    assert SUBJECTS.of_agent("buyer", SessionEnded) == "zzz.agent.*.179.buyer.session_ended"
    assert SUBJECTS.of_agent("buyer", AgentSlept) == "zzz.agent.-.179.buyer.agent_slept"
    assert SUBJECTS.of(submitted) == f"zzz.client.{task}.ann.task_submitted"
    assert SUBJECTS.of_client("ann", MemoryOffered) == "zzz.client.-.ann.memory_offered"


def test_the_history_of_a_task_is_what_changes_its_state(subtests: pytest.Subtests) -> None:
    """The filter of a task's history matches exactly the events of the task that its state is folded from."""
    folded = frozenset(get_args(LifeEvent))
    for kind, event in EXAMPLES.items():
        with subtests.test(kind):
            mine = type(event) in folded and event.thread is not None

            assert event.in_history == mine
            assert _matches(SUBJECTS.history(event.thread or UUID(int=7)), SUBJECTS.of(event)) == mine
            assert not _matches(SUBJECTS.history(UUID(int=7)), SUBJECTS.of(event))


def test_the_client_is_read_from_its_own_subjects_only() -> None:
    """The client is read only from subjects of clients. An agent that has the name of a client is not read as that
    client.
    """
    for event in EXAMPLES.values():
        client = SUBJECTS.client_of(SUBJECTS.of(event))
        assert client == (event.client_id if isinstance(event, ClientEvent) else None)


@given(st.text())
def test_every_key_has_a_partition(key: str) -> None:
    """Every key has a partition from 0 to 255, which is the same each time."""
    assert 0 <= virtual_partition(key) < PARTITIONS
    assert virtual_partition(key) == virtual_partition(key)


def test_an_agents_own_subjects_are_one_sub_stream() -> None:
    """The filter of an agent matches all subjects of that agent and of no other, and the agent's name can be read from
    each.
    """
    mine = SUBJECTS.of_agent("python", AgentSlept)
    assert _matches(SUBJECTS.agent_events("python"), mine)
    assert not _matches(SUBJECTS.agent_events("python"), SUBJECTS.of_agent("python2", AgentSlept))
    assert SUBJECTS.agent_of(mine) == "python"
    assert SUBJECTS.agent_of(f"{SUBJECTS.namespace}.client.-.ann.task_submitted") is None


def test_no_subject_outside_the_log_matches_its_stream() -> None:
    """The log's stream does not record dead letters, queries and notifications, because no filter matches their
    subjects.
    """
    for subject in (SUBJECTS.dead("intake"), SUBJECTS.query("task"), SUBJECTS.projected):
        assert not any(_matches(each, subject) for each in SUBJECTS.everything)


def _matches(pattern: str, subject: str) -> bool:
    """Return True if a subject matches a filter by the server's rules: `*` is one token, and `>` at the end is the
    rest.
    """
    tokens, found = pattern.split("."), subject.split(".")
    if tokens[-1] == ">":
        tokens, found = tokens[:-1], found[: len(tokens) - 1] if len(found) >= len(tokens) else []
    return len(tokens) == len(found) and all(a in {"*", b} for a, b in zip(tokens, found, strict=True))
