"""Relations between memories, directed from the higher retention to the lower (document 001, relations)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.affective import Tie
from nemuri_domain.affective.memory_columns import Ledger
from nemuri_domain.affective.policy import Relations

Web = Sequence[Tie]
"""The relations of the active memories."""
Alike = tuple[UUID, UUID, float]
"""The ids of two memories and their similarity."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Scores and existence of memories after a night, which decide about relations."""

    ledger: Ledger
    scores: NDArray[np.float64]
    gone: frozenset[UUID]
    """Ids of the memories that the night archives."""
    rules: Relations

    def there(self, memory_id: UUID) -> bool:
        """Return True if the memory is active."""
        place = self.ledger.place.get(memory_id)
        return place is not None and bool(self.ledger.rows["level"][place]) and memory_id not in self.gone

    def directed(self, one: UUID, other: UUID) -> tuple[UUID, UUID]:
        """Return both ids in the direction of their relation: the higher score first; if the scores are close, the
        newer first.
        """
        scores, born = self.scores, self.ledger.rows["said_at"]
        first, second = self.ledger.place[one], self.ledger.place[other]
        apart = scores[first] - scores[second]
        if abs(apart) < self.rules.score_proximity_threshold:
            apart = born[first] - born[second]
        return (one, other) if apart > 0 or (apart == 0 and one > other) else (other, one)


Step = tuple[Tie | None, Tie | None]
"""A relation to remove, one to add, or one to replace by another."""


def mended(web: Web, alike: Iterable[Alike], standing: Standing) -> list[Step]:
    """Return the changes of relations after a night.

    Removes relations of inactive memories, turns those with a wrong direction, and adds new ones between similar
    memories.
    """
    kept = [each for each in web if standing.there(each.of) and standing.there(each.to)]
    steps: list[Step] = [(each, None) for each in web if not (standing.there(each.of) and standing.there(each.to))]
    held, known = Counter(each.of for each in kept), {(each.of, each.to, each.sort) for each in kept}
    for each in kept:
        of, to = standing.directed(each.of, each.to)
        if of == each.of:
            continue
        if (of, to, each.sort) in known:
            steps.append((each, None))
        elif held[of] < standing.rules.max_relations_per_memory:
            steps.append((each, Tie(of=of, to=to, sort=each.sort)))
            known.add((of, to, each.sort))
            held[of] += 1
        else:
            continue
        held[each.of] -= 1
    return [*steps, *((None, each) for each in _between(alike, kept, held, standing))]


def within(steps: Sequence[Step], most: int) -> tuple[tuple[Tie, ...], tuple[Tie, ...], bool]:
    """Return the relations to remove and to add in the first steps, at most `most` changes but at least one step; and
    True if these are all steps.
    """
    ended, begun = list[Tie](), list[Tie]()
    for end, begin in steps:
        done = len(ended) + len(begun)
        if done and done + (end is not None) + (begin is not None) > most:
            return tuple(ended), tuple(begun), False
        ended += [end] if end else []
        begun += [begin] if begin else []
    return tuple(ended), tuple(begun), True


def _between(alike: Iterable[Alike], kept: Iterable[Tie], held: Counter[UUID], standing: Standing) -> Iterator[Tie]:
    known = {frozenset((each.of, each.to)) for each in kept}
    if not standing.rules.enable_auto_linking:
        return
    for one, other, similarity in sorted(alike, key=lambda each: (-each[2], each[0], each[1])):
        pair = frozenset((one, other))
        if len(pair) < 2 or pair in known or similarity < standing.rules.auto_link_similarity_threshold:
            continue
        if not (standing.there(one) and standing.there(other)):
            continue
        of, to = standing.directed(one, other)
        if held[of] < standing.rules.max_relations_per_memory:
            held[of] += 1
            known.add(pair)
            yield Tie(of=of, to=to, sort="same_topic")
