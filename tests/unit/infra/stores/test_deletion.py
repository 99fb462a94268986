"""Where something of an erasure can be: nothing that goes lies anywhere else."""

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
    """Return whether a subject is one of those that a pattern covers."""
    wanted, tokens = pattern.split("."), subject.split(".")
    if wanted[-1] == ">":
        return len(tokens) >= len(wanted) and all(map(_same, wanted[:-1], tokens))
    return len(tokens) == len(wanted) and all(map(_same, wanted, tokens))


def _same(wanted: str, token: str) -> bool:
    return wanted in ("*", token)


def erasures(event: Event) -> list[Erasure]:
    """Return erasures that an event may go with: those of its agent, its task, itself, its course and its memories."""
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


@pytest.mark.parametrize("event", EXAMPLES.values(), ids=EXAMPLES)
def test_whatever_goes_is_looked_for_where_it_is(event: Event) -> None:
    """Cover the subject of every event that an erasure deletes."""
    gone = [each for each in erasures(event) if Erased.in_all(each).deletes(event)]
    for whole in gone:
        patterns = [pattern for group in subjects_of(SUBJECTS, whole) for pattern in group]
        assert any(matches(each, SUBJECTS.of(event)) for each in patterns), whole


def test_many_tasks_are_looked_for_in_all_partitions_at_once() -> None:
    """Read few partitions one by one, and many as a whole."""
    few, many = (Erasure(tasks=tuple(map(UUID, map("{:032x}".format, range(number))))) for number in (3, 3_000))
    assert len(next(iter(subjects_of(SUBJECTS, few)))) <= 3
    assert next(iter(subjects_of(SUBJECTS, many))) == ("nemuri.task.>",)


def test_no_two_subjects_that_are_read_together_overlap() -> None:
    """A server refuses a reader of subjects of which one covers another."""
    whole = Erasure(memories={"ann": ()}, agents=("bob",), restated=("ann", "bob"))
    for group in subjects_of(SUBJECTS, whole):
        assert not [(a, b) for a in group for b in group if a != b and matches(a, b)]
