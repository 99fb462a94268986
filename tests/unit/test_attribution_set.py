"""Tests of the labelled set for usage detection: it is well formed, and every method agrees with it beyond chance."""

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

EVERY = examples()
ONE_IN_A_HUNDRED = 2.33
"""Critical value of the normal distribution for a one-sided test at 1 %, in standard errors."""


def test_the_set_is_well_formed() -> None:
    """The set has at least 100 answers, 50 in each language, and labels only memories of the same answer."""
    assert len({each.id for each in EVERY}) == len(EVERY)
    languages = Counter(each.language for each in EVERY)
    assert set(languages) == {"en", "ja"}
    assert min(languages.values()) >= 50
    for example in EVERY:
        names = [held.id for held in example.memories]
        assert len(set(names)) == len(names) >= 2, example.id
        assert example.used <= set(names), example.id
        assert all(held.content.strip() and held.tags for held in example.memories), example.id


def test_the_set_is_varied() -> None:
    """No kind of case makes up most of the set, and answers differ in the number of used memories and of citations."""
    assert max(Counter(each.case for each in EVERY).values()) < len(EVERY) / 4
    assert min(Counter(len(each.used) for each in EVERY)[number] for number in (0, 1, 2)) >= 10
    assert 20 <= sum("[m" in each.answer for each in EVERY) <= len(EVERY) - 20


def test_no_prompt_contains_the_label() -> None:
    """The judge's prompt contains neither the labels nor the citations of the answer."""
    for example in EVERY:
        assert "[m" not in example.job.chat_request().user, example.id


@pytest.mark.parametrize("detection", PURE)
def test_every_way_agrees_with_the_labels_beyond_chance(detection: Detection) -> None:
    """Each detection method agrees with the labels more often than chance, at a significance of 1 %."""
    assert_beyond_chance(pure(detection, EVERY))


def test_every_judge_agrees_with_the_labels_beyond_chance() -> None:
    """The judge without a model agrees with the labels beyond chance, and so does the judge with a model if its answers
    are recorded.
    """
    assert_beyond_chance(extractive(EVERY))
    known = recorded(EVERY, pure("layered", EVERY))
    assert (known is not None) == REPLIES.exists()
    if known is not None:
        assert_beyond_chance(known[0])


def test_the_measures_match_counts_by_hand() -> None:
    """Precision, recall, F1, kappa and chance agreement equal the values counted by hand."""
    truth, said = [True, True, False, False], [True, False, True, False]
    assert scores(truth, said) == (0.5, 0.5, 0.5)
    assert scores(truth, [False] * 4) == (0.0, 0.0, 0.0)
    assert kappa(truth, said) == 0.0
    assert kappa(truth, truth) == 1.0
    assert kappa([True] * 4, [True] * 4) == 1.0
    assert chance(truth, said) == 0.5


def assert_beyond_chance(way: Verdicts) -> None:
    """Fail unless kappa is significantly above 0. Its standard error under independence is sqrt(pe / (n (1 - pe)))."""
    truth, said = decisions(EVERY, labels(EVERY)), decisions(EVERY, way)
    expected = chance(truth, said)
    error = math.sqrt(expected / (len(truth) * (1 - expected)))
    assert kappa(truth, said) > ONE_IN_A_HUNDRED * error, way.name
