"""Tests of the subject filters that find the events of an erasure."""

from uuid import UUID

import pytest

from nemuri_contracts.erasure import Erasure
from nemuri_contracts.event import Event
from nemuri_contracts.subjects import Subjects
from nemuri_domain.event_sourcing.erasure import Erased
from nemuri_infra.stores.deletion import subjects_of
from tests.contracts.examples import EXAMPLES

SUBJECTS = Subjects("nemuri")


def matches(pattern: str, subject: str) -> bool:
    """Return True if a subject matches a filter."""
    wanted, tokens = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(tokens) >= len(wanted) and all(map(_same, wanted[:-1], tokens))
    return len(tokens) == len(wanted) and all(map(_same, wanted, tokens))


def _same(wanted: str, token: str) -> bool:
    return wanted in ("*", token)


def erasures(event: Event) -> list[Erasure]:
    """Return erasures that may delete an event: of its agent, its task, its course, its memories, and of the event
    itself.
    """
    agent, course = str(event.agent_id), vars(event).get("course_id")
    mine = (agent,) if event.stream == "agent" else ()
    found = [Erasure(agents=(agent,)), Erasure(tasks=(event.thread,) if event.thread else (), restated=mine)]
    if event.kind.endswith("_offered"):
        found.append(Erasure(events=(event.event_id,)))
    if event.stream == "agent":
        ids = {event.event_id, vars(event).get("memory_id"), *vars(event).get("sources", ())} - {None}
        found.append(Erasure(memories={agent: tuple(ids)}))
        found.append(Erasure(events=(course,) if course else (), restated=mine))
    return found


def test_the_filters_of_an_erasure_match_its_events(subtests: pytest.Subtests) -> None:
    """Every event that an erasure deletes is matched by one of its filters."""
    for kind, event in EXAMPLES.items():
        with subtests.test(kind):
            gone = [erasure for erasure in erasures(event) if Erased.of_erasure(erasure).deletes(event)]
            for whole in gone:
                patterns = [pattern for group in subjects_of(SUBJECTS, whole) for pattern in group]
                assert any(matches(each, SUBJECTS.of(event)) for each in patterns), whole


def test_many_tasks_are_read_with_a_few_filters() -> None:
    """The histories of a few tasks are read with one filter each, and those of many tasks with the same few for all."""
    few, many = (Erasure(tasks=tuple(map(UUID, map("{:032x}".format, range(number))))) for number in (3, 3_000))
    assert len(next(iter(subjects_of(SUBJECTS, few)))) == 3
    assert "nemuri.task.>" in next(iter(subjects_of(SUBJECTS, many)))
    assert len(next(iter(subjects_of(SUBJECTS, many)))) < 10


def test_filters_of_one_read_do_not_overlap() -> None:
    """The filters of one read do not overlap. The server would refuse a consumer with overlapping filters."""
    whole = Erasure(memories={"ann": ()}, agents=("bob",), restated=("ann", "bob"))
    for group in subjects_of(SUBJECTS, whole):
        assert not [(a, b) for a in group for b in group if a != b and matches(a, b)]
