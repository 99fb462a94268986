"""What becomes of which memories, and when: from short-term to long-term memory (document 004 §4.2.2, §4.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Because, Group
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent, in_order
from nemuri_domain.tiered.policy import TiersPolicy

Vectors = Mapping[UUID, NDArray[np.float32]]
"""Of memories, each of length 1 or 0; one that is not there is like nothing."""
AT_ONCE = 1_000
"""Short-term memories that one consolidation takes, at most; the oldest."""
REST = 1e-6
"""What rounding may take from a cosine."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a consolidation does."""

    because: Because
    groups: tuple[Group, ...] = ()
    deleted: tuple[UUID, ...] = ()

    def __bool__(self) -> bool:
        """Whether it does anything."""
        return bool(self.groups or self.deleted)


def capacity(agent: TiersAgent, now: float) -> int:
    """How much short-term memory holds by now (§4.2.2: 100, one hundred more for every hour, 300 at most)."""
    return agent.rules.capacity(agent.hours(now))


def interval(agent: TiersAgent, now: float) -> float:
    """Seconds from one consolidation to the next by now (§4.2.2: ten minutes, after one hour five, after two three)."""
    return agent.rules.consolidation.interval(agent.hours(now))


def due(agent: TiersAgent, now: float) -> Because | None:
    """What a consolidation is due for by itself: there is too much, or it is time; None while neither is."""
    if agent.short >= capacity(agent, now):
        return "capacity"
    last = agent.since(now) if agent.consolidated_at is None else agent.consolidated_at
    return "interval" if agent.short and now - last >= interval(agent, now) else None


def leaving(short: Sequence[TierMemory], agent: TiersAgent, because: Because, now: float) -> list[TierMemory]:
    """Which short-term memories go over, oldest first.

    Too much: the oldest, down to `kept_share` of the capacity. In time: what is older than `retention_minutes`. By
    reflection: all but the newest `kept_by_reflection`. Asked from outside: all.
    """
    rules, oldest = agent.rules.short_term, sorted(short, key=in_order)
    match because:
        case "capacity":
            number = len(oldest) - int(capacity(agent, now) * rules.kept_share)
        case "interval":
            number = sum(now - each.at >= rules.retention_minutes * 60 for each in oldest)
        case "reflection":
            number = len(oldest) - rules.kept_by_reflection
        case "asked":
            number = len(oldest)
    return oldest[: max(0, min(number, AT_ONCE))]


def clusters(memories: Sequence[TierMemory], vectors: Vectors, rules: TiersPolicy) -> list[list[TierMemory]]:
    """Memories that belong together, each oldest first, and the one that begins first before the others.

    Single linkage: two belong together where a chain of neighbours leads from one to the other, each at the cosine
    `similarity` (0.85) or nearer. That depends on no order. A cluster of more than `group_size` is told in pieces, by
    time. Takes time and memory quadratic in their number, so that it is for hundreds of them.
    """
    ordered = sorted(memories, key=in_order)
    near = _near(ordered, vectors, rules.consolidation.similarity)
    alone = near.sum(axis=0) < 2
    left, found = np.ones(len(ordered), bool), list[list[TierMemory]]()
    for first, memory in enumerate(ordered):
        if alone[first]:
            found.append([memory])
        elif left[first]:
            reached = _reached(near, first)
            left &= ~reached
            found += _pieces([ordered[place] for place in np.flatnonzero(reached)], rules.consolidation.group_size)
    return found


def _reached(near: NDArray[np.bool_], first: int) -> NDArray[np.bool_]:
    """All that a chain of neighbours leads to, itself included."""
    reached, edge = np.zeros(len(near), bool), np.zeros(len(near), bool)
    edge[first] = True
    while edge.any():
        reached |= edge
        edge = near[edge].any(axis=0) & ~reached
    return reached


def _near(memories: Sequence[TierMemory], vectors: Vectors, bound: float) -> NDArray[np.bool_]:
    known = [vectors.get(each.memory_id) for each in memories]
    width = max((len(each) for each in known if each is not None), default=1)
    nothing = np.zeros(width, np.float32)
    rows = np.stack([nothing if each is None or len(each) != width else each for each in known] or [nothing])
    cosines: NDArray[Any] = rows @ rows.T
    return cosines[: len(memories), : len(memories)] >= bound - REST


def _pieces(cluster: list[TierMemory], size: int) -> list[list[TierMemory]]:
    return [cluster[start : start + size] for start in range(0, len(cluster), size)]


def as_group(memories: Sequence[TierMemory]) -> Group:
    """Memories of one layer as what an event names."""
    return Group(layer=memories[0].layer, memory_ids=tuple(each.memory_id for each in memories))
