"""What comes to mind, by relevance, recency and importance, and for each module in its own way (document 004 §4.6)."""

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
SPARE: Final = 2
"""So many times as many candidates of each layer as are wanted, in case some of them tell the same."""
COLUMNS: Final = np.dtype([("layer", "i1"), ("type", "i1"), ("at", "f8"), ("importance", "f8")])
"""One row for each memory: places in `LAYERS` and `TYPES`, seconds, 0 to 1."""
Rows = NDArray[Any]
"""Shape (n,) of `COLUMNS`."""
Relevance = NDArray[np.floating[Any]]
"""Shape (n,): the cosine of each memory to what is asked, -1 to 1."""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory that came to mind, and why."""

    memory_id: UUID
    layer: Layer
    relevance: float
    recency: float
    importance: float
    score: float
    """alpha · relevance + beta · recency + gamma · importance."""


def row_of(memory: TierMemory) -> tuple[int, int, float, float]:
    """A memory's columns."""
    return LAYERS.index(memory.layer), TYPES.index(memory.type), memory.at, memory.importance


def asking(pattern: Pattern, layers: Collection[Layer] = (), top: int | None = None) -> Pattern:
    """A module's way, in some of its layers only where any is named, and for so many where that is said."""
    if not layers and top is None:
        return pattern
    kept = tuple(each for each in pattern.layers if not layers or each == "working" or each in layers)
    return pattern.model_copy(update={"layers": kept} | ({} if top is None else {"top": top}))


def present(agent: TiersAgent, newest: float | None, clock: float) -> float:
    """What time it is for an agent: by the log's clock, or where all that it lived through was in a simulation, which
    nobody else's clock tells, when that last happened.
    """
    return clock if newest is None or newest >= agent.began else newest


def ranked(
    name: Callable[[int], UUID], rows: Rows, relevance: Relevance, now: float, pattern: Pattern, rules: TiersPolicy
) -> list[Found]:
    """The candidates for a module, best first: of each layer that it looks in, of the types that it wants.

    Of short-term memory only the newest `recent` are looked at. Of each layer there are up to twice as many as the
    pattern's `top`. Equal ones in the order of their ids; `name` is the id of the memory in a row.
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
        wanted |= _best(mine, scores, pattern.top * SPARE)
    chosen = sorted(map(int, np.flatnonzero(wanted)), key=lambda each: (-scores[each], name(each)))
    return [
        Found(
            name(each),
            LAYERS[rows["layer"][each]],
            float(relevance[each]),
            float(fresh[each]),
            float(rows["importance"][each]),
            float(scores[each]),
        )
        for each in chosen
    ]


def merged(found: Sequence[Found], origins: Callable[[UUID], Collection[UUID]], top: int) -> list[Found]:
    """The best of several layers, at most `top`, none that tells of an experience that a better one tells of (§4.6.2).

    `origins` are the experiences that a memory came from; itself, where it is one.
    """
    told, kept = set[UUID](), list[Found]()
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
    """Those of `mine` whose values are among the highest; all that equal the last of them, so that no order decides."""
    if int(mine.sum()) <= most or most == 0:
        return mine & (most > 0)
    bound = np.partition(values[mine], -most)[-most]
    return np.asarray(mine & (values >= bound), bool)
