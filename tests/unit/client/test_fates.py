"""What became of feedback, as people are told it."""

from typing import Any
from uuid import UUID

import pytest

from nemuri.cli.result_lines import fate
from nemuri_contracts.task_views import FeedbackStanding

A, B = UUID(int=1), UUID(int=2)


def told(**fields: Any) -> FeedbackStanding:
    """What became of some feedback."""
    return FeedbackStanding(feedback_id=UUID(int=9), **fields)


@pytest.mark.parametrize(
    ("standing", "line"),
    [
        (told(standing="applied", memories=(A,)), "credited to 1 memory"),
        (told(standing="applied", memories=(A, B)), "credited to 2 memories"),
        (told(standing="applied", memories=(A,), reason="not used"), "credited to 1 memory; refused: not used"),
        (told(standing="applied"), "noted; the answer used no memory"),
        (told(standing="refused", reason="the task failed"), "refused: the task failed"),
        (told(standing="new"), "noted; not yet decided"),
    ],
)
def test_every_part_of_feedback_is_told_in_one_line(standing: FeedbackStanding, line: str) -> None:
    """What was credited, and beside it what was refused."""
    assert fate(standing) == line


def test_feedback_is_decided_once_each_part_of_it_is() -> None:
    """A verdict may be credited a moment before the prevented error is, or is refused."""
    assert not told(standing="new", verdict="helpful").decided
    half = told(standing="applied", verdict="helpful", prevented_error=B, memories=(A,))
    assert not half.decided
    assert half.model_copy(update={"reason": "not used"}).decided
    assert half.model_copy(update={"memories": (A, B)}).decided
    assert told(standing="parked", reason="the task does not exist yet").decided
