"""Tests of the statistics of experiments against brute force and known distributions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.experiments.statistics import auc, gain, interval, jaccard_distance, jensen_shannon, kendall, overlap


@pytest.mark.parametrize("skewed", [False, True])
def test_intervals_cover_the_true_mean_as_often_as_they_state(skewed: bool) -> None:
    """At least 90 % of the 95 % intervals, computed from 300 samples of ten values, contain the true mean."""
    draw, chance = np.random.default_rng(7), np.random.default_rng(8)
    covered = 0
    for _ in range(300):
        values = draw.exponential(1.0, 10) if skewed else draw.normal(1.0, 2.0, 10)
        found = interval(values, chance)
        covered += found.low <= 1.0 <= found.high
    assert 0.90 <= covered / 300 <= 0.99


def test_the_interval_of_equal_values_is_that_value() -> None:
    """Equal values have an interval of width 0."""
    found = interval([0.1] * 7, np.random.default_rng(1))
    assert (found.low, found.high) == (found.mean, found.mean)


def test_too_few_values_have_no_interval() -> None:
    """Two values have no interval."""
    with pytest.raises(ValueError, match="too few"):
        interval([0.1, 0.2], np.random.default_rng(1))


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_kendalls_tau_equals_the_count_of_pairs(one: list[int], other: list[int]) -> None:
    """Kendall's τ equals the number of concordant minus discordant pairs, divided by the number of pairs."""
    balance = [
        1 if (one.index(a) < one.index(b)) == (other.index(a) < other.index(b)) else -1
        for a, b in combinations(range(7), 2)
    ]
    assert kendall(one, other) == pytest.approx(sum(balance) / len(balance))


def test_kendalls_tau_uses_common_elements_only() -> None:
    """Kendall's τ ignores elements that only one of the two orders has."""
    assert kendall(["a", "x", "b"], ["a", "b", "y"]) == 1.0
    assert kendall(["a"], ["b"]) == 1.0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_auc_equals_the_share_of_ordered_pairs(signal: list[int], noise: list[int]) -> None:
    """The AUC equals the share of pairs in the right order; a tie counts half."""
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in signal for b in noise]
    assert auc(signal, noise) == pytest.approx(sum(pairs) / len(pairs))


def test_disjoint_distributions_have_distance_one() -> None:
    """Distributions without common values have distance 1. Equal distributions have distance 0, whatever their totals
    are.
    """
    assert jensen_shannon([1, 0], [0, 3]) == pytest.approx(1.0)
    assert jensen_shannon([1, 2], [2, 4]) == pytest.approx(0.0)


def test_overlap_and_jaccard_compare_common_elements() -> None:
    """Overlap compares the first ten elements, and Jaccard compares all. Two empty sets are equal."""
    assert overlap(range(20), range(5, 25)) == 0.5
    assert jaccard_distance("ab", "bc") == pytest.approx(2 / 3)
    assert jaccard_distance((), ()) == 0.0


def test_the_gain_falls_with_the_rank_of_the_needed_memory() -> None:
    """The gain is 1 if the needed memory has rank one, less at each later rank, and 0 after rank ten."""
    gains = [gain(order, "x") for order in sorted(permutations("xab"), key=lambda permutation: permutation.index("x"))]
    assert gains[0] == 1.0
    assert gains[-1] == pytest.approx(0.5)
    assert gain([*range(10), "x"], "x") == 0.0
