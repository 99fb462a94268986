"""The candidates of a retrieval from affective memory, chosen from the index of an agent's memories."""

from collections.abc import Collection, Iterable
from datetime import datetime
from typing import Any, Final, get_args
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Category, Emotion, NegativeTag, OtherTag, PositiveTag, Tag, Valence
from nemuri_domain.affective.aggregate import ARCHIVED, AffectAgent, AffectMemory
from nemuri_domain.affective.candidate_query import AffectiveRetrieval, PromptVectors
from nemuri_domain.affective.policy import AffectPolicy
from nemuri_domain.affective.retention import retention
from nemuri_domain.affective.retrieval import AffectCandidate
from nemuri_domain.event_sourcing.array_arithmetic import ARRAYS
from nemuri_domain.retrieval.memory_index import MemoryIndex

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
VALENCES: Final[tuple[Valence, ...]] = get_args(Valence)
_TAG_BITS: Final[dict[Tag, int]] = {
    tag: 1 << at
    for at, tag in enumerate(tag for some in (PositiveTag, NegativeTag, OtherTag) for tag in get_args(some))
}
NAMES: Final = ("turn_id", "project")
"""Columns of names."""
FIELDS: Final = (
    "turn_id", "project", "personal", "said_at", "kept", "zero", "begun", "coefficient", "level", "archived_night",
    "recall_count", "valence", "arousal", "tags", "category",
)  # fmt: skip
"""The fields of a memory that the index holds."""
COLUMNS: Final = np.dtype(
    [
        ("turn_id", "i4"), ("project", "i4"), ("personal", "?"), ("said_at", "O"), ("said", "f8"), ("kept", "f8"),
        ("zero", "f8"), ("begun", "f8"), ("coefficient", "f8"), ("level", "i1"), ("archived_night", "f8"),
        ("recall_count", "i8"), ("valence", "i1"), ("arousal", "f4"), ("named_tags", "O"), ("tags", "u4"),
        ("category", "i1"),
    ]
)  # fmt: skip
"""Columns of the index. `said` is `said_at` in seconds; `archived_night` is not a number for an active memory; `tags`
has a bit for each of `named_tags`.
"""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


def columns_of(
    turn_id: UUID,
    project: str | None,
    personal: bool,  # noqa: FBT001 - a field
    said_at: datetime,
    kept: float,
    zero: float,
    begun: int,
    coefficient: float,
    level: int,
    archived_night: int | None,
    recall_count: int,
    valence: Valence,
    arousal: int,
    tags: Iterable[Tag],
    category: Category,
) -> tuple[Any, ...]:
    """Return the values of the `COLUMNS` of a memory with these `FIELDS`."""
    night, named = np.nan if archived_night is None else archived_night, tuple(tags)
    place, felt = CATEGORIES.index(category), VALENCES.index(valence)
    of_time = (said_at, said_at.timestamp(), kept, zero, begun, coefficient, level, night)
    return (turn_id, project, personal, *of_time, recall_count, felt, arousal, named, _bits(named), place)


def columns(memories: Iterable[AffectMemory]) -> list[tuple[Any, ...]]:
    """Return the values of the `COLUMNS` of memories."""
    return [columns_of(*(getattr(memory, name) for name in FIELDS)) for memory in memories]


def similarities(index: MemoryIndex, asked: PromptVectors) -> tuple[Floats, Floats | None]:
    """Return the cosine of each memory with the part of a prompt that is nearest, and the same without `common` if
    that is wanted, each of shape (memories,).
    """
    if not asked.contrasted:
        return (index.cosines(asked.rows) * asked.weights).max(axis=1, initial=-1), None
    common = index.common
    products = index.cosines(np.vstack([asked.rows, common]))
    cosines, with_common, own = products[:, :-1], products[:, -1:], float(common @ common)
    there = asked.rows.any(axis=1)
    apart = cosines - with_common - asked.rows @ common + np.float32(own)
    lengths = np.linalg.norm(asked.rows - common, axis=1)
    reach = np.sqrt(np.maximum(1 + own - 2 * with_common, 1e-12))
    contrast = np.where(there & (cosines != 0).any(axis=1, keepdims=True), apart / (reach * lengths), 0)
    return (cosines * asked.weights).max(axis=1, initial=-1), (contrast * asked.weights).max(axis=1, initial=-1)


def candidates(
    index: MemoryIndex, agent: AffectAgent, asked: PromptVectors, wanted: AffectiveRetrieval
) -> list[AffectCandidate]:
    """Return the candidates of a retrieval by vectors (`chosen`)."""
    return chosen(index, agent, *similarities(index, asked), wanted)


def chosen(
    index: MemoryIndex,
    agent: AffectAgent,
    similarity: Floats,
    contrast: Floats | None,
    wanted: AffectiveRetrieval,
) -> list[AffectCandidate]:
    """Return the best memories by priority, by similarity and by contrast, and archived ones by similarity.

    `similarity` and `contrast` have shape (memories,). At most `wanted.top` are taken for each reason. If the
    newest are wanted, they take the places of the most similar ones.
    """
    columns = index.features
    held = _retention(columns, agent.nights)
    archived = columns["level"] == ARCHIVED
    near = similarity >= np.where(archived, wanted.revival, wanted.relevance)
    elsewhere = _elsewhere(index, wanted.projects)
    allowed = (wanted.fill | near) & (wanted.archive | ~archived) & (columns["personal"] | ~elsewhere)
    if wanted.without:
        allowed &= ~index.among("turn_id", wanted.without)
    share = agent.rules.retrieval.retention_weight
    counted = 100 * (1 - share) + share * held
    priority = _priority(columns, counted, similarity, wanted.mood, agent.rules)
    orders: list[tuple[NDArray[Any], Mask]] = [
        (priority, allowed & (priority > 0)),
        (similarity, allowed & near & archived),
    ]
    if wanted.newest:
        orders.append((columns["said"], allowed & near & ~archived))
    else:
        orders.append((similarity, allowed & ~archived))
        orders += [(contrast, allowed)] if contrast is not None else []
    if wanted.category is not None:
        of = columns["category"] == CATEGORIES.index(wanted.category)
        orders += [(values, mask & of) for values, mask in orders]
    places = dict.fromkeys(at for values, mask in orders for at in _best(values, mask, wanted.top))
    return [_candidate(index, at, held, similarity, contrast, bool(elsewhere[at])) for at in places]


def _elsewhere(index: MemoryIndex, projects: Collection[str]) -> Mask:
    """Return a mask of the memories of other projects than the one with these names; of none without names."""
    if not projects:
        return np.zeros(len(index), np.bool_)
    return ~index.among("project", (None, *projects))


def _candidate(
    index: MemoryIndex,
    at: int,
    held: NDArray[np.float64],
    similarity: Floats,
    contrast: Floats | None,
    elsewhere: bool,  # noqa: FBT001 - a field
) -> AffectCandidate:
    row = index.features[at]
    return AffectCandidate(
        index.id(at),
        bool(row["level"] == ARCHIVED),
        row["said_at"],
        CATEGORIES[row["category"]],
        float(held[at]),
        int(row["recall_count"]),
        float(similarity[at]),
        VALENCES[row["valence"]],
        int(row["arousal"]),
        row["named_tags"],
        elsewhere,
        None if contrast is None else float(contrast[at]),
    )


def _bits(tags: Iterable[Tag]) -> int:
    return sum(_TAG_BITS[tag] for tag in set(tags))


def _retention(columns: NDArray[np.void], night: int) -> NDArray[np.float64]:
    """Return the retention of each memory on a night, 0 to 100."""
    at = np.where(np.isnan(columns["archived_night"]), night, columns["archived_night"])
    found: NDArray[np.float64] = retention(
        kept=columns["kept"],
        zero=columns["zero"],
        begun=columns["begun"],
        coefficient=columns["coefficient"],
        night=at,
        arithmetic=ARRAYS,
    )
    return found


def _priority(
    columns: NDArray[np.void], held: NDArray[np.float64], similarity: Floats, mood: Emotion | None, rules: AffectPolicy
) -> NDArray[np.float64]:
    """Return the priority of each memory (`retrieval.priority`)."""
    found: NDArray[np.float64] = held * np.maximum(similarity, 0)
    found *= 1 + rules.recall.recall_count_weight * columns["recall_count"]
    if mood is None:
        return found
    weights, tags = rules.resonance, np.uint32(_bits(mood.tags))
    most = np.maximum(np.bitwise_count(columns["tags"]), np.bitwise_count(tags))
    resonant = weights.valence_match_bonus * (columns["valence"] == VALENCES.index(mood.valence))
    resonant = resonant + np.maximum(
        0, weights.arousal_proximity_bonus * (1 - np.abs(columns["arousal"] - mood.arousal) / 100)
    )
    resonant += weights.tags_overlap_weight * np.bitwise_count(columns["tags"] & tags) / np.maximum(most, 1)
    lifted: NDArray[np.float64] = found + weights.priority_weight_alpha * resonant * held
    return lifted


def _best(values: NDArray[Any], mask: Mask, top: int) -> list[int]:
    """Return the places of the `top` greatest values where the mask is true, greatest first."""
    places = np.flatnonzero(mask)
    if len(places) > top:
        places = places[np.argpartition(-values[places], top - 1)[:top]]
    found: list[int] = places[np.argsort(-values[places], kind="stable")].tolist()
    return found
