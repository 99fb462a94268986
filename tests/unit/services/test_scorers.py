"""Tests of a learned scorer in the answers to clients."""

from nemuri.cli.scorers import missing_samples
from nemuri_contracts.scorers import HeldOut
from nemuri_contracts.strength import FEATURES
from nemuri_domain.strength import scorer
from nemuri_domain.strength.aggregate import Scorer
from nemuri_domain.strength.policy import Policy
from nemuri_services.query_api.scorers import scorer_view, standing
from tests.unit.domain.strength.stories import AGENT, BEGINNING, given

HELD_OUT = HeldOut(tasks=20, learned=0.41, linear=0.43, error=0.02)


def known(held_out: HeldOut, *, serves: bool = False) -> Scorer:
    """Return version two of a scorer with these results on held-out tasks."""
    weights = scorer.copy_of_linear()
    return Scorer(
        agent_id=AGENT, number=2, weights=weights, samples=90, tasks=30, until=9, held_out=held_out, serves=serves,
        trained_at=BEGINNING,
    )  # fmt: skip


def test_the_reason_for_the_linear_ranking_is_one_line() -> None:
    """If the linear score ranks, one line gives the reason: too few samples, too few held-out tasks, no improvement, or
    the policy.
    """
    rules = Policy()
    assert standing(rules, None, 62) == "not trained yet: 62 of 100 samples"
    enough = "not trained yet: 118 samples are enough, the next session that used a memory trains it"
    assert standing(rules, None, 118) == enough
    assert standing(rules, known(HELD_OUT), 0) == (
        "not better than linear: nDCG 0.410 against 0.430 (± 0.020) on the newest 20 tasks"
    )
    few = HELD_OUT.model_copy(update={"tasks": 6})
    assert standing(rules, known(few), 0) == "not proven: 6 held-out tasks, 10 are needed"
    assert standing(Policy(ranking="linear"), None, 500) == "not used: the agent's policy has ranking linear"
    better = HELD_OUT.model_copy(update={"learned": 0.5})
    assert standing(rules, known(better, serves=True), 0).startswith("better than linear: nDCG 0.500 against 0.430")


def test_the_view_has_the_weight_of_each_feature() -> None:
    """The view shows each feature's learned weight beside its linear weight, on the same scale.

    Before the first training there are no learned weights.
    """
    agent = given().agent

    first, second = scorer_view(agent, None, 62), scorer_view(agent, known(HELD_OUT, serves=True), 12)

    assert (first.version, first.gathered, first.wanted, first.ranking) == (None, 62, 100, "linear-1")
    assert {feature.learned for feature in first.features.values()} == {None}
    assert second.version is not None
    assert (second.version.number, second.gathered, second.wanted, second.ranking) == (2, 12, 30, "scorer-2")
    patient = agent.replace(policy={"min_training_samples": 200, "retrain_after": 50})
    assert [scorer_view(patient, each, 12).wanted for each in (None, known(HELD_OUT))] == [200, 50]
    assert list(second.features) == list(FEATURES)
    assert all(
        feature.learned is not None and abs(feature.learned - feature.linear) < 1e-9
        for feature in second.features.values()
    )


def test_the_view_has_the_distance_to_the_next_training() -> None:
    """The view shows the number of samples so far and the number at which the next training begins."""
    assert missing_samples(62, 100) == "62 of 100 samples until the next training"
    assert missing_samples(211, 100) == "211 samples, 100 are required for a training"
