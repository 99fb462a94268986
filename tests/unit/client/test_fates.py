"""Tests of the printed texts about the state of feedback."""

from typing import Any
from uuid import UUID

import pytest

from nemuri.cli.result_lines import feedback_line
from nemuri_contracts.task_views import FeedbackStanding

A, B = UUID(int=1), UUID(int=2)


def standing_of(**fields: Any) -> FeedbackStanding:
    """Return the state of a feedback event with these fields."""
    return FeedbackStanding(feedback_id=UUID(int=9), **fields)


@pytest.mark.parametrize(
    ("standing", "line"),
    [
        (standing_of(standing="applied", memories=(A,)), "credited to 1 memory"),
        (standing_of(standing="applied", memories=(A, B)), "credited to 2 memories"),
        (standing_of(standing="applied", memories=(A,), reason="not used"), "credited to 1 memory; refused: not used"),
        (standing_of(standing="applied"), "noted; the answer used no memory"),
        (standing_of(standing="refused", reason="the task failed"), "refused: the task failed"),
        (standing_of(standing="new"), "noted; not yet decided"),
    ],
)
def test_the_state_of_every_part_of_feedback_is_one_line(standing: FeedbackStanding, line: str) -> None:
    """One line shows the credited and the refused parts of feedback."""
    assert feedback_line(standing) == line


def test_feedback_is_decided_when_each_part_is() -> None:
    """Feedback is decided once each of its parts (verdict, prevented error) is credited or refused."""
    assert not standing_of(standing="new", verdict="helpful").decided
    half = standing_of(standing="applied", verdict="helpful", prevented_error=B, memories=(A,))
    assert not half.decided
    assert half.model_copy(update={"reason": "not used"}).decided
    assert half.model_copy(update={"memories": (A, B)}).decided
    assert standing_of(standing="parked", reason="the task does not exist yet").decided
