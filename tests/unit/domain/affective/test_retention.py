"""Tests of retention against the tables, examples and formulas of document 001."""

from datetime import UTC, datetime
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.affective import Category
from nemuri_domain.affective.nightly_job import first_age
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.turn_encoding import initial_age
from tests.unit.domain.affective.lives import living

RETENTION = AffectPolicy().retention
EVER = {"levels": {"level1_threshold": 3e-9, "level2_threshold": 2e-9, "level3_threshold": 1e-9}}
"""Thresholds so low that no retention falls below them."""


@pytest.mark.parametrize(
    ("intensity", "table"),
    [(100, (86, 64, 41, 16)), (50, (43, 32, 20, 8)), (35, (30, 22, 14, 6)), (20, (17, 13, 8, 3))],
)
def test_the_decay_simulation_is_reproduced(intensity: int, table: tuple[int, ...]) -> None:
    """With the coefficient 0.995, the retention after 30, 90, 180 and 365 nights equals document 001's table in whole
    numbers.
    """
    life = living(**EVER)
    memory = life.remember(intensity, coefficient=RETENTION.base_decay_coefficient, days=0.0)
    left = []
    for nights in (30, 60, 90, 185):
        life.night(nights)
        left.append(life.retention(memory))
    assert left == pytest.approx([intensity * 0.995**days for days in (30, 90, 180, 365)], rel=1e-9)
    assert tuple(map(round, left)) == table


def test_a_memory_of_average_intensity_lasts_about_a_year() -> None:
    """A memory with an intensity of 35 falls below the threshold of the archive after 388 days."""
    life = living()
    memory = life.remember(35, coefficient=0.995, days=0.0)
    life.night(388)
    assert not life.memory(memory).archived
    life.night()
    assert life.memory(memory).archived
    assert log(5 / 35) / log(0.995) == pytest.approx(388.2, abs=0.05)


@pytest.mark.parametrize(
    ("category", "low", "high"),
    [("casual", 0.70, 0.80), ("work", 0.85, 0.92), ("decision", 0.93, 0.97), ("emotional", 0.98, 0.999)],
)
def test_the_coefficient_rises_with_intensity_within_the_range_of_the_category(
    category: Category, low: float, high: float
) -> None:
    """A category's decay coefficient is min + (max - min) · intensity / 100."""
    assert [RETENTION.coefficient(category, each) for each in (0, 50, 100)] == pytest.approx(
        [low, (low + high) / 2, high]
    )


def test_the_example_of_casual_talk_is_reproduced() -> None:
    """The coefficients of casual talk are 0.70, 0.75 and 0.80 at intensities of 0, 50 and 100, as in the example of
    document 001.
    """
    assert [round(RETENTION.coefficient("casual", each), 10) for each in (0, 50, 100)] == [0.70, 0.75, 0.80]


@pytest.mark.parametrize(
    ("category", "shortest", "longest"),
    [("casual", 1.9, 3.1), ("work", 4.3, 8.3), ("decision", 9.6, 22.8), ("emotional", 34.3, 692.8)],
)
def test_half_lives_are_those_of_the_formula(category: Category, shortest: float, longest: float) -> None:
    """The half-life in days is ln 0.5 / ln coefficient. The prose of document 001 gives longer times than its
    numbers.
    """
    found = [log(0.5) / log(RETENTION.coefficient(category, each)) for each in (0, 100)]
    assert found == pytest.approx([shortest, longest], abs=0.05)


@pytest.mark.parametrize(
    ("ended", "days"),
    [((18, 0), 0.375), ((1, 0), 2 / 24), ((3, 0), 1.0), ((2, 59), 1 / 1440), ((3, 1), 1 - 1 / 1440), ((15, 0), 0.5)],
)
def test_the_first_day_is_fair(ended: tuple[int, int], days: float) -> None:
    """The first age is the time from the turn to the next 03:00: from 18:00 it is 0.375 days, from 01:00 0.083 days."""
    assert first_age(datetime(2026, 1, 20, *ended, tzinfo=UTC), 3) == pytest.approx(days)


@pytest.mark.parametrize(
    ("ended", "nights", "days"),
    [
        (datetime(2026, 1, 1, 18, tzinfo=UTC), 0, 0.375),
        (datetime(2026, 1, 1, 18, tzinfo=UTC), 5, 5.375),
        (datetime(2026, 1, 4, 1, tzinfo=UTC), 2, 2 / 24),
        (datetime(2026, 1, 4, 1, tzinfo=UTC), 3, 1 + 2 / 24),
        (datetime(2025, 12, 22, 18, tzinfo=UTC), 0, 10.375),
        (datetime(2026, 1, 9, 18, tzinfo=UTC), 3, 0.375),
    ],
)
def test_what_is_taken_in_late_is_as_old_as_if_it_had_been_taken_in_at_once(
    ended: datetime, nights: int, days: float
) -> None:
    """A memory that is offered late is as old as one offered at once. Nights before the agent's definition count
    too.
    """
    life = living()
    if nights:
        life.night(nights)
    assert initial_age(ended, life.agent, UTC) == pytest.approx(days)


@pytest.mark.parametrize(
    ("aging_days", "workdays", "nights"), [("workdays", 3, 3), ("workdays", 99, 10), ("all", 3, 10)]
)
def test_an_old_session_is_as_old_as_the_workdays_since(aging_days: str, workdays: int, nights: int) -> None:
    """The workdays after an old session count if memories age by workdays, and never more than the nights since."""
    ended, life = datetime(2025, 12, 22, 18, tzinfo=UTC), living(retention={"aging_days": aging_days})
    assert initial_age(ended, life.agent, UTC, workdays) == pytest.approx(nights + 0.375)


def test_the_first_night_adds_a_whole_day_to_the_first_share() -> None:
    """The first nightly job adds a whole day to the first age: 0.375 + 1.0 days."""
    life = living()
    memory = life.remember(80, "emotional", days=0.375)
    assert life.memory(memory).days(life.mind.night) == 0.375
    life.night()
    assert life.memory(memory).days(life.mind.night) == 1.375


@pytest.mark.parametrize(("days", "after"), [(10, 5.0), (3, 1.5)])
def test_a_recall_halves_the_age(days: int, after: float) -> None:
    """A recall halves the age: ten days become five, three become one and a half."""
    life = living(**EVER)
    memory = life.remember(80, days=0.0)
    life.night(days)
    before = life.memory(memory).coefficient
    life.recall(memory)
    assert life.memory(memory).days(life.mind.night) == days
    assert life.memory(memory).coefficient == before
    life.night()
    found = life.memory(memory)
    assert found.days(life.mind.night) == after
    assert found.coefficient == pytest.approx(before + 0.02)
    assert (found.recall_count, found.recalled) == (1, False)


def test_several_recalls_before_a_night_are_one() -> None:
    """Several recalls before a nightly job have the effect of one."""
    life = living()
    memory = life.remember(80, "emotional", days=0.0)
    life.night(8)
    for _ in range(3):
        life.recall(memory)
    life.night()
    assert (life.memory(memory).days(life.mind.night), life.memory(memory).recall_count) == (4.0, 1)


def test_no_recall_raises_the_coefficient_above_its_limit() -> None:
    """A recall raises the coefficient to 0.999 at most, and never lowers it."""
    life = living()
    memory, above = life.remember(100, "emotional"), life.remember(100, coefficient=0.9995)
    for _ in range(5):
        life.recall(memory, above)
        life.night()
    assert life.memory(memory).coefficient == 0.999
    assert life.memory(above).coefficient == 0.9995


def test_of_missed_nights_days_pass_and_a_recall_halves_once() -> None:
    """After five missed nights, a recalled memory that was ten days old is 10 / 2 + 4 days old, with one recall.

    A memory that was not recalled is 15 days old.
    """
    life = living(**EVER)
    recalled, other = (life.remember(80, days=0.0) for _ in range(2))
    life.night(10)
    life.recall(recalled)
    life.night(5)
    assert life.memory(recalled).days(life.mind.night) == 9.0
    assert life.memory(recalled).recall_count == 1
    assert life.memory(other).days(life.mind.night) == 15.0


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=25), st.integers(0, 100))
def test_the_closed_form_is_the_batch_of_the_document(nights: list[tuple[int, bool]], intensity: int) -> None:
    """For any nights and recalls, the retention in closed form equals the result of document 001's loop over nights."""
    life = living(**EVER)
    memory = life.remember(max(intensity, 1), "decision", days=0.375)
    days, coefficient, recalls = 0.375, life.memory(memory).coefficient, 0
    for number, recalled in nights:
        if recalled:
            life.recall(memory)
        life.night(number)
        if recalled:
            days, coefficient, recalls = days / 2, min(0.999, coefficient + 0.02), recalls + 1
        days += number - 1 if recalled else number
    found = life.memory(memory)
    assert found.days(life.mind.night) == pytest.approx(days, abs=1e-9)
    assert found.coefficient == pytest.approx(coefficient)
    assert found.recall_count == recalls
    assert life.retention(memory) == pytest.approx(max(intensity, 1) * coefficient**days, rel=1e-9)
