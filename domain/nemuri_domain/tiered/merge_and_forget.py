"""What long-term memory merges and what it forgets (document 004 §4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nemuri_contracts.tiered import Group
from nemuri_domain.tiered.aggregate import HOUR, TierMemory, in_order
from nemuri_domain.tiered.consolidation import Vectors, as_group, clusters
from nemuri_domain.tiered.policy import TiersPolicy

Numbers = NDArray[np.float64]


def recency(at: ArrayLike, now: float, decay_per_hour: float) -> Numbers:
    """exp(-λ · hours since it began), 0 to 1 (§4.6.1); what begins later than now is as new as can be."""
    hours = np.maximum(0.0, now - np.asarray(at, np.float64)) / HOUR
    return np.asarray(np.exp(-decay_per_hour * hours), np.float64)


def access_weight(counts: ArrayLike) -> Numbers:
    """log(1 + count) / log(1 + the highest count), 0 to 1; 0 for all while nothing was retrieved (§4.3)."""
    known = np.asarray(counts, np.float64)
    most = known.max(initial=0.0)
    return np.log1p(known) / np.log1p(most) if most > 0 else np.zeros_like(known)


@dataclass(frozen=True, slots=True)
class Fading:
    """Long-term memories as columns, all of the same length."""

    ids: Sequence[UUID]
    at: Numbers
    importance: Numbers
    access_count: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    """What is shared, or becomes part of another memory already: it counts, and nothing happens to it."""

    @classmethod
    def of(cls, memories: Sequence[TierMemory]) -> "Fading":
        """The columns of memories in long-term memory."""
        rows = [(each.at, each.importance, each.access_count, each.shared or each.going) for each in memories]
        at, importance, counts, fixed = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(
            [each.memory_id for each in memories],
            np.array(at, np.float64),
            np.array(importance, np.float64),
            np.array(counts, np.int64),
            np.array(fixed, bool),
        )


def decay_factor(fading: Fading, now: float, rules: TiersPolicy) -> Numbers:
    """importance · recency · access weight, 0 to 1 (§4.3)."""
    fresh = recency(fading.at, now, rules.retrieval.decay_per_hour)
    return np.asarray(fading.importance * fresh * access_weight(fading.access_count), np.float64)


@dataclass(frozen=True, slots=True)
class Faded:
    """What becomes of long-term memories."""

    deleted: tuple[UUID, ...] = ()
    """Weakest first."""
    mergeable: tuple[UUID, ...] = ()
    """Weakest first."""


def faded(fading: Fading, now: float, rules: TiersPolicy) -> Faded:
    """What is forgotten, and what is to be merged with what is like it: nothing below 80 % of the capacity.

    Forgotten: never retrieved and importance · recency below 0.05, so that never having been retrieved is not enough by
    itself. To be merged: a decay factor below 0.1. Neither where it is younger than the minimum age. Above the capacity
    itself the weakest go whatever their age, until it holds.
    """
    long, count = rules.long_term, len(fading.ids)
    if count < long.forgetting_from * long.capacity:
        return Faded()
    strength = fading.importance * recency(fading.at, now, rules.retrieval.decay_per_hour)
    factor = decay_factor(fading, now, rules)
    old = (now - fading.at >= long.min_age_hours * HOUR) & ~fading.fixed
    weakest = [int(each) for each in _ranked(fading, factor, strength) if not fading.fixed[each]]
    gone = old & (fading.access_count == 0) & (strength < long.delete_below)
    deleted = [each for each in weakest if gone[each]][: long.at_once]
    over = count - len(deleted) - long.capacity
    if over > 0:
        chosen = set(deleted)
        deleted += [each for each in weakest if each not in chosen][: min(over, long.at_once - len(deleted))]
    dropped, merging = set(deleted), old & (factor < long.merge_below)
    mergeable = [each for each in weakest if merging[each] and each not in dropped][: long.at_once]
    return Faded(tuple(fading.ids[each] for each in deleted), tuple(fading.ids[each] for each in mergeable))


def merging(memories: Sequence[TierMemory], vectors: Vectors, rules: TiersPolicy) -> tuple[Group, ...]:
    """Which of the mergeable memories become one; what is like nothing else stays as it is."""
    found = clusters(sorted(memories, key=in_order), vectors, rules)
    return tuple(as_group(each) for each in found if len(each) > 1)


def _ranked(fading: Fading, factor: Numbers, strength: Numbers) -> NDArray[Any]:
    """Places from the weakest to the strongest; the older first where they are equal, then by id."""
    ids = np.array([each.int for each in fading.ids], object)
    by_id = np.argsort(ids, kind="stable")
    order = np.lexsort((fading.at[by_id], strength[by_id], factor[by_id]))
    return np.asarray(by_id[order])
