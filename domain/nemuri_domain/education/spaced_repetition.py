"""When an exercise comes again: at fixed intervals, or as free spaced repetition (FSRS) says.

The arithmetic of the package `fsrs` is pure where its clock is given and its fuzzing is off (docs/decisions/0015).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, assert_never

from fsrs import Card, Rating, Scheduler, State
from pydantic import JsonValue

from nemuri_contracts.education import Repeating

INTERVALS: Final = tuple(timedelta(days=days) for days in (1, 3, 7, 14, 30))
"""The fixed ones; after the longest it is kept."""
_FSRS: Final = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
"""In whole days from the first answer on, because a chapter's test is the only one on its day."""


@dataclass(frozen=True, slots=True)
class Again:
    """When an exercise comes again."""

    due_at: datetime | None
    """None where it does not."""
    card: dict[str, JsonValue] | None = None
    """What FSRS knows of it afterwards."""


def again(
    repeating: Repeating, answers: Sequence[bool], card: Mapping[str, JsonValue] | None, graded_at: datetime
) -> Again:
    """When an exercise comes again after answers that were right or wrong, the newest of them last and at `graded_at`.

    `card` is what FSRS knew before the newest one. A right answer lengthens the interval, a wrong one never does.
    """
    match repeating:
        case "none":
            return Again(None)
        case "fixed":
            return Again(graded_at + interval(answers))
        case "fsrs":
            return _by_fsrs(answers, card, graded_at.astimezone(UTC))
        case _:
            assert_never(repeating)


def interval(answers: Sequence[bool]) -> timedelta:
    """The fixed interval after these answers: a right one goes one interval on, a wrong one goes one back.

    One that goes back from the shortest interval goes to before the first: the next right answer begins anew with it.
    """
    place = -1
    for correct in answers:
        place = min(place + 1, len(INTERVALS) - 1) if correct else max(place - 1, -1)
    return INTERVALS[max(place, 0)]


def _by_fsrs(answers: Sequence[bool], known: Mapping[str, Any] | None, at: datetime) -> Again:
    # An id and a due time of its own would be read from the clock.
    before = Card.from_dict(dict(known)) if known else Card(card_id=1, state=State.Learning, due=at)  # type: ignore[arg-type]
    rating = Rating.Good if answers and answers[-1] else Rating.Again
    after, _ = _FSRS.review_card(before, rating, at)
    kept: dict[str, Any] = dict(after.to_dict())
    return Again(after.due, kept)
