"""Why candidates came in their order."""

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
def test_contributions_add_up_to_the_score_less_that_of_the_mean(rows: list[tuple[float, ...]], ranking: str) -> None:
    """For every ranking there is, the learned one too, whose score is no sum of features."""
    matrix, score = scored_by(ranking, np.array(rows), copy_of_linear())

    added = contributions(matrix, score)

    expected = score(matrix) - score(matrix.mean(axis=0, keepdims=True))
    np.testing.assert_allclose(added.sum(axis=1), expected, atol=1e-9)


@settings(deadline=None, max_examples=30)
@for_any(NUMBERS)
def test_of_a_linear_score_a_contribution_is_weight_times_distance_from_the_mean(rows: list[tuple[float, ...]]) -> None:
    """The closed form of Shapley values where features do not interact."""
    matrix, score = scored_by("linear-1", np.array(rows), None)

    np.testing.assert_allclose(contributions(matrix, score), (matrix - matrix.mean(axis=0)) * LINEAR, atol=1e-9)


def test_features_that_only_count_together_share_what_they_add() -> None:
    """An interaction is divided equally; a feature that the score does not look at adds nothing."""
    rows = np.zeros((2, 9))
    rows[0, :2] = 2.0

    added = contributions(rows, lambda each: np.asarray(each[:, 0] * each[:, 1]))

    assert added[0].tolist() == pytest.approx([1.5, 1.5, 0, 0, 0, 0, 0, 0, 0])
    assert contributions(np.zeros((0, 9)), lambda each: each[:, 0]).shape == (0, 9)


@pytest.mark.parametrize(("ranking", "policy"), RANKINGS)
def test_an_explanation_scores_as_the_ranking_does(ranking: str, policy: str) -> None:
    """The names in the log lead back to the very scores."""
    raw = np.array([(0.5, 1.0, 2.0, 0.5, 0.1, 2.0, 1.0, 0.0, 1.0), (0.2, 3.0, 1.0, 0.1, 0.9, 0.0, 0.0, 1.0, 0.0)])
    matrix, score = scored_by(ranking, raw, None)

    np.testing.assert_allclose(score(matrix), scores(raw, Policy.model_validate({"ranking": policy})))


def test_an_unknown_ranking_is_not_explained() -> None:
    """A learned one needs its weights."""
    with pytest.raises(LookupError, match="scorer-7"):
        explained([_candidate(A, score=1.0)], "scorer-7", None)


def test_what_decided_a_rank_is_the_feature_that_set_it_back_most() -> None:
    """Against the one just above; for the first, what lifts it above the mean."""
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


def test_a_difference_that_nobody_sees_decided_nothing() -> None:
    """Figures are shown with three places; none of them is +0.000."""
    alike = [_candidate(A, score=0.5001, similarity=0.5001), _candidate(B, score=0.5, similarity=0.5)]

    first, second = decided(alike, *explained(alike, "document-003", None))

    assert first == "hardly any difference against the mean"
    assert second == "hardly any difference against the one above"


def test_a_rank_that_no_feature_decided_says_so() -> None:
    """Yielding to a newer memory, and ties."""
    newer = _candidate(A, score=0.5)
    yielding = _candidate(B, score=0.499).model_copy(update={"yields_to": A})

    assert _words(newer, yielding, own=0.6) == f"yields to {str(A)[:8]}"
    assert _words(newer, yielding).endswith("against the one above"), "it would be behind anyway"
    assert _words(newer, _candidate(C, score=0.5)) == "equal score and relevance: by id"
    assert _words(newer.model_copy(update={"relevance": 0.9}), _candidate(C, score=0.5)) == "equal score: less relevant"


def _words(above: Candidate, below: Candidate, own: float | None = None) -> str:
    scores_of_features = np.array([above.score, below.score if own is None else own])
    return decided([above, below], np.zeros((2, 9)), scores_of_features)[1]


def _candidate(memory_id: UUID, *, score: float, **features: float) -> Candidate:
    raw: Sequence[float] = [features.get(name, 0.0) for name in FEATURES]
    return Candidate(memory_id=memory_id, similarity=0, lexical=0, relevance=0, features=tuple(raw), score=score)
