"""Tests of measures of a society: likeability, roles, memes and exposure."""

from random import Random

import pytest

from nemuri_society.phenomena.exposure_graph import ExposureGraph
from nemuri_society.phenomena.likeability import (
    fit_likeability,
    linear_fit,
    mean_r_by_observers,
    random_utterance,
    updated_sentiment,
)
from nemuri_society.phenomena.memes import UTTERANCES, conversion_stage, topics, updated_memes
from nemuri_society.phenomena.roles import DEMAND, ROLES, draw_role, role_entropy, role_of, role_persistence

AGENTS = [f"agent-{number}" for number in range(30)]


def noisy_sentiments(slope: float, noise: float) -> tuple[dict[tuple[str, str], float], dict[str, float]]:
    """Return sentiments and true values of likeability.

    The sentiments follow the true values with this slope and normal noise for each observer.
    """
    rng = Random(1)
    true = {agent: rng.uniform(0, 10) for agent in AGENTS}
    sentiments = {
        (one, other): 5 + slope * (true[other] - 5) + rng.gauss(0, noise)
        for one in AGENTS
        for other in AGENTS
        if one != other
    }
    return sentiments, true


@pytest.mark.parametrize("slope", [0.161, 0.373, 1.0])
def test_the_estimator_recovers_a_known_slope(slope: float) -> None:
    """The fit finds a known slope from noisy observers."""
    sentiments, true = noisy_sentiments(slope, 1.0)
    found = fit_likeability(sentiments, true)
    assert found.slope == pytest.approx(slope, abs=0.05)
    assert (found.agents, found.r > 0.85) == (30, True)


def test_the_correlation_grows_with_the_observers() -> None:
    """Pearson's r rises with the number of observers."""
    sentiments, true = noisy_sentiments(0.373, 2.0)
    r = [mean_r_by_observers(sentiments, true, number, Random(2)) for number in (1, 5, 11)]
    assert r[0] < r[1] < r[2]


def test_agents_with_too_few_observers_are_excluded() -> None:
    """Agents with too few observers are left out. A fit of fewer than three agents raises `ValueError`."""
    sentiments, true = noisy_sentiments(1.0, 0.0)
    few = {pair: each for pair, each in sentiments.items() if pair[0] in AGENTS[:4]}
    with pytest.raises(ValueError, match="not 0"):
        fit_likeability(few, true)
    assert linear_fit([1, 2, 3], [2, 2, 2]).r == 0.0


def test_sentiments_follow_likeability() -> None:
    """After many utterances the mean sentiments are in the order of true likeability."""
    rng, felt = Random(3), []
    for likeable in (1.0, 5.0, 9.0):
        known = [5.0]
        for _ in range(500):
            known.append(updated_sentiment(random_utterance(likeable, rng), known[-1], bias=0.0))
        felt.append(sum(known) / len(known))
    assert felt[0] < felt[1] < felt[2]


def test_the_entropy_of_roles_is_normalised() -> None:
    """The entropy of roles is 0 if all are equal, 1 if they are evenly distributed, and between 0 and 1 otherwise."""
    assert role_entropy(["farmer"] * 9) == 0.0
    assert role_entropy(ROLES) == pytest.approx(1.0)
    assert 0 < role_entropy(["farmer", "farmer", "smith"]) < 1


def test_roles_are_inferred_from_goals() -> None:
    """An agent's role is the most frequent role of its goals. Persistence is the share of roles that do not change."""
    assert role_of(["raise a wall", "sow the field", "feed the cows"]) == "farmer"
    assert role_of(["make a wood_pickaxe"]) is None
    assert role_persistence([["farmer", "farmer", "smith"], ["guard", "guard", "guard"]]) == 0.75


def test_an_agent_takes_the_missing_role() -> None:
    """An agent that knows the roles of others takes the missing role.

    Without that knowledge it mostly takes the role in greatest demand.
    """
    town = [role for role, share in DEMAND.items() for _ in range(round(share * 40)) if role != "smith"]
    assert {draw_role(town, {}, Random(seed)) for seed in range(20)} == {"smith"}
    blind = [draw_role([], {}, Random(seed)) for seed in range(200)]
    assert max(set(blind), key=blind.count) == "farmer"
    assert len(set(blind)) > 1


def test_each_utterance_mentions_only_its_topic() -> None:
    """Each utterance mentions its own topic only."""
    assert all(topics(saying) == (topic,) for topic, saying in UTTERANCES.items())
    assert topics("It is a day like any other.") == ()


def test_adoption_requires_exposure() -> None:
    """Only exposed agents adopt a meme or convert. Agents that heard only of pasta never reach stage 2."""
    rng = Random(4)
    assert updated_memes((), (), rng) == ()
    assert all(conversion_stage(0, ("eco", "dance"), rng) == 0 for _ in range(1_000))
    assert all(conversion_stage(1, ("pasta",) * 50, rng) == 1 for _ in range(50))
    assert {conversion_stage(0, ("faith",) * 400, rng) for _ in range(50)} <= {0, 1, 2}
    assert any(conversion_stage(1, ("faith",) * 400, rng) == 2 for _ in range(50))


def test_a_mention_without_exposure_is_unexplained() -> None:
    """An agent that mentions a topic without an earlier exposure counts as unexplained."""
    seen = ExposureGraph()
    seen.record_mention(["faith"], "priest", 1.0)
    seen.record_exposure(["faith"], "priest", "ada", 2.0)
    seen.record_mention(["faith"], "ada", 5.0)
    assert seen.unexplained("faith", ["priest"]) == frozenset()
    seen.record_mention(["faith"], "bea", 6.0)
    seen.record_exposure(["faith"], "ada", "bea", 7.0)
    assert seen.unexplained("faith", ["priest"]) == {"bea"}
    assert seen.sources("faith") == {"ada": {"priest"}, "bea": {"ada"}}
    assert seen.adoption_curve("faith", [0, 1, 5, 10]) == [0, 1, 2, 3]
    assert seen.exposed("faith") == {"ada", "bea"}
