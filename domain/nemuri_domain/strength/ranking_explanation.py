"""Explanation of a ranking: the contribution of each feature to the score of each candidate."""

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
"""Function from rows of nine features, shape (n, 9), to scores, shape (n,)."""

LINEAR: Final = "linear-1"
ROUNDING: Final = 1e-9
"""Maximum difference between two scores that count as equal."""
SMALLEST: Final = 0.0005
"""Minimum contribution that is shown. A smaller one would be displayed as 0."""
_DOCUMENTED: Final = {name: Policy.of({"ranking": policy}) for policy, name in VERSIONS.items() if name != LINEAR}
_ALL: Final = len(FEATURES)
_COALITIONS: Final = (np.arange(2**_ALL)[:, None] >> np.arange(_ALL) & 1).astype(np.bool_)
"""All subsets of the features, one per row, shape (512, 9)."""


def scored_by(ranking: str, raw: Floats, weights: Weights | None) -> tuple[Floats, Score]:
    """Return the features as the named ranking transforms them, and its scoring function.

    Only this function maps names to rankings. `weights` are needed for a learned scorer only. Raises LookupError for an
    unknown ranking.
    """
    if ranking in _DOCUMENTED:
        return raw, partial(scores, policy=_DOCUMENTED[ranking])
    if ranking == LINEAR:
        return transformed(raw), scorer.linear
    if weights is None:
        raise LookupError(f"unknown ranking {ranking!r}")
    return transformed(raw), partial(scorer.scores, weights)


def contributions(rows: Floats, score: Score) -> Floats:
    """Return the contribution of each feature to each score, shape (n, 9). A row sums to score(row) - score(mean row).

    The contributions are exact Shapley values: the change of the score when a feature takes its own value instead of
    the mean, averaged over all orders of the nine features. For a linear score this is weight × (value - mean).
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
    """Return the contributions of the candidates' features, shape (n, 9), and the scores that they give, shape (n,).

    The recorded score of a candidate that yields to another may be lower. Raises LookupError like `scored_by`.
    """
    raw = np.array([candidate.features for candidate in candidates], np.float64).reshape(-1, _ALL)
    rows, score = scored_by(ranking, raw, weights)
    return contributions(rows, score), score(rows)


def decided(candidates: Sequence[Candidate], added: Floats, own: Floats) -> tuple[str, ...]:
    """Return the reason for the rank of each candidate in words. `added` and `own` are the results of `explained`.

    The first candidate's reason is its largest contribution. The reason of any other is its largest disadvantage
    compared with the candidate above it.
    """
    if not candidates:
        return ()
    best = int(added[0].argmax())
    first = f"{_led(best, added[0, best])} against the mean"
    pairs = zip(pairwise(candidates), added[:-1] - added[1:], own[1:].tolist(), strict=True)
    return (first, *(_behind(above, below, lead, score) for (above, below), lead, score in pairs))


def _behind(above: Candidate, below: Candidate, lead: Floats, own: float) -> str:
    """Return the reason why a candidate ranks below the one above it. `own` is the score that its features give."""
    newer = None if below.yields_to is None else _short(below.yields_to)
    if newer is not None and below.held_until is not None:
        return f"held until {below.held_until:%-d %B %Y}; {newer} supersedes it"
    if newer is not None and below.yields_as is None:
        return f"older than {newer} about the same"
    if newer is not None and own > below.score + ROUNDING:
        return f"yields to {newer}, which {below.yields_as} it"
    if below.score == above.score:
        return "equal score: less relevant" if below.relevance < above.relevance else "equal score and relevance: by id"
    most = int(lead.argmax())
    return f"{_led(most, -lead[most])} against the one above"


def _led(feature: int, difference: float) -> str:
    return f"{FEATURES[feature]} {difference:+.3f}" if abs(difference) >= SMALLEST else "hardly any difference"


def _short(memory_id: UUID) -> str:
    return str(memory_id)[:8]
