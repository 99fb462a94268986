"""Tests of the explanation of a ranking by the contributions of features."""

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given as for_any
from hypothesis import settings
from hypothesis import strategies as st

from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import VERSIONS, scores
from nemuri_domain.strength.ranking_explanation import contributions, decided, explained, scored_by
from nemuri_domain.strength.scorer import LINEAR, copy_of_linear

NUMBERS = st.lists(
    st.tuples(*(st.floats(0, high) for high in (1, 10, 10, 1, 1, 10, 5, 1, 1))), min_size=1, max_size=8
)  # fmt: skip
A, B, C = (UUID(int=number << 96) for number in range(1, 4))
RANKINGS = [(name, policy) for policy, name in VERSIONS.items()]


@settings(deadline=None, max_examples=30)
@for_any(NUMBERS, st.sampled_from([*(name for name, _ in RANKINGS), "scorer-1"]))
def test_contributions_add_up_to_the_difference_from_the_mean_score(
    rows: list[tuple[float, ...]], ranking: str
) -> None:
    """Contributions add up to the difference between a score and the mean score.

    This holds for every ranking, also for the learned one, whose score is not a sum over features.
    """
    matrix, score = scored_by(ranking, np.array(rows), copy_of_linear())

    added = contributions(matrix, score)

    expected = score(matrix) - score(matrix.mean(axis=0, keepdims=True))
    np.testing.assert_allclose(added.sum(axis=1), expected, atol=1e-9)


@settings(deadline=None, max_examples=30)
@for_any(NUMBERS)
def test_a_contribution_to_a_linear_score_is_weight_times_difference(rows: list[tuple[float, ...]]) -> None:
    """For a linear score a contribution is weight × (value - mean), the closed form of Shapley values."""
    matrix, score = scored_by("linear-1", np.array(rows), None)

    np.testing.assert_allclose(contributions(matrix, score), (matrix - matrix.mean(axis=0)) * LINEAR, atol=1e-9)


def test_interacting_features_share_their_contribution() -> None:
    """Features that interact share their contribution equally. A feature without influence contributes 0."""
    rows = np.zeros((2, 9))
    rows[0, :2] = 2.0

    added = contributions(rows, lambda each: np.asarray(each[:, 0] * each[:, 1]))

    assert added[0].tolist() == pytest.approx([1.5, 1.5, 0, 0, 0, 0, 0, 0, 0])
    assert contributions(np.zeros((0, 9)), lambda each: each[:, 0]).shape == (0, 9)


@pytest.mark.parametrize(("ranking", "policy"), RANKINGS)
def test_an_explanation_has_the_scores_of_the_ranking(ranking: str, policy: str) -> None:
    """An explanation has the same scores as the ranking that the log names."""
    raw = np.array([(0.5, 1.0, 2.0, 0.5, 0.1, 2.0, 1.0, 0.0, 1.0), (0.2, 3.0, 1.0, 0.1, 0.9, 0.0, 0.0, 1.0, 0.0)])
    matrix, score = scored_by(ranking, raw, None)

    np.testing.assert_allclose(score(matrix), scores(raw, Policy.model_validate({"ranking": policy})))


def test_an_unknown_ranking_is_not_explained() -> None:
    """An unknown ranking is not explained, and neither is a learned one without its weights."""
    with pytest.raises(LookupError, match="scorer-7"):
        explained([_candidate(A, score=1.0)], "scorer-7", None)


def test_the_deciding_feature_is_the_one_with_the_largest_loss() -> None:
    """The deciding feature is the one with the largest loss against the next better candidate.

    The first candidate is compared with the mean.
    """
    found = [
        _candidate(A, score=1.0, similarity=0.2, strength=3.0),
        _candidate(B, score=0.1, similarity=0.2),
        _candidate(C, score=0.0, impact_score=5.0),
    ]

    first, second, third = decided(found, *explained(found, "document-003", None))

    assert first == "strength +0.600 against the mean"
    assert second == "strength -0.900 against the one above"
    assert third == "similarity -0.100 against the one above"
    assert decided([], np.zeros((0, 9)), np.zeros(0)) == ()


def test_a_difference_that_rounds_to_zero_decides_nothing() -> None:
    """A difference that is 0 when rounded to three decimals is not named as deciding, and no figure is shown as
    +0.000.
    """
    alike = [_candidate(A, score=0.5001, similarity=0.5001), _candidate(B, score=0.5, similarity=0.5)]

    first, second = decided(alike, *explained(alike, "document-003", None))

    assert first == "hardly any difference against the mean"
    assert second == "hardly any difference against the one above"


def test_a_rank_without_a_deciding_feature_says_so() -> None:
    """If no feature decides a rank, the explanation says so. Examples are a tie, and a memory that yields to a newer
    one.
    """
    newer = _candidate(A, score=0.5)
    yielding = _candidate(B, score=0.499).model_copy(update={"yields_to": A, "yields_as": "contradicts"})

    assert _words(newer, yielding, own=0.6) == f"yields to {str(A)[:8]}, which contradicts it"
    assert _words(newer, yielding).endswith("against the one above"), "it would be behind anyway"
    assert _words(newer, _candidate(C, score=0.5)) == "equal score and relevance: by id"
    assert _words(newer.model_copy(update={"relevance": 0.9}), _candidate(C, score=0.5)) == "equal score: less relevant"


def _words(above: Candidate, below: Candidate, own: float | None = None) -> str:
    scores_of_features = np.array([above.score, below.score if own is None else own])
    return decided([above, below], np.zeros((2, 9)), scores_of_features)[1]


def _candidate(memory_id: UUID, *, score: float, **features: float) -> Candidate:
    raw: Sequence[float] = [features.get(name, 0.0) for name in FEATURES]
    return Candidate(memory_id=memory_id, similarity=0, lexical=0, relevance=0, features=tuple(raw), score=score)
