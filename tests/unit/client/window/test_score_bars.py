"""The bars that show what each feature added to a score."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.window.views.why import ShownRetrieval
from nemuri_contracts.explanation_views import ExplainedCandidate, Explanation
from nemuri_contracts.strength import FEATURES, Candidate

additions = st.lists(st.lists(st.floats(-5, 5), min_size=len(FEATURES), max_size=len(FEATURES)), min_size=1, max_size=5)


def retrieval(rows: list[list[float]]) -> ShownRetrieval:
    """Return a retrieval whose candidates have these contributions."""
    candidates = tuple(
        ExplainedCandidate(
            candidate=Candidate(
                memory_id=uuid4(), similarity=0, lexical=0, relevance=0, features=(0.0,) * len(FEATURES), score=0
            ),
            contributions=tuple(row),
            decided="by lot",
            standing="left out",
            beginning="",
            label=None,
        )
        for row in rows
    )
    explained = Explanation(
        assignment_id=uuid4(),
        agent_id="python",
        perspective=None,
        query="",
        ranking="linear-1",
        deep=False,
        principles=(),
        candidates=candidates,
    )
    return ShownRetrieval(explained, None)


@given(additions)
def test_bars_stay_within_their_picture(rows: list[list[float]]) -> None:
    """Put what was added right of the middle, what was taken away left of it, and nothing outside."""
    drawn = retrieval(rows)
    for candidate in drawn.candidates:
        for part in drawn.segments(candidate):
            assert -0.1 <= part.start <= part.start + part.width <= 100.1
            assert part.start >= 49.9 if part.value > 0 else part.start + part.width <= 50.1


def test_parts_of_one_side_follow_each_other() -> None:
    """Stack the parts without a gap, each as wide as its share of the longest half."""
    drawn = retrieval([[2.0, 1.0, -1.0, *[0.0] * 6], [4.0, *[0.0] * 8]])
    first, *_ = drawn.candidates
    parts = {segment.feature: (segment.start, segment.width) for segment in drawn.segments(first)}
    assert parts == {"similarity": (50, 25), "strength": (75, 12.5), "perspective_strength": (37.5, 12.5)}


def test_a_limit_leaves_candidates_out() -> None:
    """Count the candidates that are not shown."""
    drawn = ShownRetrieval(retrieval([[0.0] * 9] * 3).explained, 2)
    assert (len(drawn.candidates), drawn.left) == (2, 1)
    assert drawn.segments(drawn.candidates[0]) == []
    assert pytest.approx(0) == sum(drawn.candidates[0].contributions)
