"""When exercises come again."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.education import Repeating
from nemuri_domain.education.spaced_repetition import INTERVALS, Again, again, interval

NOW = datetime(2026, 1, 1, 8, tzinfo=UTC)
ANSWERS = st.lists(st.booleans(), max_size=12)


def studied(repeating: Repeating, answers: Sequence[bool], *, late: timedelta = timedelta()) -> tuple[timedelta, Again]:
    """The last interval after answers, each given when it was due or so much later."""
    at, found, card = NOW, Again(None), None
    for number in range(len(answers)):
        found = again(repeating, answers[: number + 1], card, at)
        card = found.card
        last, at = at, (found.due_at or at) + late
    return (found.due_at or NOW) - last, found


def test_right_answers_go_through_the_intervals_and_stay_at_the_longest() -> None:
    """1, 3, 7, 14 and 30 days, and 30 again."""
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
def test_a_wrong_answer_goes_one_interval_back(answers: list[bool], days: int) -> None:
    """Never below the shortest one, and a right one after that begins with it again."""
    assert interval(answers).days == days


@given(ANSWERS)
def test_fixed_intervals_grow_by_right_answers_only(answers: list[bool]) -> None:
    """A wrong answer never lengthens the interval and a right one never shortens it."""
    now = interval(answers) if answers else INTERVALS[0]
    assert interval([*answers, False]) <= now <= interval([*answers, True])


@given(ANSWERS, st.integers(min_value=0, max_value=12))
def test_a_wrong_answer_more_never_lengthens_the_interval(answers: list[bool], place: int) -> None:
    """Wherever it was given: nobody gets ahead by being wrong."""
    assert interval([*answers[:place], False, *answers[place:]]) <= interval(answers)


@given(ANSWERS.filter(bool), st.integers(min_value=0, max_value=400))
def test_fsrs_intervals_grow_by_right_answers_only(answers: list[bool], late: int) -> None:
    """The same by FSRS, however late the answers come; and the same answers give the same times."""
    delay = timedelta(days=late)
    now, _ = studied("fsrs", answers, late=delay)
    assert studied("fsrs", [*answers, False], late=delay)[0] <= now <= studied("fsrs", [*answers, True], late=delay)[0]
    assert studied("fsrs", answers, late=delay)[0] == now >= timedelta(days=1)


def test_a_card_survives_the_log() -> None:
    """What FSRS knows is JSON, and goes on from there."""
    _, found = studied("fsrs", [True, True])
    known: dict[str, Any] = dict(found.card or {})
    assert all(isinstance(each, str | int | float | None) for each in known.values())
    following = again("fsrs", [True, True, True], known, found.due_at or NOW)
    assert following.due_at is not None
    assert following.due_at - (found.due_at or NOW) > timedelta(days=2)


def test_without_repetition_nothing_comes_again() -> None:
    """Once is enough, if so wished."""
    assert again("none", [True], None, NOW) == Again(None)
