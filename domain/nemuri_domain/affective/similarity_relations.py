"""Relations between memories, directed from the higher retention to the lower (document 001, relations)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Tie
from nemuri_domain.affective.nightly_columns import MemoryColumns
from nemuri_domain.affective.policy import Relations

ActiveRelations = Sequence[Tie]
"""The relations of the active memories."""
SimilarPair = tuple[UUID, UUID, float]
"""The ids of two memories and the cosine of their texts, which is at least the embedder's threshold of the same."""


@dataclass(frozen=True, slots=True)
class RelationContext:
    """State of the memories after a night, from which their relations are decided."""

    table: MemoryColumns
    scores: NDArray[np.float64]
    gone: frozenset[UUID]
    """Ids of the memories that the night archives, or that it revived earlier."""
    rules: Relations

    def is_active(self, memory_id: UUID) -> bool:
        """Return True if the memory exists and is still active after the night."""
        index = self.table.place.get(memory_id)
        return index is not None and bool(self.table.rows["level"][index]) and memory_id not in self.gone

    def direction(self, one: UUID, other: UUID) -> tuple[UUID, UUID]:
        """Return both ids in the direction of their relation: from the higher score to the lower one.

        If the scores are closer than `score_proximity_threshold`, the direction is from the newer memory to the older
        one.
        """
        scores, born = self.scores, self.table.rows["said_at"]
        first, second = self.table.place[one], self.table.place[other]
        apart = scores[first] - scores[second]
        if abs(apart) < self.rules.score_proximity_threshold:
            apart = born[first] - born[second]
        return (one, other) if apart > 0 or (apart == 0 and one > other) else (other, one)


RelationChange = tuple[Tie | None, Tie | None]
"""The relation to remove and the relation to add. Either may be None; both together replace one relation by another."""


def relation_changes(
    web: ActiveRelations, alike: Iterable[SimilarPair], context: RelationContext
) -> list[RelationChange]:
    """Return the changes of relations after a night.

    Relations of inactive memories are removed, relations with a wrong direction are reversed, and relations between
    similar memories are added.
    """
    kept = [tie for tie in web if context.is_active(tie.of) and context.is_active(tie.to)]
    changes: list[RelationChange] = [
        (tie, None) for tie in web if not (context.is_active(tie.of) and context.is_active(tie.to))
    ]
    held, known = Counter(relation.of for relation in kept), {(tie.of, tie.to, tie.sort) for tie in kept}
    for tie in kept:
        of, to = context.direction(tie.of, tie.to)
        if of == tie.of:
            continue
        if (of, to, tie.sort) in known:
            changes.append((tie, None))
        elif held[of] < context.rules.max_relations_per_memory:
            changes.append((tie, Tie(of=of, to=to, sort=tie.sort)))
            known.add((of, to, tie.sort))
            held[of] += 1
        else:
            continue
        held[tie.of] -= 1
    return [*changes, *((None, tie) for tie in _between(alike, kept, held, context))]


def first_changes(changes: Sequence[RelationChange], most: int) -> tuple[tuple[Tie, ...], tuple[Tie, ...], bool]:
    """Return the relations to remove, the relations to add, and True if these are all of `changes`.

    Only the first changes are taken, with at most `most` relations together. The first change is always taken.
    """
    ended, begun = list[Tie](), list[Tie]()
    for end, begin in changes:
        done = len(ended) + len(begun)
        if done and done + (end is not None) + (begin is not None) > most:
            return tuple(ended), tuple(begun), False
        ended += [end] if end else []
        begun += [begin] if begin else []
    return tuple(ended), tuple(begun), True


def _between(
    alike: Iterable[SimilarPair], kept: Iterable[Tie], held: Counter[UUID], context: RelationContext
) -> Iterator[Tie]:
    known, least = {frozenset((tie.of, tie.to)) for tie in kept}, context.rules.auto_link_similarity_threshold
    if not context.rules.enable_auto_linking:
        return
    for one, other, similarity in sorted(
        alike, key=lambda similar_pair: (-similar_pair[2], similar_pair[0], similar_pair[1])
    ):
        pair = frozenset((one, other))
        if len(pair) < 2 or pair in known or (least is not None and similarity < least):
            continue
        if not (context.is_active(one) and context.is_active(other)):
            continue
        of, to = context.direction(one, other)
        if held[of] < context.rules.max_relations_per_memory:
            held[of] += 1
            known.add(pair)
            yield Tie(of=of, to=to, sort="same_topic")
