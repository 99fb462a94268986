"""Which memories an answer drew on, what is learned from it, and what feedback is worth."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest

from nemuri.contracts.clients import FeedbackGiven
from nemuri.contracts.event import derive
from nemuri.contracts.memories import ImpactCredited, SessionEnded
from nemuri.domain.memory.policy import Policy
from nemuri.domain.memory.usage import Shown, credit, uses
from nemuri.domain.tasks.state import Assignment, Feedback

A, B, C, D = (UUID(int=number) for number in range(1, 5))
TASK, WORK = UUID(int=100), UUID(int=200)


def test_citations_come_before_tags_and_tags_before_similarity() -> None:
    """The first kind of evidence that there is decides alone."""
    shown = [Shown(A, ("steel",), 0.1), Shown(B, ("delay",), 0.2), Shown(C, (), 0.9)]

    assert _used("steel is late", [C, C], shown) == {C: "citation"}
    assert _used("steel is late", [], shown) == {A: "tag"}
    assert _used("all is well", [], shown) == {C: "similarity"}
    assert _used("all is well", [], shown[:2]) == {}


def test_only_what_was_in_the_context_can_have_been_used() -> None:
    """A citation of something else is no evidence, and no use."""
    assert _used("steel", [D], [Shown(A, ("steel",), 0.0), Shown(B, (), 0.0)]) == {A: "tag"}
    assert _used("steel", [D], []) == {}


def test_citations_that_are_complete_are_the_last_word() -> None:
    """Then an answer that cites nothing has drawn on nothing."""
    shown = [Shown(A, ("steel",), 0.9)]

    assert uses("steel", [], shown, threshold=0.3, complete=True) == ()
    assert [each.memory_id for each in uses("-", [A], shown, threshold=0.3, complete=True)] == [A]


def test_a_tag_counts_as_a_whole_term_only() -> None:
    """`art` is not in `start`, nor 京都 in 東京都."""
    shown = [Shown(A, ("art",), 0.0), Shown(B, ("rent",), 0.0), Shown(C, ("C++",), 0.0)]

    assert _used("start with the current parts", [], shown) == {}
    assert _used("The ART of it", [], shown) == {A: "tag"}
    assert _used("written in C++, of course", [], shown) == {C: "tag"}


def test_a_tag_that_most_memories_share_proves_nothing() -> None:
    """Half of them may share it; of a single memory it is evidence."""
    shared = [Shown(each, ("steel",), 0.0) for each in (A, B, C)]

    assert _used("steel", [], [*shared, Shown(D, ("delay",), 0.0)]) == {}
    assert _used("steel", [], [*shared[:2], Shown(C, (), 0.0), Shown(D, (), 0.0)]) == {A: "tag", B: "tag"}
    assert _used("steel", [], [Shown(A, ("steel", "steel"), 0.0)]) == {A: "tag"}


def test_the_embedder_says_how_similar_is_used() -> None:
    """The threshold itself counts."""
    shown = [Shown(A, (), 0.30), Shown(B, (), 0.29)]

    assert _used("", [], shown) == {A: "similarity"}


@pytest.mark.parametrize(
    ("said", "worth"),
    [
        ({"verdict": "helpful"}, [("helpful", 2.0, (A, B))]),
        ({"verdict": "unhelpful"}, [("unhelpful", 0.0, (A, B))]),
        ({"verdict": "helpful", "result": "success"}, [("helpful", 2.0, (A, B)), ("success", 1.5, (A, B))]),
        ({"verdict": "unhelpful", "result": "failure"}, [("unhelpful", 0.0, (A, B)), ("failure", 0.0, (A, B))]),
        ({"verdict": "helpful", "prevented_error": B}, [("helpful", 2.0, (A, B)), ("prevented_error", 2.0, (B,))]),
        ({"verdict": "helpful", "prevented_error": C}, [("helpful", 2.0, (A, B))]),
    ],
)
def test_feedback_is_worth_what_the_document_says(said: dict[str, Any], worth: list[object]) -> None:
    """Document 003 §4.4; success is said, never assumed; an error is prevented by a memory that was used."""
    worths = _credited(said)

    assert [(each.reason, each.points, each.memory_ids) for each in worths] == worth
    assert {(each.agent_id, each.assignment_id, each.task_id) for each in worths} == {("clerk", WORK, TASK)}


def test_the_same_feedback_said_twice_counts_once() -> None:
    """Another event of the same words leads to the same ids; each part of it has an id of its own."""
    first = _credited({"verdict": "helpful", "result": "success", "prevented_error": A})
    second = _credited({"verdict": "helpful", "result": "success", "prevented_error": A}, number=2)
    other = _credited({"verdict": "unhelpful", "prevented_error": B}, number=3)

    assert [each.event_id for each in first] == [each.event_id for each in second]
    assert len({each.event_id for each in (*first, *other)}) == 5


def test_both_sides_of_the_join_credit_the_same() -> None:
    """Feedback before the answer is credited at the end of the session, by the same ids."""
    feedback = _feedback({"verdict": "helpful"})
    ended = SessionEnded(event_id=derive(1, "e"), agent_id="clerk", correlation_id=TASK, assignment_id=WORK, sequence=1)

    late = credit(feedback, _assignment((A,)), Policy(), ended)

    assert [each.event_id for each in late] == [each.event_id for each in _credited({"verdict": "helpful"})]


def test_nothing_is_credited_before_it_is_known_what_was_used() -> None:
    """An answer that used nothing is credited to nothing."""
    assert _credited({"verdict": "helpful"}, used=None) == ()
    assert [each.memory_ids for each in _credited({"verdict": "helpful", "prevented_error": A}, used=())] == [()]


def _used(answer: str, citations: list[UUID], shown: list[Shown]) -> dict[UUID, str]:
    return {each.memory_id: each.method for each in uses(answer, citations, shown, threshold=0.3)}


def _credited(
    said: dict[str, Any], *, number: int = 1, used: tuple[UUID, ...] | None = (A, B)
) -> tuple[ImpactCredited, ...]:
    given = FeedbackGiven(event_id=derive("feedback", "given", number), correlation_id=TASK, **said)
    return credit(_feedback(said, number=number), _assignment(used), Policy(), given)


def _feedback(said: dict[str, Any], *, number: int = 1) -> Feedback:
    unsaid = {"result": None, "prevented_error": None}
    return Feedback.model_validate(
        {"feedback_id": derive("feedback", "given", number), "task_id": TASK} | unsaid | said
    )


def _assignment(used: tuple[UUID, ...] | None) -> Assignment:
    return Assignment(
        assignment_id=WORK, task_id=TASK, agent_id="clerk", part=0, perspective=None, attempt=1,
        assigned_at=datetime(2026, 1, 1, tzinfo=UTC), used=used,
    )  # fmt: skip
