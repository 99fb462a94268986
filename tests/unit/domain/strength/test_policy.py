"""Tests of the default policy against the tables of document 003 §4."""

from math import log

import pytest
from pydantic import ValidationError

from nemuri_domain.strength.decay import INITIAL_CLOCKS, advance_by_sessions, stored_value, strength
from nemuri_domain.strength.policy import Policy

POLICY = Policy()


def test_the_rates_of_one_task_are_those_of_the_document() -> None:
    """The decay rates of one task equal those of document 003 §4.2 to four decimals."""
    assert [round(POLICY.rate(level), 4) for level in range(6)] == [0.9949, 0.997, 0.998, 0.999, 0.9995, 0.9998]


def test_the_expected_tasks_of_a_day_decay_to_the_daily_target() -> None:
    """As many tasks as expected in a day decay a strength exactly to the daily target, whatever their number is."""
    for tasks in (1, 10, 37):
        policy = Policy(expected_tasks_per_day=tasks)
        clocks = advance_by_sessions(INITIAL_CLOCKS, policy, tasks)
        assert [strength(0.0, clock) for clock in clocks] == pytest.approx(policy.daily_decay_targets)


def test_clocks_fall_by_the_rates() -> None:
    """A sleep that covers n sessions multiplies strengths by the n-th power of the rate."""
    clocks = advance_by_sessions(INITIAL_CLOCKS, POLICY, 7)

    assert [strength(stored_value(1.0, 0.0), clock) for clock in clocks] == pytest.approx(
        [POLICY.rate(level) ** 7 for level in range(6)]
    )


def test_an_unused_memory_is_archived_after_about_45_days() -> None:
    """An unused memory is archived after ln 0.1 / ln 0.95 = 44.9 days, by the formula of document 003. Its text says 20
    days.
    """
    days = log(POLICY.archive_threshold / POLICY.initial_strength) / log(POLICY.daily_decay_targets[0])

    assert round(days, 1) == 44.9
    sessions = next(n for n in range(1_000) if strength(0.0, advance_by_sessions(INITIAL_CLOCKS, POLICY, n)[0]) < 0.1)
    assert sessions / POLICY.expected_tasks_per_day == pytest.approx(days, abs=0.1)


@pytest.mark.parametrize(
    ("uses", "level"),
    [(0, 0), (4, 0), (5, 1), (14, 1), (15, 2), (29, 2), (30, 3), (59, 3), (60, 4), (99, 4), (100, 5), (10_000, 5)],
)
def test_the_level_follows_from_the_uses(uses: int, level: int) -> None:
    """The level rises at 5, 15, 30, 60 and 100 uses (document 000 §3.5)."""
    assert POLICY.level(uses) == level


def test_the_defaults_are_those_of_the_documents() -> None:
    """The defaults are those of document 003 §4.1, §4.3 and §4.4, and both capacity limits."""
    assert (POLICY.initial_strength, POLICY.initial_strength_education) == (1.0, 0.5)
    assert (POLICY.strength_increment_on_use, POLICY.perspective_strength_increment) == (0.1, 0.15)
    assert (POLICY.archive_threshold, POLICY.reactivation_strength, POLICY.reactivation_levels) == (0.1, 0.5, 2)
    assert (POLICY.impact_user_positive, POLICY.impact_task_success, POLICY.impact_prevented_error) == (2.0, 1.5, 2.0)
    assert (POLICY.impact_to_strength_ratio, POLICY.candidate_limit, POLICY.top_k_results) == (0.2, 50, 10)
    assert (POLICY.max_active_memories, POLICY.max_total_weight) == (5_000, 10_000)
    assert POLICY.consolidation_weights == (1, 2, 4, 8, 16, 32)


@pytest.mark.parametrize(
    "wrong",
    [
        {"archive_threshold": 0},
        {"daily_decay_targets": [1.1] * 6},
        {"daily_decay_targets": [0.9] * 5},
        {"consolidation_thresholds": [0, 5, 5, 30, 60, 100]},
        {"consolidation_thresholds": [1, 5, 15, 30, 60, 100]},
        {"expected_tasks_per_day": 0},
        {"expected_tasks_per_day": float("inf")},
        {"strength_increment_on_use": -0.1},
        {"unheard_of": 1},
        {"ranking": "by mood"},
    ],
)
def test_invalid_parameters_are_refused_where_they_are_given(wrong: dict[str, object]) -> None:
    """Invalid parameters are refused. In a fold, which never raises, defaults replace them."""
    with pytest.raises(ValidationError):
        Policy.model_validate(wrong)

    assert Policy.of(wrong) == POLICY
