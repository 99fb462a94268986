"""What the experiments measure by, against brute force and known distributions."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.experiments.statistics import auc, gain, interval, jaccard_distance, jensen_shannon, kendall, overlap


@pytest.mark.parametrize("skewed", [False, True])
def test_an_interval_covers_the_true_mean_about_as_often_as_it_says(skewed: bool) -> None:
    """Of 300 samples of ten values each, 95 % of the intervals hold the mean, and never fewer than 90 %."""
    draw, chance = np.random.default_rng(7), np.random.default_rng(8)
    covered = 0
    for _ in range(300):
        values = draw.exponential(1.0, 10) if skewed else draw.normal(1.0, 2.0, 10)
        found = interval(values, chance)
        covered += found.low <= 1.0 <= found.high
    assert 0.90 <= covered / 300 <= 0.99


def test_equal_values_leave_nothing_uncertain() -> None:
    """An interval of a constant is that constant."""
    found = interval([0.1] * 7, np.random.default_rng(1))
    assert (found.low, found.high) == (found.mean, found.mean)


def test_too_few_values_have_no_interval() -> None:
    """Two repeats do not show how much repeats differ."""
    with pytest.raises(ValueError, match="too few"):
        interval([0.1, 0.2], np.random.default_rng(1))


@given(st.permutations(range(7)), st.permutations(range(7)))
def test_kendall_is_the_balance_of_pairs_in_the_same_and_in_opposite_order(one: list[int], other: list[int]) -> None:
    """As counted pair by pair."""
    balance = [
        1 if (one.index(a) < one.index(b)) == (other.index(a) < other.index(b)) else -1
        for a, b in combinations(range(7), 2)
    ]
    assert kendall(one, other) == pytest.approx(sum(balance) / len(balance))


def test_kendall_is_over_what_both_orders_contain() -> None:
    """What only one of them has says nothing about their order."""
    assert kendall(["a", "x", "b"], ["a", "b", "y"]) == 1.0
    assert kendall(["a"], ["b"]) == 1.0


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.lists(st.integers(0, 5), min_size=1, max_size=8))
def test_auc_counts_the_pairs_that_are_told_apart(signal: list[int], noise: list[int]) -> None:
    """As counted pair by pair, a tie for half."""
    pairs = [1.0 if a > b else 0.5 if a == b else 0.0 for a in signal for b in noise]
    assert auc(signal, noise) == pytest.approx(sum(pairs) / len(pairs))


def test_distributions_that_share_nothing_are_one_apart() -> None:
    """And equal ones, whatever their total, not at all."""
    assert jensen_shannon([1, 0], [0, 3]) == pytest.approx(1.0)
    assert jensen_shannon([1, 2], [2, 4]) == pytest.approx(0.0)


def test_sets_and_rankings_are_compared_by_what_they_share() -> None:
    """Overlap looks at the first ten, Jaccard at everything, and two empty answers are the same answer."""
    assert overlap(range(20), range(5, 25)) == 0.5
    assert jaccard_distance("ab", "bc") == pytest.approx(2 / 3)
    assert jaccard_distance((), ()) == 0.0


def test_the_gain_of_a_ranking_falls_with_the_place_of_what_was_needed() -> None:
    """One at the first place, less at each later one, nothing beyond the tenth."""
    gains = [gain(order, "x") for order in sorted(permutations("xab"), key=lambda each: each.index("x"))]
    assert gains[0] == 1.0
    assert gains[-1] == pytest.approx(0.5)
    assert gain([*range(10), "x"], "x") == 0.0
