"""The memories of one agent as columns and vectors: what a process searches that keeps a mind itself."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri.contracts.tiers import Module
from nemuri.domain.tiers.mind import TierMemory, Tiers
from nemuri.domain.tiers.policy import Pattern, TiersPolicy
from nemuri.domain.tiers.retrieval import COLUMNS, Found, asking, merged, ranked, row_of
from nemuri.domain.tiers.sharing import visible

_FEWEST = 16
_MORE = 1.25
"""How much larger the columns become when they are full."""


class Shelf:
    """Kept in step with a fold by `take` and `drop`."""

    def __init__(self, dimension: int) -> None:
        """Each memory costs four bytes for each dimension, and some 200 more."""
        self._ids: list[UUID] = []
        self._place: dict[UUID, int] = {}
        self._rows = np.zeros(_FEWEST, COLUMNS)
        self._vectors = np.zeros((_FEWEST, dimension), np.float32)

    def __len__(self) -> int:
        """How many memories there are."""
        return len(self._ids)

    def take(self, memory: TierMemory, vector: NDArray[np.float32] | None = None) -> None:
        """Add a memory, or bring it up to date; without a vector it keeps the one it has, at first of zeros."""
        place = self._place.get(memory.memory_id)
        if place is None:
            place = self._new(memory.memory_id)
        self._rows[place] = row_of(memory)
        if vector is not None:
            self._vectors[place] = vector

    def drop(self, memory_ids: Iterable[UUID]) -> None:
        """Take out what is gone; the last one takes its place."""
        for each in memory_ids:
            place = self._place.pop(each, None)
            if place is None:
                continue
            last = self._ids.pop()
            if last != each:
                self._ids[place], self._place[last] = last, place
                self._rows[place], self._vectors[place] = self._rows[len(self._ids)], self._vectors[len(self._ids)]

    def follow(self, tiers: Tiers, touched: Iterable[UUID], vectors: Mapping[UUID, NDArray[np.float32]]) -> None:
        """Bring it in step with a mind after an event that touched these memories; `vectors` are those of new ones."""
        for each in touched:
            memory = tiers.memories.get(each)
            if memory is None:
                self.drop((each,))
            else:
                self.take(memory, vectors.get(each))

    def vectors(self, memory_ids: Iterable[UUID]) -> dict[UUID, NDArray[np.float32]]:
        """The vectors of those of the memories that there are."""
        return {each: self._vectors[self._place[each]] for each in memory_ids if each in self._place}

    def candidates(
        self,
        asked: NDArray[np.float32],
        now: float,
        pattern: Pattern,
        rules: TiersPolicy,
        allowed: Callable[[UUID], bool] | None = None,
    ) -> list[Found]:
        """What may come to mind, best first, among all or those that are allowed."""
        rows, vectors = self._rows[: len(self._ids)], self._vectors[: len(self._ids)]
        if allowed is None:
            return ranked(self._ids, rows, vectors @ asked, now, pattern, rules)
        places = [place for place, each in enumerate(self._ids) if allowed(each)]
        ids = [self._ids[place] for place in places]
        return ranked(ids, rows[places], vectors[places] @ asked, now, pattern, rules)

    def recall(
        self,
        tiers: Tiers,
        asked: NDArray[np.float32],
        now: float,
        module: Module = "default",
        top: int | None = None,
        others: "Commons | None" = None,
    ) -> list[Found]:
        """What comes to a module's mind, best first; `asked` is the query's vector, of length 1.

        Working memory is not searched but referred to. `top` is the module's own unless given. With `others` it looks
        into what they let the agent see, too.
        """
        if tiers.agent is None:
            return []
        rules = tiers.agent.rules
        pattern = asking(rules.pattern(module), top=top)
        found = self.candidates(asked, now, pattern, rules)
        known: dict[UUID, TierMemory] = {each.memory_id: tiers.memories[each.memory_id] for each in found}
        if others is not None:
            seen = others.seen_by(tiers.agent.agent_id, asked, now, pattern, rules)
            found = sorted([*found, *seen], key=lambda each: (-each.score, each.memory_id))
            known |= {each.memory_id: others.memories[each.memory_id] for each in seen}
        return merged(found, lambda each: known[each].origins, pattern.top)

    def _new(self, memory_id: UUID) -> int:
        place = len(self._ids)
        if place == len(self._rows):
            more = int(place * (_MORE - 1))
            self._rows, self._vectors = _longer(self._rows, more), _longer(self._vectors, more)
        self._ids.append(memory_id)
        self._place[memory_id] = place
        return place


def _longer(column: NDArray[Any], more: int) -> NDArray[Any]:
    return np.concatenate([column, np.zeros((more, *column.shape[1:]), column.dtype)])


class Commons:
    """What the agents of a process share with each other (§4.8.3): their shared memories, on one shelf."""

    def __init__(self, dimension: int) -> None:
        self.memories: dict[UUID, TierMemory] = {}
        self._shelf = Shelf(dimension)

    def take(self, memory: TierMemory, vector: NDArray[np.float32] | None = None) -> None:
        """Add a memory, or bring it up to date; one that is not shared is no part of it."""
        if memory.shared:
            self.memories[memory.memory_id] = memory
            self._shelf.take(memory, vector)
        else:
            self.drop((memory.memory_id,))

    def drop(self, memory_ids: Iterable[UUID]) -> None:
        """Take out what is gone."""
        gone = [each for each in memory_ids if self.memories.pop(each, None) is not None]
        self._shelf.drop(gone)

    def seen_by(
        self, agent_id: str, asked: NDArray[np.float32], now: float, pattern: Pattern, rules: TiersPolicy
    ) -> list[Found]:
        """What others let an agent see that may come to its mind, best first, whichever layers the module looks in."""

        def allowed(memory_id: UUID) -> bool:
            memory = self.memories[memory_id]
            return memory.agent_id != agent_id and visible(memory, agent_id)

        everywhere = pattern.model_copy(update={"layers": ("long",)})
        return self._shelf.candidates(asked, now, everywhere, rules, allowed)
