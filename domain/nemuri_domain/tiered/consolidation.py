"""Selection and clustering of short-term memories for consolidation (document 004 §4.2.2, §4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Because, Group
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent, oldest_first
from nemuri_domain.tiered.policy import TiersPolicy

Vectors = Mapping[UUID, NDArray[np.float32]]
"""Vectors of memories by id, each of length 1 or 0. A memory without a vector is similar to no other."""
MEMORIES_PER_RUN = 1_000
"""Maximum number of short-term memories that one consolidation takes. The oldest ones are taken."""
COSINE_TOLERANCE = 1e-6
"""Tolerance for rounding errors of a cosine."""


@dataclass(frozen=True, slots=True)
class ConsolidationPlan:
    """The plan of one consolidation: groups of memories, each of which becomes one memory, and memories to delete."""

    because: Because
    groups: tuple[Group, ...] = ()
    deleted: tuple[UUID, ...] = ()

    def __bool__(self) -> bool:
        """Return True if the plan contains anything to do."""
        return bool(self.groups or self.deleted)


def capacity(agent: TiersAgent, now: float) -> int:
    """Return the capacity of short-term memory at `now` (document 004 §4.2.2).

    The default is 100 memories, plus 100 for every full hour of the agent's life, at most 300.
    """
    return agent.rules.capacity(agent.hours(now))


def interval(agent: TiersAgent, now: float) -> float:
    """Return the seconds between two consolidations at `now` (document 004 §4.2.2).

    The default is ten minutes in the first hour of the agent's life, five in the second, and three after that.
    """
    return agent.rules.consolidation.interval(agent.hours(now))


def due_reason(agent: TiersAgent, now: float) -> Because | None:
    """Return the reason why a consolidation is due; None if it is not.

    `capacity`: short-term memory is full. `interval`: the interval since the last consolidation is over.
    """
    if agent.short >= capacity(agent, now):
        return "capacity"
    last = agent.since(now) if agent.consolidated_at is None else agent.consolidated_at
    return "interval" if agent.short and now - last >= interval(agent, now) else None


def memories_to_move(short: Sequence[TierMemory], agent: TiersAgent, because: Because, now: float) -> list[TierMemory]:
    """Return the short-term memories that move to long-term memory, oldest first, at most `MEMORIES_PER_RUN`.

    `capacity`: the oldest, until `kept_share` of the capacity is left. `interval`: those older than
    `retention_minutes`. `reflection`: all except the newest `kept_by_reflection`. `asked` (by a client): all.
    """
    rules, oldest = agent.rules.short_term, sorted(short, key=oldest_first)
    match because:
        case "capacity":
            number = len(oldest) - int(capacity(agent, now) * rules.kept_share)
        case "interval":
            number = sum(now - memory.at >= rules.retention_minutes * 60 for memory in oldest)
        case "reflection":
            number = len(oldest) - rules.kept_by_reflection
        case "asked":
            number = len(oldest)
    return oldest[: max(0, min(number, MEMORIES_PER_RUN))]


def clusters(memories: Sequence[TierMemory], vectors: Vectors, rules: TiersPolicy) -> list[list[TierMemory]]:
    """Return clusters of similar memories. Each cluster has its oldest memory first; the clusters are ordered by that
    memory.

    Single linkage: two memories are in the same cluster if a chain of neighbours connects them, where neighbours have a
    cosine of at least `similarity` (0.85). The order of `memories` does not matter. A cluster of more than `group_size`
    memories is divided into pieces by time. Time and space are quadratic, so pass hundreds of memories at most.
    """
    ordered = sorted(memories, key=oldest_first)
    near = _near(ordered, vectors, rules.consolidation.similarity)
    alone = near.sum(axis=0) < 2
    left, found = np.ones(len(ordered), bool), list[list[TierMemory]]()
    for first, memory in enumerate(ordered):
        if alone[first]:
            found.append([memory])
        elif left[first]:
            reached = _reached(near, first)
            left &= ~reached
            found += _pieces([ordered[index] for index in np.flatnonzero(reached)], rules.consolidation.group_size)
    return found


def _reached(near: NDArray[np.bool_], first: int) -> NDArray[np.bool_]:
    """Return a mask of all memories that a chain of neighbours connects to the memory in row `first`, itself
    included.
    """
    reached, edge = np.zeros(len(near), bool), np.zeros(len(near), bool)
    edge[first] = True
    while edge.any():
        reached |= edge
        edge = near[edge].any(axis=0) & ~reached
    return reached


def _near(memories: Sequence[TierMemory], vectors: Vectors, bound: float) -> NDArray[np.bool_]:
    known = [vectors.get(memory.memory_id) for memory in memories]
    width = max((len(vector) for vector in known if vector is not None), default=1)
    nothing = np.zeros(width, np.float32)
    rows = np.stack([nothing if vector is None or len(vector) != width else vector for vector in known] or [nothing])
    cosines: NDArray[Any] = rows @ rows.T
    return cosines[: len(memories), : len(memories)] >= bound - COSINE_TOLERANCE


def _pieces(cluster: list[TierMemory], size: int) -> list[list[TierMemory]]:
    return [cluster[start : start + size] for start in range(0, len(cluster), size)]


def as_group(memories: Sequence[TierMemory]) -> Group:
    """Return the group of these memories, as an event lists it. All must be in the same layer."""
    return Group(layer=memories[0].layer, memory_ids=tuple(memory.memory_id for memory in memories))
