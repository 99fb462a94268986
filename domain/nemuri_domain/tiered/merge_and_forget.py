"""Selection of the long-term memories to merge and to forget (document 004 §4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nemuri_contracts.tiered import Group
from nemuri_domain.tiered.aggregate import SECONDS_PER_HOUR, TierMemory, oldest_first
from nemuri_domain.tiered.consolidation import Vectors, as_group, clusters
from nemuri_domain.tiered.policy import TiersPolicy

Numbers = NDArray[np.float64]


def recency(at: ArrayLike, now: float, decay_per_hour: float) -> Numbers:
    """Return exp(-λ · hours since `at`), 0 to 1 (document 004 §4.6.1). A time after `now` gives 1."""
    hours = np.maximum(0.0, now - np.asarray(at, np.float64)) / SECONDS_PER_HOUR
    return np.asarray(np.exp(-decay_per_hour * hours), np.float64)


def access_weight(counts: ArrayLike) -> Numbers:
    """Return log(1 + count) / log(1 + highest count), 0 to 1 (document 004 §4.3). All are 0 if no memory was
    retrieved.
    """
    known = np.asarray(counts, np.float64)
    most = known.max(initial=0.0)
    return np.log1p(known) / np.log1p(most) if most > 0 else np.zeros_like(known)


@dataclass(frozen=True, slots=True)
class LongTermColumns:
    """Long-term memories as columns of the same length."""

    ids: Sequence[UUID]
    at: Numbers
    importance: Numbers
    access_count: NDArray[np.int64]
    fixed: NDArray[np.bool_]
    """True for a memory that is shared or already being merged. Such a memory counts for the capacity, but is neither
    merged nor deleted.
    """

    @classmethod
    def of(cls, memories: Sequence[TierMemory]) -> "LongTermColumns":
        """Return the columns of long-term memories."""
        rows = [
            (memory.at, memory.importance, memory.access_count, memory.shared or memory.merging) for memory in memories
        ]
        at, importance, counts, fixed = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(
            [memory.memory_id for memory in memories],
            np.array(at, np.float64),
            np.array(importance, np.float64),
            np.array(counts, np.int64),
            np.array(fixed, bool),
        )


def decay_factor(fading: LongTermColumns, now: float, rules: TiersPolicy) -> Numbers:
    """Return importance · recency · access weight of each memory, 0 to 1 (document 004 §4.3)."""
    fresh = recency(fading.at, now, rules.retrieval.decay_per_hour)
    return np.asarray(fading.importance * fresh * access_weight(fading.access_count), np.float64)


@dataclass(frozen=True, slots=True)
class ForgettingPlan:
    """Long-term memories to delete and to merge."""

    deleted: tuple[UUID, ...] = ()
    """Ids of the memories to delete: first those that faded, then those that exceed the capacity. In both groups the
    weakest come first.
    """
    mergeable: tuple[UUID, ...] = ()
    """Ids of the memories that may be merged with similar ones, weakest first."""


def plan_forgetting(fading: LongTermColumns, now: float, rules: TiersPolicy) -> ForgettingPlan:
    """Return the long-term memories to delete and those that may be merged; none below `forgetting_from` (80 %) of the
    capacity.

    A memory is deleted if it was never retrieved and importance · recency is below `delete_below` (0.05). It may be
    merged if its decay factor is below `merge_below` (0.1). Both apply only above the minimum age. If the memories
    still exceed the capacity, the weakest are deleted too, at any age. At most `at_once` memories are deleted, and as
    many may be merged.
    """
    long, count = rules.long_term, len(fading.ids)
    if count < long.forgetting_from * long.capacity:
        return ForgettingPlan()
    strength = fading.importance * recency(fading.at, now, rules.retrieval.decay_per_hour)
    factor = decay_factor(fading, now, rules)
    old = (now - fading.at >= long.min_age_hours * SECONDS_PER_HOUR) & ~fading.fixed
    weakest = [int(row) for row in _ranked(fading, factor, strength) if not fading.fixed[row]]
    gone = old & (fading.access_count == 0) & (strength < long.delete_below)
    deleted = [row for row in weakest if gone[row]][: long.at_once]
    over = count - len(deleted) - long.capacity
    if over > 0:
        chosen = set(deleted)
        deleted += [row for row in weakest if row not in chosen][: min(over, long.at_once - len(deleted))]
    dropped, merging = set(deleted), old & (factor < long.merge_below)
    mergeable = [row for row in weakest if merging[row] and row not in dropped][: long.at_once]
    return ForgettingPlan(tuple(fading.ids[row] for row in deleted), tuple(fading.ids[row] for row in mergeable))


def groups_to_merge(memories: Sequence[TierMemory], vectors: Vectors, rules: TiersPolicy) -> tuple[Group, ...]:
    """Return groups of at least two similar memories. Each group becomes one memory. A memory without a similar one is
    in no group.
    """
    found = clusters(sorted(memories, key=oldest_first), vectors, rules)
    return tuple(as_group(cluster) for cluster in found if len(cluster) > 1)


def _ranked(fading: LongTermColumns, factor: Numbers, strength: Numbers) -> NDArray[Any]:
    """Return the row indexes from the weakest to the strongest memory: by decay factor, then by strength, age and
    id.
    """
    ids = np.array([memory_id.int for memory_id in fading.ids], object)
    by_id = np.argsort(ids, kind="stable")
    order = np.lexsort((fading.at[by_id], strength[by_id], factor[by_id]))
    return np.asarray(by_id[order])
