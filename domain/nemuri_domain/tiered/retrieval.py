"""Retrieval by relevance, recency and importance, with weights per module (document 004 §4.6)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Layer, MemoryType
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.merge_and_forget import recency
from nemuri_domain.tiered.policy import Pattern, TiersPolicy

LAYERS: Final[tuple[Layer, ...]] = get_args(Layer)
TYPES: Final[tuple[MemoryType, ...]] = tuple(each for group in get_args(MemoryType) for each in get_args(group))
CANDIDATES_PER_RESULT: Final = 2
"""Candidates per layer, as a multiple of the number wanted, because some may contain the same experiences."""
COLUMNS: Final = np.dtype([("layer", "i1"), ("type", "i1"), ("at", "f8"), ("importance", "f8")])
"""One row per memory: indexes into `LAYERS` and `TYPES`, seconds of the agent's clock, importance 0 to 1."""
Rows = NDArray[Any]
"""Array of shape (n,) of `COLUMNS`."""
Relevance = NDArray[np.floating[Any]]
"""Array of shape (n,): the cosine of each memory to the query, -1 to 1."""


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


def row_of(memory: TierMemory) -> tuple[int, int, float, float]:
    """Return the columns of a memory."""
    return LAYERS.index(memory.layer), TYPES.index(memory.type), memory.at, memory.importance


def restricted_pattern(pattern: Pattern, layers: Collection[Layer] = (), top: int | None = None) -> Pattern:
    """Return a module's pattern restricted to `layers`, if any is given, and to `top` memories, if given."""
    if not layers and top is None:
        return pattern
    kept = tuple(each for each in pattern.layers if not layers or each == "working" or each in layers)
    return pattern.model_copy(update={"layers": kept} | ({} if top is None else {"top": top}))


def current_time(agent: TiersAgent, newest: float | None, clock: float) -> float:
    """Return the current time in seconds of the agent's clock.

    That is `clock`, the log's clock, unless the newest memory is older than the agent's definition: then the agent
    lives on a simulation's clock, and the time of its newest memory is returned.
    """
    return clock if newest is None or newest >= agent.began else newest


def rank(
    name: Callable[[int], UUID], rows: Rows, relevance: Relevance, now: float, pattern: Pattern, rules: TiersPolicy
) -> list[ScoredMemory]:
    """Return the candidates for a module from its layers and types, best first; ties are broken by id.

    Of short-term memory only the newest `recent` are searched. Each layer gives about twice the pattern's `top`; more
    if scores are equal. `name` maps a row to the memory's id.
    """
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
            mine &= np.isin(rows["type"], [TYPES.index(each) for each in pattern.types])
        wanted |= _best(mine, scores, pattern.top * CANDIDATES_PER_RESULT)
    chosen = sorted(map(int, np.flatnonzero(wanted)), key=lambda each: (-scores[each], name(each)))
    return [
        ScoredMemory(
            name(each),
            LAYERS[rows["layer"][each]],
            float(relevance[each]),
            float(fresh[each]),
            float(rows["importance"][each]),
            float(scores[each]),
        )
        for each in chosen
    ]


def without_shared_experiences(
    found: Sequence[ScoredMemory], origins: Callable[[UUID], Collection[UUID]], top: int
) -> list[ScoredMemory]:
    """Return the best `top` memories, skipping each that shares an experience with a better one (document 004 §4.6.2).

    `origins` returns the ids of the experiences that a memory was made from; its own id if it is an experience.
    """
    told, kept = set[UUID](), list[ScoredMemory]()
    for each in found:
        if len(kept) == top:
            break
        experiences = set(origins(each.memory_id)) | {each.memory_id}
        if told.isdisjoint(experiences):
            told |= experiences
            kept.append(each)
    return kept


def _newest(mine: NDArray[np.bool_], at: NDArray[Any], most: int) -> NDArray[np.bool_]:
    return mine if int(mine.sum()) <= most else _best(mine, at, most)


def _best(mine: NDArray[np.bool_], values: NDArray[Any], most: int) -> NDArray[np.bool_]:
    """Return the mask of those in `mine` with the highest `most` values. Includes all that equal the last one, so that
    the input order does not matter.
    """
    if int(mine.sum()) <= most or most == 0:
        return mine & (most > 0)
    bound = np.partition(values[mine], -most)[-most]
    return np.asarray(mine & (values >= bound), bool)
