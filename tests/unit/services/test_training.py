"""Training a scorer with torch: it learns what there is to learn, and numpy serves what torch has trained."""

import numpy as np
import pytest
import torch
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


@for_any(WEIGHTS, ROWS)
def test_numpy_ranks_as_torch_does(weights: Weights, rows: list[tuple[float, ...]]) -> None:
    """From the same weights: the same logits, so the same order, whatever the weights are."""
    features = np.array(rows)
    parameters = [
        torch.tensor(each, dtype=torch.float64)
        for each in (weights.hidden, weights.hidden_bias, weights.output, weights.output_bias)
    ]

    trained = training.logits(parameters, torch.from_numpy(features)).numpy()

    served = scorer.logits(weights, features)
    assert served == pytest.approx(trained, abs=1e-9)
    apart = np.subtract.outer(trained, trained)
    assert (np.sign(np.subtract.outer(served, served)) == np.sign(apart))[np.abs(apart) > 1e-9].all()


def test_what_helped_before_is_learned_and_serves() -> None:
    """Where impact decides, which the linear score hardly looks at, the learned one is clearly better on new tasks."""
    older, held = training_samples.split_held_out(past(by_impact, 100, seed=3))

    weights = training.train(training_samples.samples(older), seed=3)

    assert training_samples.is_better(training_samples.evaluate(weights, held))
    fresh = [each for each in past(by_impact, 200, seed=4) if each.telling]
    found = training_samples.evaluate(weights, fresh)
    assert found.learned - found.linear > 0.08
    weighs = scorer.importance(weights)
    assert weighs["impact_score"] > 4 * scorer.importance(scorer.copy_of_linear())["impact_score"]


def test_what_only_two_features_together_say_is_learned() -> None:
    """The document's own example: strong but old, or fresh but faint, is worth less than both at once."""
    older, _ = training_samples.split_held_out(past(by_strength_while_fresh, 300, seed=11))

    weights = training.train(training_samples.samples(older), seed=11)

    newest = [each for each in past(by_strength_while_fresh, 200, seed=12) if each.telling]
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
def test_where_nothing_is_to_be_learned_nothing_is_lost(world: World, tasks: int) -> None:
    """However little there was to learn from, a scorer that was let serve is hardly worse than the linear score."""
    lost = []
    for seed in range(3):
        older, held = training_samples.split_held_out(past(world, tasks, seed))
        weights = training.train(training_samples.samples(older), seed)
        if training_samples.is_better(training_samples.evaluate(weights, held)):
            fresh = training_samples.evaluate(weights, [each for each in past(world, 150, seed + 50) if each.telling])
            lost.append(fresh.linear - fresh.learned)
    assert max(lost, default=0.0) < 0.03


def test_labels_that_are_turned_round_never_serve() -> None:
    """Trained on the opposite of the truth, as if what was used had not been: the newest tasks refuse it."""
    older, held = training_samples.split_held_out(past(by_impact, 120, seed=5))
    true = training_samples.samples(older)

    weights = training.train(Samples(true.features, 1.0 - true.labels, true.weights, true.tasks), seed=5)

    assert not training_samples.is_better(training_samples.evaluate(weights, held))


def test_the_same_samples_and_seed_make_the_same_weights() -> None:
    """Also beside another training; another seed drops out other units."""
    taken = training_samples.samples(past(by_impact, 30, seed=6))

    first = training.train(taken, seed=7)
    training.train(taken, seed=8)

    assert training.train(taken, seed=7) == first
    assert training.train(taken, seed=8) != first
    assert Weights.model_validate_json(first.model_dump_json()) == first


def test_success_moves_a_scorer_more_than_what_was_not_judged() -> None:
    """Half the weight is half the pull away from the linear score."""
    taken = training_samples.samples(past(by_impact, 30, seed=9))

    def moved(weight: float) -> float:
        even = Samples(taken.features, taken.labels, np.full(len(taken), weight), taken.tasks)
        now, then = training.train(even, seed=1), scorer.copy_of_linear()
        return float(np.linalg.norm(np.array(now.hidden) - np.array(then.hidden)))

    assert moved(1.0) > moved(0.5) > 0.0


def test_without_samples_the_copy_stays() -> None:
    """Nothing to learn, nothing learned."""
    assert training.train(training_samples.samples([]), seed=1) == scorer.copy_of_linear()


def test_without_torch_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """One clear line; nobody who only serves needs torch."""
    monkeypatch.setattr(training, "available", lambda: False)
    training._torch.cache_clear()
    with pytest.raises(training.TorchMissingError, match=r"pip install 'nemuri\[learn\]'"):
        training.train(training_samples.samples([]), seed=1)
