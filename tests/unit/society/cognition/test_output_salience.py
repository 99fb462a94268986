"""Tests of the salience of modules' outputs and of the threshold that an output must pass."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_society.cognition.output_salience import OUTPUTS, Output, Salience, Thresholds, recency, select
from nemuri_society.cognition.situation_detection import Situation

CALM = Situation(
    hurt=False,
    anomalies=0,
    near=(),
    talking=False,
    addressed=False,
    working=False,
    still=False,
)
axes = st.floats(0, 1)
outputs = st.sampled_from(sorted(OUTPUTS))


def test_the_score_is_the_weighted_geometric_mean_of_the_document() -> None:
    """The score is the weighted geometric mean of the three factors, with the weights 0.4, 0.35 and 0.25 (document 002
    §1.4).
    """
    assert Salience("planning", 0.5, 0.8, 0.2).composite == pytest.approx(0.5**0.4 * 0.8**0.35 * 0.2**0.25)
    assert Salience("planning", 1.0, 1.0, 1.0).composite == 1.0


def test_a_factor_of_0_counts_as_one_hundredth() -> None:
    """A factor of 0 counts as 0.01, so that the score is above 0."""
    assert Salience("planning", 0.0, 1.0, 1.0).composite == pytest.approx(0.01**0.4)
    assert Salience("planning", 0.0, 0.0, 0.0).composite == pytest.approx(0.01)


@given(st.tuples(axes, axes, axes), st.tuples(axes, axes, axes))
def test_the_score_is_monotonic_in_each_factor(
    one: tuple[float, float, float], other: tuple[float, float, float]
) -> None:
    """A higher factor never lowers the score."""
    low, high = ([pick(pair) for pair in zip(one, other, strict=True)] for pick in (min, max))
    assert Salience("planning", *low).composite <= Salience("planning", *high).composite + 1e-12


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_newer_outputs_are_at_least_as_recent(first: float, second: float) -> None:
    """The recency of an output never rises with its age."""
    assert recency(min(first, second)) >= recency(max(first, second))


@given(st.booleans(), st.integers(0, 3), st.booleans(), st.integers(0, 9))
def test_emergency_takes_precedence_over_overload_and_overload_over_idleness(
    hurt: bool, anomalies: int, still: bool, updated: int
) -> None:
    """The situation sets the threshold. An emergency takes precedence over overload, and overload over idleness."""
    least = Thresholds().of(replace(CALM, hurt=hurt, anomalies=anomalies, still=still), updated)
    if hurt or anomalies:
        assert least == 0.1
    elif updated >= 5:
        assert least == 0.5
    else:
        assert least == (0.6 if still else 0.3)


@given(st.lists(st.tuples(outputs, axes, axes, axes), max_size=9), st.dictionaries(outputs, axes), axes)
def test_each_output_passes_or_is_kept(
    drawn: list[tuple[Output, float, float, float]], kept: dict[Output, float], least: float
) -> None:
    """Each output passes or its salience is kept for the next run. No salience is above 1."""
    scores = [Salience(*each) for each in drawn]
    found = select(scores, kept, least)
    assert found.passed.keys() | found.kept.keys() == {each.output for each in scores}
    assert all(least <= score <= 1 for score in found.passed.values())
    assert all(score < least for score in found.kept.values())
    assert [*found.passed.values()] == sorted(found.passed.values(), reverse=True)


@given(axes, axes, axes, st.sampled_from([0.1, 0.3, 0.5, 0.6]))
def test_salience_below_the_threshold_accumulates_until_it_passes(
    urgency: float, relevance: float, fresh: float, least: float
) -> None:
    """Salience below the threshold adds up over runs until the output passes, after about threshold / score runs."""
    score = Salience("planning", urgency, relevance, fresh)
    kept: dict[Output, float] = {}
    for _ in range(1, 62):
        found = select([score], kept, least)
        if found.passed:
            break
        assert found.kept["planning"] > kept.get("planning", 0.0)
        kept = dict(found.kept)
    assert found.passed
