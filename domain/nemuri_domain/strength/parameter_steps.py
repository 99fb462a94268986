"""One bounded step of a policy parameter, as `nemuri doctor` proposes it (document 003 §6.2)."""

from collections.abc import Sequence
from typing import Final, Literal

STEP: Final = 1.25
"""Factor of one step up. A step down divides by it, so that one step up and one down cancel out."""
ROOM: Final = 1.5
"""Factor by which a nearly reached limit is raised."""
THRESHOLD: Final = (0.02, 0.4)
"""Bounds for recommended archive thresholds: above 0, and below the reactivation strength (0.5)."""
TOP_K: Final = (3, 50)
FLOOR: Final = (0.02, 0.5)
"""Bounds for recommended relevance floors. Hardly any memory contains more than half of a query's terms
(`bench/abstention.py`).
"""
MOST_USES: Final = 1_000
"""Maximum recommended number of uses for the highest consolidation level, ten times that of document 003 §4.2."""

Direction = Literal["raise", "lower"]


def step_parameter(parameter: str, present: float, direction: Direction) -> float:
    """Return the parameter's value after one step, within the parameter's bounds.

    A value that is already beyond the bound stays. A raised 0 becomes the lower bound.
    """
    low, high = {
        "archive_threshold": THRESHOLD,
        "top_k_results": TOP_K,
        "relevance_floor": FLOOR,
    }.get(parameter, (0.0, float("inf")))
    factor = ROOM if parameter.startswith("max_") else STEP
    wanted = (present * factor or low) if direction == "raise" else present / factor
    if isinstance(present, int):
        wanted = max(round(wanted), present + 1) if direction == "raise" else min(round(wanted), present - 1)
    bounded = max(present, min(wanted, high)) if direction == "raise" else min(present, max(wanted, low))
    if bounded == present:
        return present
    return int(bounded) if isinstance(present, int) else float(f"{bounded:.3g}")


def step_thresholds(present: Sequence[int], direction: Direction) -> tuple[int, ...]:
    """Return the consolidation thresholds after one step: each changed by the factor `STEP`, at least by one use.

    They still begin with 0 and rise. They stay if the step would raise the last one above `MOST_USES`. A threshold is
    not lowered below its level: each level needs one use more than the level below.
    """
    if direction == "raise":
        wanted = [0, *(max(round(threshold * STEP), threshold + 1) for threshold in present[1:])]
        return tuple(present) if wanted[-1] > MOST_USES else _rising(wanted)
    return _rising([max(level, min(round(threshold / STEP), threshold - 1)) for level, threshold in enumerate(present)])


def _rising(thresholds: Sequence[int]) -> tuple[int, ...]:
    """Return the thresholds with each one raised, if necessary, above the one before."""
    found: list[int] = []
    for threshold in thresholds:
        found.append(max(threshold, found[-1] + 1) if found else threshold)
    return tuple(found)
