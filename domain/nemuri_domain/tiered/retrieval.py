"""Retrieval by relevance, recency and importance, with weights per module (document 004 §4.6), and visibility of shared
memories (§4.8.3).
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Layer, MemoryType, Module
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.merge_and_forget import recency
from nemuri_domain.tiered.policy import Pattern, TiersPolicy

LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
TYPES: Final[tuple[MemoryType, ...]] = tuple(argument for group in get_args(MemoryType) for argument in get_args(group))
CANDIDATES_PER_RESULT: Final = 2
"""Number of candidates per layer for each wanted memory. There are more than wanted, because some contain the same
experiences.
"""
FIELDS: Final = ("layer", "type", "at", "importance")
"""The fields of a memory that the index holds."""
COLUMNS: Final = np.dtype([("layer", "i1"), ("type", "i1"), ("at", "f8"), ("importance", "f8")])
"""Columns of the index: places in `LAYERS` and `TYPES`, time in seconds of the agent's clock, and importance 0 to 1."""
MemoryLookup = Callable[[UUID], TierMemory]
"""Function that returns the memory with an id."""


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A retrieved memory with its scores."""

    memory_id: UUID
    layer: Layer
    relevance: float
    recency: float
    importance: float
    score: float
    """The weighted sum alpha · relevance + beta · recency + gamma · importance."""


def columns_of(layer: Layer, kind: MemoryType, at: float, importance: float) -> tuple[int, int, float, float]:
    """Return the values of the `COLUMNS` of a memory with these `FIELDS`."""
    return LAYERS.index(layer), TYPES.index(kind), at, importance


def restricted_pattern(pattern: Pattern, layers: Collection[Layer] = (), top: int | None = None) -> Pattern:
    """Return a module's pattern, restricted to these layers if any are given, and with `top` memories if `top` is
    given.

    Working memory is never removed from the pattern's layers.
    """
    if not layers and top is None:
        return pattern
    kept = tuple(layer for layer in pattern.layers if not layers or layer == "working" or layer in layers)
    return pattern.model_copy(update={"layers": kept} | ({} if top is None else {"top": top}))


def current_time(agent: TiersAgent, newest: float | None, clock: float) -> float:
    """Return the current time in seconds of the agent's clock. `clock` is the time by the log's clock.

    If the newest memory is older than the agent's definition, the agent lives on a simulation's clock. Then its current
    time is that of the newest memory, given in `newest`.
    """
    return clock if newest is None or newest >= agent.began else newest


def rank(
    index: MemoryIndex, asked: NDArray[np.float32], now: float, pattern: Pattern, rules: TiersPolicy
) -> list[ScoredMemory]:
    """Return the candidates for a module from the pattern's layers and types, best first; ties are broken by id.

    `asked` is the vector of the query, of length 1, and `now` the time by the agent's clock. Only the newest `recent`
    memories of the short-term layer are searched. Each layer gives up to twice the pattern's `top`, or more if scores
    are equal.
    """
    rows, relevance = index.features, index.cosines(asked[None])[:, 0]
    wanted = np.zeros(len(rows), bool)
    fresh = recency(rows["at"], now, rules.retrieval.decay_per_hour)
    scores = pattern.alpha * relevance + pattern.beta * fresh + pattern.gamma * rows["importance"]
    for place, layer in enumerate(LAYERS):
        if layer not in pattern.layers:
            continue
        mine = rows["layer"] == place
        if layer == "short":
            mine &= _newest(mine, rows["at"], rules.retrieval.recent)
        if pattern.types:
            mine &= np.isin(rows["type"], [TYPES.index(kind) for kind in pattern.types])
        wanted |= _best(mine, scores, pattern.top * CANDIDATES_PER_RESULT)
    chosen = sorted(map(int, np.flatnonzero(wanted)), key=lambda row: (-scores[row], index.ids[row]))
    return [
        ScoredMemory(
            index.id(row),
            LAYERS[rows["layer"][row]],
            float(relevance[row]),
            float(fresh[row]),
            float(rows["importance"][row]),
            float(scores[row]),
        )
        for row in chosen
    ]


def without_shared_experiences(
    found: Sequence[ScoredMemory], origins: Callable[[UUID], Collection[UUID]], top: int
) -> list[ScoredMemory]:
    """Return the best `top` memories. A memory that shares an experience with a better one is skipped (document 004
    §4.6.2).

    `found` has the best memory first. `origins` returns the ids of the experiences that a memory contains.
    """
    told, kept = set[UUID](), list[ScoredMemory]()
    for scored_memory in found:
        if len(kept) == top:
            break
        experiences = set(origins(scored_memory.memory_id)) | {scored_memory.memory_id}
        if told.isdisjoint(experiences):
            told |= experiences
            kept.append(scored_memory)
    return kept


def recalled(
    index: MemoryIndex,
    agent: TiersAgent,
    known: MemoryLookup,
    asked: NDArray[np.float32],
    now: float,
    module: Module = "default",
    top: int | None = None,
) -> list[tuple[ScoredMemory, TierMemory]]:
    """Return the memories for a module, best first.

    `top` replaces the number of memories of the module's pattern, if given. Working memory is not searched.
    """
    pattern = restricted_pattern(agent.rules.pattern(module), top=top)
    memories: dict[UUID, TierMemory] = {}

    def origins(memory_id: UUID) -> frozenset[UUID]:
        memories[memory_id] = known(memory_id)
        return memories[memory_id].origins

    found = rank(index, asked, now, pattern, agent.rules)
    return [
        (scored_memory, memories[scored_memory.memory_id])
        for scored_memory in without_shared_experiences(found, origins, pattern.top)
    ]


class HasVisibility(Protocol):
    """The fields of a memory that decide which agents may see it."""

    @property
    def agent_id(self) -> str:
        """Id of the agent that owns the memory."""

    @property
    def scope(self) -> str:
        """Scope of sharing: private, global, group or bilateral."""

    @property
    def visible_to(self) -> tuple[str, ...]:
        """Ids of the agents with which the memory is shared."""


def is_visible(memory: HasVisibility, agent_id: str) -> bool:
    """Return True if an agent may see the memory: its owner may, every agent if the scope is global, else the agents in
    `visible_to`.
    """
    return (
        memory.agent_id == agent_id
        or memory.scope == "global"
        or (memory.scope in ("group", "bilateral") and agent_id in memory.visible_to)
    )


def _newest(mine: NDArray[np.bool_], at: NDArray[Any], most: int) -> NDArray[np.bool_]:
    return mine if int(mine.sum()) <= most else _best(mine, at, most)


def _best(mine: NDArray[np.bool_], values: NDArray[Any], most: int) -> NDArray[np.bool_]:
    """Return the mask of the rows in `mine` with the `most` highest values.

    All rows with the lowest of these values are included, so that the order of the rows does not matter.
    """
    if int(mine.sum()) <= most or most == 0:
        return mine & (most > 0)
    bound = np.partition(values[mine], -most)[-most]
    return np.asarray(mine & (values >= bound), bool)
