"""Tests of the health of a memory: measures are compared with normal ranges, and parameters are advised (document 003
§6).
"""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.health_views import Finding
from nemuri_domain.strength.health_diagnosis import HealthCounts, diagnose, proposals
from nemuri_domain.strength.parameter_steps import FLOOR, MOST_USES, ROOM, STEP, step_parameter, step_thresholds
from nemuri_domain.strength.policy import Policy

WELL = HealthCounts(
    days=30,
    slept=300,
    active=(40, 30, 15, 15, 0, 0),
    archived=20,
    usage_ratio=0.2,
    candidates=80,
    never_used=0,
    tasks=100,
    hits=80,
    full=90,
    full_use=0.2,
    week=70,
)
RULES = Policy(fading="tasks")


def finding(measure: str, rules: Policy = RULES, **changes: Any) -> Finding:
    """Return the finding about one measure of an agent that is healthy except for these changes."""
    found = diagnose(replace(WELL, **changes), rules)
    return next(each for each in found if each.measure == measure)


def test_a_healthy_agent_gets_no_advice() -> None:
    """A healthy agent has a normal finding for every measure, and gets no advice."""
    found = diagnose(WELL, RULES)

    assert {each.verdict for each in found} == {"normal"}
    assert len({each.measure for each in found}) == len(found) == 9
    assert proposals(found) == {}


def test_under_decay_by_the_clock_many_tasks_are_normal() -> None:
    """If decay follows the clock, more tasks than expected are normal. Fewer tasks still cause too little decay."""
    tied = Policy(fading="clock")
    assert finding("tasks_per_day", tied, week=1_400).verdict == "normal"
    assert finding("tasks_per_day", tied, week=35).verdict == "low"


@pytest.mark.parametrize(
    ("measure", "changes", "verdict", "parameter", "direction"),
    [
        ("archive_rate", {"archived": 60}, "high", "archive_threshold", "lower"),
        ("archive_rate", {"archived": 5}, "low", "archive_threshold", "raise"),
        ("hit_rate", {"hits": 60}, "low", "relevance_floor", "lower"),
        ("hit_rate", {"hits": 95}, "high", "relevance_floor", "raise"),
        ("usage_ratio", {"usage_ratio": 0.05}, "low", "relevance_floor", "raise"),
        ("usage_ratio", {"usage_ratio": 0.4}, "high", "top_k_results", "raise"),
        ("context", {"full_use": 0.05}, "low", "top_k_results", "lower"),
        ("context", {"full_use": 0.6}, "high", "top_k_results", "raise"),
        ("never_used", {"never_used": 3}, "high", "relevance_floor", "raise"),
        ("number", {"active": (4_600, 0, 0, 0, 0, 0)}, "high", "max_active_memories", "raise"),
        ("weight", {"active": (0, 0, 0, 0, 0, 290)}, "high", "max_total_weight", "raise"),
        ("tasks_per_day", {"week": 140}, "high", "expected_tasks_per_day", "raise"),
        ("tasks_per_day", {"week": 35}, "low", "expected_tasks_per_day", "lower"),
    ],
)
def test_each_finding_names_its_parameter_and_direction(
    measure: str, changes: dict[str, Any], verdict: str, parameter: str, direction: str
) -> None:
    """Each finding names its parameter and the direction of change.

    The table of document 003 §6.2, with the additions of `docs/coverage.md`, is checked row by row in both directions.
    """
    found = finding(measure, **changes)

    assert found.verdict == verdict
    assert found.advice is not None
    assert (found.advice.parameter, found.advice.direction) == (parameter, direction)
    present = getattr(RULES, parameter)
    assert found.advice.present == present
    assert (float(str(found.advice.proposed)) > present) == (direction == "raise")
    assert found.note


@pytest.mark.parametrize(
    ("active", "direction", "proposed"),
    [
        ((95, 5, 0, 0, 0, 0), "lower", [0, 4, 12, 24, 48, 80]),
        ((0, 0, 50, 50, 0, 0), "raise", [0, 6, 19, 38, 75, 125]),
    ],
)
def test_the_mean_level_changes_the_thresholds(active: Any, direction: str, proposed: list[int]) -> None:
    """A low mean level proposes lower thresholds, and a high one higher thresholds, because levels depend on uses
    alone. The same memories then have another mean level.
    """
    advice = finding("mean_level", active=active).advice

    assert advice is not None
    assert (advice.parameter, advice.direction, advice.proposed) == ("consolidation_thresholds", direction, proposed)
    after = Policy.model_validate({"consolidation_thresholds": advice.proposed})
    before, now = (sum(rules.level(uses) for uses in range(101)) for rules in (RULES, after))
    assert (now > before) == (direction == "lower")


@for_any(st.lists(st.integers(1, 2_000), min_size=5, max_size=5, unique=True), st.sampled_from(("raise", "lower")))
def test_stepped_thresholds_are_valid(uses: list[int], direction: Any) -> None:
    """Thresholds after a step are a valid policy, move in the advised direction only, and stop at their bounds."""
    present = (0, *sorted(uses))

    proposed = step_thresholds(present, direction)

    assert Policy.model_validate({"consolidation_thresholds": proposed}).consolidation_thresholds == proposed
    for before, after in zip(present, proposed, strict=True):
        assert after >= before if direction == "raise" else after <= before
    if proposed == present:
        assert present[-1] * STEP > MOST_USES if direction == "raise" else present == (0, 1, 2, 3, 4, 5)


def test_the_tasks_of_the_last_week_set_the_expected_tasks() -> None:
    """The number of expected tasks is advised from the last week: 140 tasks in it are 20 a day (document 003 §6.3)."""
    advice = finding("tasks_per_day", week=140).advice

    assert advice is not None
    assert advice.proposed == 20


@pytest.mark.parametrize(
    ("measure", "changes"),
    [
        ("archive_rate", {"days": 5, "archived": 60}),
        ("archive_rate", {"active": (3, 0, 0, 0, 0, 0), "archived": 3}),
        ("mean_level", {"slept": 3, "active": (95, 5, 0, 0, 0, 0)}),
        ("usage_ratio", {"usage_ratio": 0.0, "candidates": 2}),
        ("usage_ratio", {"usage_ratio": None, "candidates": 0}),
        ("hit_rate", {"tasks": 3, "hits": 0, "full": 0, "full_use": None}),
        ("context", {"tasks": 3, "hits": 3, "full": 3, "full_use": 0.0}),
        ("tasks_per_day", {"days": 3, "week": 140}),
        ("tasks_per_day", {"week": 0}),
    ],
)
def test_too_little_data_gives_no_advice(measure: str, changes: dict[str, Any]) -> None:
    """If there is too little data, the finding says that it is too early, and gives no advice."""
    found = finding(measure, **changes)

    assert (found.verdict, found.advice) == ("early", None)
    assert found.note


def test_a_short_life_is_extrapolated_to_a_month() -> None:
    """Measures of a month are extrapolated from a shorter life: a tenth archived in 15 days counts as a fifth in 30
    days.
    """
    assert finding("archive_rate", days=15, active=(90, 0, 0, 0, 0, 0), archived=10).value == pytest.approx(0.2)
    assert finding("archive_rate", days=300, active=(90, 0, 0, 0, 0, 0), archived=10).value == pytest.approx(0.1)


def test_contexts_that_are_not_full_give_no_advice_on_their_size() -> None:
    """If contexts are not full, the number of memories does not limit them, and no advice on their size is given."""
    found = finding("context", full=50, full_use=0.9)
    assert (found.verdict, found.value, found.advice) == ("normal", None, None)


def test_a_limit_that_is_switched_off_gives_no_advice() -> None:
    """If a capacity limit is switched off, any number of memories is normal."""
    rules = Policy(max_active_memories=None, max_total_weight=None)

    assert finding("number", rules, active=(90_000, 0, 0, 0, 0, 0)).verdict == "normal"
    assert finding("weight", rules, active=(90_000, 0, 0, 0, 0, 0)).verdict == "normal"


def test_a_parameter_with_contradicting_findings_is_not_changed() -> None:
    """A parameter is not changed if two findings advise opposite directions.

    Here few of the retrieved memories are used in general, but nearly all in full contexts.
    """
    found = diagnose(replace(WELL, usage_ratio=0.4, full_use=0.05), RULES)

    assert {each.advice.direction for each in found if each.advice} == {"raise", "lower"}
    assert proposals(found) == {}


@pytest.mark.parametrize(("hits", "factor"), [(60, 0.8), (95, 1.25)])
def test_the_hit_rate_changes_the_relevance_floor(hits: int, factor: float) -> None:
    """A low hit rate proposes a lower relevance floor, and a high one a higher floor."""
    found = finding("hit_rate", hits=hits)

    assert proposals([found]) == {"relevance_floor": pytest.approx(factor * RULES.relevance_floor, abs=0.001)}


def test_a_floor_of_0_is_raised_to_its_minimum_step() -> None:
    """A floor of 0 is raised to a fixed minimum, because a relative step of 0 would change nothing."""
    found = finding("hit_rate", Policy(relevance_floor=0.0), hits=95)

    assert proposals([found]) == {"relevance_floor": FLOOR[0]}


TURNED = (
    "archive_threshold",
    "relevance_floor",
    "top_k_results",
    "max_active_memories",
    "max_total_weight",
)


@for_any(st.sampled_from(TURNED), st.sampled_from(("raise", "lower")), st.floats(1e-6, 1e6))
def test_a_step_is_bounded_and_has_the_advised_direction(parameter: str, direction: Any, start: float) -> None:
    """A proposal changes its parameter by one step at most, in the advised direction, and gives a valid policy."""
    present = max(1, min(200, round(start))) if parameter.endswith(("results", "memories")) else start
    present = min(present, 1.0) if parameter == "relevance_floor" else present

    proposed = step_parameter(parameter, present, direction)

    factor = ROOM if parameter.startswith("max_") else STEP
    if direction == "raise":
        assert present <= proposed <= present * factor * 1.01 + 1
    else:
        assert present / factor * 0.99 - 1 <= proposed <= present
    if parameter != "max_active_memories" or proposed >= 1:
        assert getattr(Policy.model_validate({parameter: proposed}), parameter) == proposed
