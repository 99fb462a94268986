"""Tests of ranking with the learned scorer, which starts as a copy of the linear score (document 000 §3.4)."""

import numpy as np
import pytest
from hypothesis import given as for_any
from hypothesis import strategies as st

from nemuri_contracts.scorers import HeldOut, Weights
from nemuri_contracts.strength import FEATURES
from nemuri_domain.strength import scorer
from nemuri_domain.strength.aggregate import Scorer
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import scores, version
from tests.unit.domain.strength.stories import AGENT, BEGINNING

UNIT = st.floats(0, 1)
ROWS = st.lists(st.tuples(*[UNIT] * len(FEATURES)), min_size=1, max_size=30)
WEIGHTS = st.builds(
    lambda hidden, bias, output, last: Weights(hidden=hidden, hidden_bias=bias, output=output, output_bias=last),
    st.lists(st.tuples(*[st.floats(-5, 5)] * len(FEATURES)), min_size=16, max_size=16),
    st.lists(st.floats(-5, 5), min_size=16, max_size=16),
    st.lists(st.floats(-5, 5), min_size=16, max_size=16),
    st.floats(-5, 5),
)


@for_any(ROWS)
def test_the_copy_ranks_as_the_linear_score(rows: list[tuple[float, ...]]) -> None:
    """The copy ranks any two candidates in the same order as the linear score, and their scores are nearly equal."""
    features = np.array(rows)

    copied, linear = scorer.scores(scorer.copy_of_linear(), features), scorer.linear(features)

    apart = np.subtract.outer(linear, linear)
    assert (np.sign(np.subtract.outer(copied, copied)) == np.sign(apart))[np.abs(apart) > 1e-12].all()
    assert scorer.logits(scorer.copy_of_linear(), features) == pytest.approx(4.0 * (linear - 0.5), abs=1e-12)
    assert np.abs(copied - linear).max() < 0.12


def test_the_copy_can_learn() -> None:
    """The copy, a network of 9, 16 and 1 units, can be trained: its hidden units differ and all are active.

    Leaving one of them out changes no order.
    """
    copy = scorer.copy_of_linear()
    corners = np.array(np.meshgrid(*[(0.0, 1.0)] * len(FEATURES))).reshape(len(FEATURES), -1).T

    hidden = corners @ np.array(copy.hidden).T + np.array(copy.hidden_bias)

    assert np.array(copy.hidden).shape == (16, 9)
    assert len(set(copy.hidden)) == 16
    assert (hidden >= -1e-12).all()
    rows = np.random.default_rng(1).random((200, len(FEATURES)))
    for left_out in range(16):
        output = tuple(0.0 if place == left_out else each for place, each in enumerate(copy.output))
        kept = scorer.logits(copy.model_copy(update={"output": output}), rows)
        assert np.corrcoef(kept, scorer.linear(rows))[0, 1] > 0.98


@for_any(WEIGHTS, ROWS)
def test_scores_are_between_0_and_1_in_the_order_of_the_logits(weights: Weights, rows: list[tuple[float, ...]]) -> None:
    """Scores of any weights are between 0 and 1, in the order of the logits."""
    features = np.array(rows)

    found, logits = scorer.scores(weights, features), scorer.logits(weights, features)

    assert ((found >= 0) & (found <= 1)).all()
    assert (np.diff(found[np.argsort(logits, kind="stable")]) >= 0).all()


def test_the_importance_of_features_in_a_copy_is_the_linear_weight() -> None:
    """The importance of a feature is on the scale of the linear weights: in a copy it equals them.

    A scorer whose weights are zero has importance 0.
    """
    copy = scorer.copy_of_linear()

    assert scorer.importance(copy) == pytest.approx(dict(zip(FEATURES, scorer.LINEAR, strict=True)), abs=1e-12)
    nothing = copy.model_copy(update={"output": (0.0,) * 16})
    assert scorer.importance(nothing) == dict.fromkeys(FEATURES, 0.0)


@pytest.mark.parametrize(
    ("ranking", "serves", "expected"),
    [
        ("learned", True, "scorer-3"),
        ("learned", False, "linear-1"),
        ("linear", True, "linear-1"),
        ("document_003", True, "document-003"),
    ],
)
def test_the_scorer_ranks_only_if_it_serves_and_the_policy_allows_it(ranking: str, serves: bool, expected: str) -> None:
    """The learned scorer ranks only if it is good enough and the policy allows it.

    Otherwise the linear score or the score of document 003 ranks. The name of the ranking says which.
    """
    policy = Policy.model_validate({"ranking": ranking})
    known = _scorer(serves=serves)
    raw = np.random.default_rng(2).random((20, len(FEATURES)))

    assert version(policy, known) == expected
    assert version(policy, None) == version(policy, _scorer(serves=False))
    same = scores(raw, policy, known).tolist() == scores(raw, policy).tolist()
    assert same is (expected != "scorer-3")


def _scorer(*, serves: bool) -> Scorer:
    return Scorer(
        agent_id=AGENT,
        number=3,
        weights=scorer.copy_of_linear(),
        samples=100,
        tasks=40,
        until=9,
        held_out=HeldOut(tasks=10, learned=0.5, linear=0.4, error=0.01),
        serves=serves,
        trained_at=BEGINNING,
    )
