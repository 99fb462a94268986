"""Tests of lessons: what a client's correction or words teach the agent that answered."""

from typing import Any

import pytest
from pydantic import ValidationError

from nemuri_contracts.client_events import FeedbackGiven
from nemuri_contracts.strength import BELIEVED_LIMIT, Relation
from nemuri_domain.tasks.feedback_lessons import believed, corrected, lesson_memory, lessons, suspects
from tests.unit.domain.tasks.stories import (
    Story,
    answered,
    assigned,
    completed,
    encoded,
    ended,
    feedback,
    given,
    memory,
    routed,
    submitted,
    summarised,
    used,
    work,
)

A, B, C = memory(1), memory(2), memory(3)
DONE = given(
    submitted(),
    summarised("What is due?"),
    routed(1),
    assigned(1),
    answered(1),
    used(1, A),
    encoded(1, B),
    ended(1),
    completed(),
)


def taught(story: Story, **parts: Any) -> list[str]:
    """Return the texts that feedback with these parts teaches."""
    state = story.when(feedback(**parts)).state
    assert state.task is not None
    return [lesson_memory(state.task, each, said).content for said, each in lessons(state)]


def test_a_correction_is_remembered_with_the_words() -> None:
    """The memory says what is true. It does not repeat the wrong answer."""
    assert taught(DONE, verdict="unhelpful", correction="Steel is due in May.", words="Look at the contract.") == [
        "Steel is due in May.\nLook at the contract."
    ]


def test_a_lesson_says_what_was_believed() -> None:
    """The origin has the wrong answer on one line; of a long answer the sentence that the correction is about."""
    work, said = DONE.assignment(1), DONE.when(feedback(verdict="unhelpful", correction="Steel is due in May.")).state
    [told] = said.feedback.values()

    assert believed(work.replace(answer="Steel is\ndue in June."), told) == "Steel is due in June."
    long = f"{'Copper comes by ship. ' * 20}Steel is due in June. {'Tin is dear. ' * 20}"
    assert believed(work.replace(answer=long), told) == "Steel is due in June."
    assert len(str(believed(work.replace(answer="steel " * 100), told))) == BELIEVED_LIMIT
    assert believed(work.replace(answer=None), told) is None
    quoted = "These are quotations:\n- Iron is dear. [m1]\n- Steel is due in June. [m2]"
    assert believed(work.replace(answer=quoted), told) == "Steel is due in June."


def test_words_about_a_failure_are_remembered_with_the_question() -> None:
    """Without a correction, the lesson names the question. Words about a success teach nothing."""
    assert taught(DONE, verdict="unhelpful", words="No date.") == ["An answer to “What is due?” failed: No date."]
    assert taught(DONE, verdict=None, result="failure", words="日付がない。") == [
        "「What is due?」への回答は役に立たなかった：日付がない。"
    ]
    assert taught(DONE, verdict="helpful", words="Fine.") == []
    assert taught(DONE, verdict="unhelpful") == []


def test_only_the_tasks_client_teaches_and_only_after_the_session() -> None:
    """Feedback of a stranger teaches nothing, and neither does feedback before the session has ended."""
    working = given(submitted(), summarised(), routed(1), assigned(1), answered(1), used(1, A))
    assert taught(DONE, verdict="unhelpful", correction="No.", by="bob") == []
    assert taught(working, verdict="unhelpful", correction="No.") == []


def test_the_memories_that_led_to_the_answer_are_suspects() -> None:
    """Used and taught memories led to the answer or came from it."""
    assert suspects(DONE.assignment(1)) == (A, B)
    assert work(1) in DONE.state.assignments


def test_a_correction_contradicts_what_led_to_the_answer() -> None:
    """Memories that the comparison calls contradicted or superseded are corrected. Without any, a single used memory
    is.
    """
    assert corrected((A, B), (A,), {B: "supersedes"}) == (Relation(older=B, sort="supersedes"),)
    assert corrected((A, B), (A,), {}) == (Relation(older=A, sort="contradicts"),)
    assert corrected((A, B, C), (A, C), {}) == ()
    assert corrected((A,), (A,), {A: "same"}) == ()


@pytest.mark.parametrize(
    "parts",
    [
        {"words": "Too long."},
        {"correction": "In May."},
        {"verdict": "helpful", "correction": "In May."},
        {"result": "success", "correction": "In May."},
        {"verdict": "unhelpful", "words": ""},
    ],
)
def test_words_and_corrections_need_a_fitting_verdict(parts: dict[str, Any]) -> None:
    """Words and a correction need a verdict or a result, and a correction none that says that the answer was right."""
    fields = {"event_id": work(1), "client_id": "ann", "correlation_id": work(2)}
    with pytest.raises(ValidationError):
        FeedbackGiven(**fields, **parts)
