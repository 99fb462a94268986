"""Tests of a scorer's training and ranking with NumPy, beside torch as the reference."""

import numpy as np
import pytest
from hypothesis import given as for_any

from nemuri_contracts.scorers import Weights
from nemuri_domain.strength import scorer, training_samples
from nemuri_domain.strength.training_samples import Samples
from nemuri_services.trainer import training
from tests.unit.domain.strength.schooling import (
    World,
    by_impact,
    by_nothing,
    by_relevance,
    by_strength_while_fresh,
    past,
)
from tests.unit.domain.strength.test_scorer import ROWS, WEIGHTS

BESIDE_TORCH = pytest.mark.xdist_group("models of meaning")
"""Marks tests that import torch, which takes seconds, so that pytest-xdist runs them in one process."""


@pytest.mark.long
@BESIDE_TORCH
@for_any(WEIGHTS, ROWS)
def test_numpy_ranks_as_torch_does(weights: Weights, rows: list[tuple[float, ...]]) -> None:
    """The same weights give the same logits, and so the same order, in torch and NumPy."""
    from tests.unit.services.torch_reference import logits_of

    features = np.array(rows)

    trained = logits_of(weights, features)

    served = scorer.logits(weights, features)
    assert served == pytest.approx(trained, abs=1e-9)
    apart = np.subtract.outer(trained, trained)
    assert (np.sign(np.subtract.outer(served, served)) == np.sign(apart))[np.abs(apart) > 1e-9].all()


@pytest.mark.long
@BESIDE_TORCH
@pytest.mark.parametrize("world", [by_impact, by_strength_while_fresh])
def test_numpy_trains_as_torch_does(world: World) -> None:
    """The same samples and the same dropout give the weights that torch's derivatives, Adam and schedule give.

    They are far from the weights at the start, so both have learned.
    """
    from tests.unit.services.torch_reference import torch_train

    taken = training_samples.samples(past(world, 60, seed=2))
    units = len(scorer.copy_of_linear().output)

    ours = training.parameters_of(training.train(taken, seed=5))

    theirs = torch_train(taken, training.dropout_masks(len(taken), units, seed=5))
    start = training.parameters_of(scorer.copy_of_linear())
    for mine, other in zip(ours, theirs, strict=True):
        assert mine == pytest.approx(other.numpy(), abs=1e-5)
    assert float(np.abs(ours[0] - start[0]).max()) > 0.1


def test_a_scorer_learns_that_impact_decides() -> None:
    """If impact decides on the value of a memory, although its linear weight is small, the learned scorer is clearly
    better on new tasks.
    """
    older, held = training_samples.split_held_out(past(by_impact, 100, seed=3))

    weights = training.train(training_samples.samples(older), seed=3)

    assert training_samples.is_better(training_samples.evaluate(weights, held))
    fresh = [retrieval for retrieval in past(by_impact, 200, seed=4) if retrieval.is_informative]
    found = training_samples.evaluate(weights, fresh)
    assert found.learned - found.linear > 0.08
    weighs = scorer.importance(weights)
    assert weighs["impact_score"] > 4 * scorer.importance(scorer.copy_of_linear())["impact_score"]


def test_a_scorer_learns_an_interaction_of_two_features() -> None:
    """A scorer learns the interaction that document 000 gives as an example: a memory that is both strong and fresh
    is worth more than either alone.
    """
    older, _ = training_samples.split_held_out(past(by_strength_while_fresh, 300, seed=11))

    weights = training.train(training_samples.samples(older), seed=11)

    newest = [retrieval for retrieval in past(by_strength_while_fresh, 200, seed=12) if retrieval.is_informative]
    found = training_samples.evaluate(weights, newest)
    assert found.learned - found.linear > 0.15
    both, strong, fresh, neither = np.full((4, 9), 0.5)
    strength, recency = 1, 4
    for row, (high, late) in zip((both, strong, fresh, neither), ((1, 1), (1, 0), (0, 1), (0, 0)), strict=True):
        row[[strength, recency]] = 0.5 + 0.4 * (2 * np.array([high, late]) - 1)
    rows = scorer.logits(weights, np.stack([both, strong, fresh, neither]))
    assert rows[0] - rows[1] > 2 * (rows[2] - rows[3]), "lately used counts for more where it is strong"


@pytest.mark.parametrize("world", [by_relevance, by_nothing])
@pytest.mark.parametrize("tasks", [12, 120])
def test_without_a_signal_the_scorer_is_hardly_worse_than_linear(world: World, tasks: int) -> None:
    """A scorer that was accepted is hardly worse than the linear score, even if the samples had little to learn
    from.
    """
    lost = []
    for seed in range(3):
        older, held = training_samples.split_held_out(past(world, tasks, seed))
        weights = training.train(training_samples.samples(older), seed)
        if training_samples.is_better(training_samples.evaluate(weights, held)):
            fresh = training_samples.evaluate(
                weights, [retrieval for retrieval in past(world, 150, seed + 50) if retrieval.is_informative]
            )
            lost.append(fresh.linear - fresh.learned)
    assert max(lost, default=0.0) < 0.03


def test_a_scorer_trained_on_inverted_labels_never_serves() -> None:
    """A scorer trained on inverted labels is rejected on the newest tasks, and never ranks."""
    older, held = training_samples.split_held_out(past(by_impact, 120, seed=5))
    true = training_samples.samples(older)

    weights = training.train(Samples(true.features, 1.0 - true.labels, true.weights, true.tasks), seed=5)

    assert not training_samples.is_better(training_samples.evaluate(weights, held))


def test_the_same_samples_and_seed_make_the_same_weights() -> None:
    """The same samples and seed give the same weights, even during another training. Another seed gives different
    ones.
    """
    taken = training_samples.samples(past(by_impact, 30, seed=6))

    first = training.train(taken, seed=7)
    training.train(taken, seed=8)

    assert training.train(taken, seed=7) == first
    assert training.train(taken, seed=8) != first
    assert Weights.model_validate_json(first.model_dump_json()) == first


def test_a_success_moves_a_scorer_more_than_an_unrated_use() -> None:
    """A sample with half the label weight moves the scorer less far from the linear score than a sample with full
    weight.
    """
    taken = training_samples.samples(past(by_impact, 30, seed=9))

    def moved(weight: float) -> float:
        even = Samples(taken.features, taken.labels, np.full(len(taken), weight), taken.tasks)
        now, then = training.train(even, seed=1), scorer.copy_of_linear()
        return float(np.linalg.norm(np.array(now.hidden) - np.array(then.hidden)))

    assert moved(1.0) > moved(0.5) > 0.0


def test_without_samples_the_copy_stays() -> None:
    """Training without samples returns the initial copy of the linear score."""
    assert training.train(training_samples.samples([]), seed=1) == scorer.copy_of_linear()
