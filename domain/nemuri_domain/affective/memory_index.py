"""The memories of an agent as numpy columns with their vectors, from which the candidates of a retrieval are chosen."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple, Self, get_args
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

MEMORY_BYTES: Final = 1_100
"""Measured size of an `IndexedMemory` with its ids and times in bytes."""
FEW: Final = 50
"""Number of memories whose mean vector counts half."""
CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)
VALENCES: Final[tuple[Valence, ...]] = get_args(Valence)
_TAG_BITS: Final[dict[Tag, int]] = {
    tag: 1 << at
    for at, tag in enumerate(tag for some in (PositiveTag, NegativeTag, OtherTag) for tag in get_args(some))
}
COLUMNS: Final = np.dtype(
    [
        ("level", "i1"), ("personal", "?"), ("category", "i1"), ("valence", "i1"), ("arousal", "f4"), ("tags", "u4"),
        ("said_at", "f8"), ("kept", "f8"), ("zero", "f8"), ("begun", "f8"), ("coefficient", "f8"),
        ("archived_night", "f8"), ("recall_count", "f8"),
    ]
)  # fmt: skip
"""Columns of the index, one row for each memory. `archived_night` is not a number for an active memory."""

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]


class IndexedMemory(NamedTuple):
    """The fields of a memory that the index holds."""

    memory_id: UUID
    turn_id: UUID
    project: str | None
    personal: bool
    said_at: datetime
    kept: float
    zero: float
    begun: int
    coefficient: float
    level: int
    archived_night: int | None
    recall_count: int
    valence: Valence
    arousal: int
    tags: Sequence[Tag]
    category: Category

    @classmethod
    def of(cls, memory: AffectMemory) -> Self:
        """Return the fields of a memory."""
        return cls(*(getattr(memory, name) for name in cls._fields))


class MemoryIndex:
    """The memories of an agent that are not deleted. Not thread-safe."""

    def __init__(self, dimension: int) -> None:
        self.memories = list[IndexedMemory]()
        self._place = dict[UUID, int]()
        self._columns = np.zeros(0, COLUMNS)
        self._vectors = np.zeros((0, dimension), np.float32)
        self._common: Floats | None = None

    def __len__(self) -> int:
        return len(self.memories)

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return self._vectors.shape[1]

    @property
    def nbytes(self) -> int:
        """The estimated size in bytes."""
        return self._vectors.nbytes + self._columns.nbytes + MEMORY_BYTES * len(self)

    def put(self, memories: Sequence[IndexedMemory], vectors: Floats) -> None:
        """Insert or update memories with their centred vectors, shape (memories, dimension).

        A row of zeros is the vector of a memory that has none.
        """
        fresh = [each for each in memories if each.memory_id not in self._place]
        self._place |= {each.memory_id: at for at, each in enumerate(fresh, len(self))}
        self.memories += fresh
        self._columns = np.concatenate([self._columns, np.zeros(len(fresh), COLUMNS)])
        self._vectors = np.concatenate([self._vectors, np.zeros((len(fresh), self.dimension), np.float32)])
        places = [self._place[each.memory_id] for each in memories]
        for at, each in zip(places, memories, strict=True):
            self.memories[at] = each
        self._columns[places] = np.array([_columns(each) for each in memories], COLUMNS)
        self._vectors[places] = vectors
        self._common = None

    def drop(self, memory_ids: Collection[UUID]) -> None:
        """Remove memories. Unknown ids are ignored."""
        gone = {self._place[each] for each in memory_ids if each in self._place}
        if not gone:
            return
        kept = [at for at in range(len(self)) if at not in gone]
        self.memories = [self.memories[at] for at in kept]
        self._columns, self._vectors, self._common = self._columns[kept], self._vectors[kept], None
        self._place = {each.memory_id: at for at, each in enumerate(self.memories)}

    @property
    def common(self) -> Floats:
        """What the vectors of the memories have in common, shape (dimension,): their mean, shrunk towards zero if they
        are few.

        An agent that always talks about the same things has memories that are all alike. Without the mean, they differ
        by what is special about each.
        """
        if self._common is None:
            total = self._vectors.sum(axis=0, dtype=np.float64)
            self._common = (total / (len(self) + FEW)).astype(np.float32)
        return self._common

    def similarities(self, asked: PromptVectors) -> tuple[Floats, Floats | None]:
        """Return the cosine of each memory with the part of a prompt that is nearest, and the same without `common` if
        that is wanted, each of shape (memories,).
        """
        if not asked.contrasted:
            return (self._vectors @ asked.rows.T * asked.weights).max(axis=1, initial=-1), None
        common = self.common
        products = self._vectors @ np.vstack([asked.rows, common]).T
        cosines, with_common, own = products[:, :-1], products[:, -1:], float(common @ common)
        there = asked.rows.any(axis=1)
        apart = cosines - with_common - asked.rows @ common + np.float32(own)
        lengths = np.linalg.norm(asked.rows - common, axis=1)
        reach = np.sqrt(np.maximum(1 + own - 2 * with_common, 1e-12))
        contrast = np.where(there & (cosines != 0).any(axis=1, keepdims=True), apart / (reach * lengths), 0)
        return (cosines * asked.weights).max(axis=1, initial=-1), (contrast * asked.weights).max(axis=1, initial=-1)

    def candidates(self, agent: AffectAgent, asked: PromptVectors, wanted: AffectiveRetrieval) -> list[AffectCandidate]:
        """Return the candidates of a retrieval by vectors (`chosen`)."""
        return self.chosen(agent, *self.similarities(asked), wanted)

    def chosen(
        self, agent: AffectAgent, similarity: Floats, contrast: Floats | None, wanted: AffectiveRetrieval
    ) -> list[AffectCandidate]:
        """Return the best memories by priority, by similarity and by contrast, and archived ones by similarity.

        `similarity` and `contrast` have shape (memories,). At most `wanted.top` are taken for each reason. If the
        newest are wanted, they take the places of the most similar ones.
        """
        columns = self._columns
        held = _retention(columns, agent.nights)
        archived = columns["level"] == ARCHIVED
        near = similarity >= np.where(archived, wanted.revival, wanted.relevance)
        elsewhere = self._elsewhere(wanted.projects)
        allowed = (wanted.fill | near) & (wanted.archive | ~archived) & (columns["personal"] | ~elsewhere)
        allowed &= self._unknown(wanted.without)
        share = agent.rules.retrieval.retention_weight
        counted = 100 * (1 - share) + share * held
        priority = _priority(columns, counted, similarity, wanted.mood, agent.rules)
        orders: list[tuple[NDArray[Any], Mask]] = [
            (priority, allowed & (priority > 0)),
            (similarity, allowed & near & archived),
        ]
        if wanted.newest:
            orders.append((columns["said_at"], allowed & near & ~archived))
        else:
            orders.append((similarity, allowed & ~archived))
            orders += [(contrast, allowed)] if contrast is not None else []
        if wanted.category is not None:
            of = columns["category"] == CATEGORIES.index(wanted.category)
            orders += [(values, mask & of) for values, mask in orders]
        places = dict.fromkeys(at for values, mask in orders for at in _best(values, mask, wanted.top))
        return [self._candidate(at, held, similarity, contrast, bool(elsewhere[at])) for at in places]

    def _unknown(self, turns: Collection[UUID]) -> Mask:
        """Return a mask of the memories of other turns than these."""
        if not turns:
            return np.ones(len(self), np.bool_)
        return ~np.isin([each.turn_id.bytes for each in self.memories], [each.bytes for each in turns])

    def _elsewhere(self, projects: Collection[str]) -> Mask:
        """Return a mask of the memories of other projects than the one with these names; of none without names."""
        if not projects:
            return np.zeros(len(self), np.bool_)
        names = (each.project for each in self.memories)
        return np.array([name is not None and name not in projects for name in names], np.bool_)

    def _candidate(
        self,
        at: int,
        held: NDArray[np.float64],
        similarity: Floats,
        contrast: Floats | None,
        elsewhere: bool,  # noqa: FBT001 - a field
    ) -> AffectCandidate:
        memory = self.memories[at]
        return AffectCandidate(
            memory.memory_id,
            memory.level == ARCHIVED,
            memory.said_at,
            memory.category,
            float(held[at]),
            memory.recall_count,
            float(similarity[at]),
            memory.valence,
            memory.arousal,
            tuple(memory.tags),
            elsewhere,
            None if contrast is None else float(contrast[at]),
        )


def _columns(memory: IndexedMemory) -> tuple[Any, ...]:
    """Return the values of a memory's columns, in the order of `COLUMNS`."""
    return (
        memory.level,
        memory.personal,
        CATEGORIES.index(memory.category),
        VALENCES.index(memory.valence),
        memory.arousal,
        _bits(memory.tags),
        memory.said_at.timestamp(),
        memory.kept,
        memory.zero,
        memory.begun,
        memory.coefficient,
        np.nan if memory.archived_night is None else memory.archived_night,
        memory.recall_count,
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
