"""Tests of the times at which exercises are repeated."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.education import Repeating
from nemuri_domain.education.spaced_repetition import INTERVALS, NextRepetition, interval, next_repetition

NOW = datetime(2026, 1, 1, 8, tzinfo=UTC)
ANSWERS = st.lists(st.booleans(), max_size=12)


def studied(
    repeating: Repeating, answers: Sequence[bool], *, late: timedelta = timedelta()
) -> tuple[timedelta, NextRepetition]:
    """Return the last interval and state after these answers, each given `late` after it was due."""
    at, found, card = NOW, NextRepetition(None), None
    for number in range(len(answers)):
        found = next_repetition(repeating, answers[: number + 1], card, at)
        card = found.card
        last, at = at, (found.due_at or at) + late
    return (found.due_at or NOW) - last, found


def test_right_answers_lengthen_the_interval_up_to_30_days() -> None:
    """Right answers lengthen the interval to 1, 3, 7, 14 and 30 days. It then stays at 30."""
    days = [interval([True] * count).days for count in range(1, 8)]
    assert days == [1, 3, 7, 14, 30, 30, 30]


@pytest.mark.parametrize(
    ("answers", "days"),
    [
        ([False], 1),
        ([True, True, False], 1),
        ([True, True, True, False], 3),
        ([False, True], 1),
        ([True, False, True], 1),
        ([False, False, True, True], 3),
    ],
)
def test_a_wrong_answer_goes_back_one_interval(answers: list[bool], days: int) -> None:
    """A wrong answer goes back one interval, at most to the shortest one. The next right answer then gives the shortest
    one again.
    """
    assert interval(answers).days == days


@given(ANSWERS)
def test_fixed_intervals_grow_by_right_answers_only(answers: list[bool]) -> None:
    """A wrong answer never lengthens the interval, and a right one never shortens it."""
    now = interval(answers) if answers else INTERVALS[0]
    assert interval([*answers, False]) <= now <= interval([*answers, True])


@given(ANSWERS, st.integers(min_value=0, max_value=12))
def test_an_additional_wrong_answer_never_lengthens_the_interval(answers: list[bool], place: int) -> None:
    """One more wrong answer, at any place among the answers, never lengthens the last interval."""
    assert interval([*answers[:place], False, *answers[place:]]) <= interval(answers)


@given(ANSWERS.filter(bool), st.integers(min_value=0, max_value=400))
def test_fsrs_intervals_grow_by_right_answers_only(answers: list[bool], late: int) -> None:
    """Under FSRS a wrong answer never lengthens the interval and a right one never shortens it, also if answers are
    late.

    Equal answers give equal times.
    """
    delay = timedelta(days=late)
    now, _ = studied("fsrs", answers, late=delay)
    assert studied("fsrs", [*answers, False], late=delay)[0] <= now <= studied("fsrs", [*answers, True], late=delay)[0]
    assert studied("fsrs", answers, late=delay)[0] == now >= timedelta(days=1)


def test_the_state_of_fsrs_survives_serialisation() -> None:
    """The state of FSRS is JSON, and scheduling continues from it after a round trip."""
    _, found = studied("fsrs", [True, True])
    known: dict[str, Any] = dict(found.card or {})
    assert all(isinstance(each, str | int | float | None) for each in known.values())
    following = next_repetition("fsrs", [True, True, True], known, found.due_at or NOW)
    assert following.due_at is not None
    assert following.due_at - (found.due_at or NOW) > timedelta(days=2)


def test_without_repetition_an_exercise_is_set_once() -> None:
    """Without repetition an exercise is set once, and its next interval is None."""
    assert next_repetition("none", [True], None, NOW) == NextRepetition(None)
