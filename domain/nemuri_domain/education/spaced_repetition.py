"""Spaced repetition of exercises: fixed intervals, or the FSRS algorithm (free spaced repetition scheduler).

The package `fsrs` is pure if the caller passes the time and fuzzing is off (docs/decisions/0015).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, assert_never

from fsrs import Card, Rating, Scheduler, State
from pydantic import JsonValue

from nemuri_contracts.education import Repeating

INTERVALS: Final = tuple(timedelta(days=days) for days in (1, 3, 7, 14, 30))
"""Fixed intervals between repetitions. The longest one is repeated."""
_FSRS: Final = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
"""The FSRS scheduler. It has no learning steps, so intervals are whole days from the first answer on, because a chapter
has one test per day.
"""


@dataclass(frozen=True, slots=True)
class NextRepetition:
    """The next repetition of an exercise."""

    due_at: datetime | None
    """Time of the next repetition; None if there is no further one."""
    card: dict[str, JsonValue] | None = None
    """FSRS card after the answer; None for other schedules."""


def next_repetition(
    repeating: Repeating, answers: Sequence[bool], card: Mapping[str, JsonValue] | None, graded_at: datetime
) -> NextRepetition:
    """Return the next repetition after these right (True) and wrong (False) answers, oldest first.

    `card` is the FSRS card before the newest answer, which was graded at `graded_at`. A right answer lengthens the
    interval; a wrong one never does.
    """
    match repeating:
        case "none":
            return NextRepetition(None)
        case "fixed":
            return NextRepetition(graded_at + interval(answers))
        case "fsrs":
            return _by_fsrs(answers, card, graded_at.astimezone(UTC))
        case _:
            assert_never(repeating)


def interval(answers: Sequence[bool]) -> timedelta:
    """Return the fixed interval until the next repetition after these answers, oldest first.

    The position in `INTERVALS` starts before the first interval. A right answer moves it up by one; a wrong answer
    moves it down by one, at most to the start. At the start the first interval applies too.
    """
    step = -1
    for correct in answers:
        step = min(step + 1, len(INTERVALS) - 1) if correct else max(step - 1, -1)
    return INTERVALS[max(step, 0)]


def _by_fsrs(answers: Sequence[bool], known: Mapping[str, Any] | None, at: datetime) -> NextRepetition:
    # Without an id and a due time, the constructor would read the clock.
    before = Card.from_dict(dict(known)) if known else Card(card_id=1, state=State.Learning, due=at)  # type: ignore[arg-type]
    rating = Rating.Good if answers and answers[-1] else Rating.Again
    after, _ = _FSRS.review_card(before, rating, at)
    kept: dict[str, Any] = dict(after.to_dict())
    return NextRepetition(after.due, kept)
