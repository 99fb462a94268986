"""The labelled set that ways of recognising use are measured by: well formed, and every way beats chance on it."""

import math
from collections import Counter

import pytest
from bench.attribution import (
    PURE,
    REPLIES,
    Verdicts,
    chance,
    decisions,
    examples,
    extractive,
    kappa,
    labels,
    pure,
    recorded,
    scores,
)

from nemuri_domain.strength.policy import Detection
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.models.usage_judge import judgement_prompt

EVERY = examples()
ONE_IN_A_HUNDRED = 2.33
"""Standard errors above the mean of a normal distribution."""


def test_the_set_is_well_formed() -> None:
    """At least a hundred answers, fifty in each language, whose labels are memories of their own."""
    assert len({each.id for each in EVERY}) == len(EVERY)
    languages = Counter(each.language for each in EVERY)
    assert set(languages) == {"en", "ja"}
    assert min(languages.values()) >= 50
    for each in EVERY:
        names = [held.id for held in each.memories]
        assert len(set(names)) == len(names) >= 2, each.id
        assert each.used <= set(names), each.id
        assert all(held.content.strip() and held.tags for held in each.memories), each.id


def test_the_set_is_varied() -> None:
    """No kind of case is most of it; some answers used nothing, some several memories, some cite and some do not."""
    assert max(Counter(each.case for each in EVERY).values()) < len(EVERY) / 4
    assert min(Counter(len(each.used) for each in EVERY)[number] for number in (0, 1, 2)) >= 10
    assert 20 <= sum("[m" in each.answer for each in EVERY) <= len(EVERY) - 20


def test_no_prompt_tells_the_label() -> None:
    """The judge sees neither labels nor what the answer cites."""
    for each in EVERY:
        assert "[m" not in judgement_prompt(each.job)[1], each.id


@pytest.mark.parametrize("detection", PURE)
async def test_every_way_agrees_with_the_labels_beyond_chance(detection: Detection) -> None:
    """As it would by accident in one of a hundred sets of this size."""
    assert_beyond_chance(await pure(detection, HashingEmbedder(), EVERY))


async def test_every_judge_agrees_with_the_labels_beyond_chance() -> None:
    """The one without a model, and the recorded one where there is one."""
    assert_beyond_chance(extractive(EVERY))
    known = recorded(EVERY, await pure("layered", HashingEmbedder(), EVERY))
    assert (known is not None) == REPLIES.exists()
    if known is not None:
        assert_beyond_chance(known[0])


def test_the_measures_are_what_they_are_called() -> None:
    """On decisions counted by hand."""
    truth, said = [True, True, False, False], [True, False, True, False]
    assert scores(truth, said) == (0.5, 0.5, 0.5)
    assert scores(truth, [False] * 4) == (0.0, 0.0, 0.0)
    assert kappa(truth, said) == 0.0
    assert kappa(truth, truth) == 1.0
    assert kappa([True] * 4, [True] * 4) == 1.0
    assert chance(truth, said) == 0.5


def assert_beyond_chance(way: Verdicts) -> None:
    """Kappa's standard error under independence is the root of pe / (n (1 - pe))."""
    truth, said = decisions(EVERY, labels(EVERY)), decisions(EVERY, way)
    expected = chance(truth, said)
    error = math.sqrt(expected / (len(truth) * (1 - expected)))
    assert kappa(truth, said) > ONE_IN_A_HUNDRED * error, way.name
