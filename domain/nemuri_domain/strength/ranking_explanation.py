"""Why the candidates of a retrieval came in this order: what each feature added to each score."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from math import factorial
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.scorers import Weights
from nemuri_contracts.strength import FEATURES, Candidate
from nemuri_domain.strength import scorer
from nemuri_domain.strength.policy import Policy
from nemuri_domain.strength.ranking import VERSIONS, scores, transformed

Floats = NDArray[np.float64]
Score = Callable[[Floats], Floats]
"""From rows of nine features, shape (n, 9), to a score for each of them, shape (n,)."""

LINEAR: Final = "linear-1"
ROUNDING: Final = 1e-9
"""Scores that differ by less are equal."""
SMALLEST: Final = 0.0005
"""What decides less than this would be shown as nothing at all."""
_DOCUMENTED: Final = {name: Policy.of({"ranking": policy}) for policy, name in VERSIONS.items() if name != LINEAR}
_ALL: Final = len(FEATURES)
_COALITIONS: Final = (np.arange(2**_ALL)[:, None] >> np.arange(_ALL) & 1).astype(np.bool_)
"""Every set of features, shape (512, 9)."""


def scored_by(ranking: str, raw: Floats, weights: Weights | None) -> tuple[Floats, Score]:
    """The features as the ranking of this name sees them, and its score of them: the only place that knows rankings.

    `weights` are those of the learned scorer of that name. Raises LookupError for a ranking that is not known.
    """
    if ranking in _DOCUMENTED:
        return raw, partial(scores, policy=_DOCUMENTED[ranking])
    if ranking == LINEAR:
        return transformed(raw), scorer.linear
    if weights is None:
        raise LookupError(f"nothing is known of the ranking {ranking!r}")
    return transformed(raw), partial(scorer.scores, weights)


def contributions(rows: Floats, score: Score) -> Floats:
    """What each feature adds to each row's score, shape (n, 9); together score(row) - score(mean row), for any score.

    Exact Shapley values: the mean difference that a feature's own value makes in place of the mean one, over all
    orders in which the nine features can take their own values. For a linear score that is weight × (value - mean).
    """
    if not len(rows):
        return np.zeros((0, _ALL))
    mixed = np.where(_COALITIONS, rows[:, None, :], rows.mean(axis=0))
    values = score(mixed.reshape(-1, _ALL)).reshape(len(rows), -1)
    size = _COALITIONS.sum(axis=1)
    orders = np.array([factorial(n) * factorial(_ALL - 1 - n) / factorial(_ALL) for n in range(_ALL)])
    joined, missing = orders[np.maximum(size - 1, 0)], orders[np.minimum(size, _ALL - 1)]
    return np.asarray(values @ np.where(_COALITIONS, joined[:, None], -missing[:, None]))


def explained(candidates: Sequence[Candidate], ranking: str, weights: Weights | None) -> tuple[Floats, Floats]:
    """The contributions of the candidates' features, shape (n, 9), and the scores that these give, shape (n,).

    One that yields to another may stand at a lower score than its features give. Raises LookupError as `scored_by`.
    """
    raw = np.array([each.features for each in candidates], np.float64).reshape(-1, _ALL)
    rows, score = scored_by(ranking, raw, weights)
    return contributions(rows, score), score(rows)


def decided(candidates: Sequence[Candidate], added: Floats, own: Floats) -> tuple[str, ...]:
    """What decided the rank of each candidate, in words, from what `explained` found of them.

    For the first that is what lifts it most; for any other what sets it back most against the one just above it.
    """
    if not candidates:
        return ()
    best = int(added[0].argmax())
    first = f"{_led(best, added[0, best])} against the mean"
    pairs = zip(pairwise(candidates), added[:-1] - added[1:], own[1:].tolist(), strict=True)
    return (first, *(_behind(above, below, lead, score) for (above, below), lead, score in pairs))


def _behind(above: Candidate, below: Candidate, lead: Floats, own: float) -> str:
    """Why a candidate, whose features give it the score `own`, is not above the one before it."""
    if below.yields_to is not None and own > below.score + ROUNDING:
        return f"yields to {_short(below.yields_to)}"
    if below.score == above.score:
        return "equal score: less relevant" if below.relevance < above.relevance else "equal score and relevance: by id"
    most = int(lead.argmax())
    return f"{_led(most, -lead[most])} against the one above"


def _led(feature: int, difference: float) -> str:
    return f"{FEATURES[feature]} {difference:+.3f}" if abs(difference) >= SMALLEST else "hardly anything"


def _short(memory_id: UUID) -> str:
    return str(memory_id)[:8]
