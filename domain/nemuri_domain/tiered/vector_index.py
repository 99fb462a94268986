"""The in-process vector index of one agent's memories."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Module
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.retrieval import Rows, ScoredMemory, rank, restricted_pattern, without_shared_experiences

MemoryLookup = Callable[[UUID], TierMemory]
"""Function that returns the memory with an id."""


@dataclass(frozen=True, slots=True)
class TieredVectorIndex:
    """The vector index of all memories of an agent. Its rows have no order."""

    name: Callable[[int], UUID]
    """Function that returns the id of the memory in a given row."""
    rows: Rows
    vectors: NDArray[np.float32]
    """Array of shape (n, dimension); each vector has length 1 or 0."""

    def recall(
        self,
        agent: TiersAgent,
        known: MemoryLookup,
        asked: NDArray[np.float32],
        now: float,
        module: Module = "default",
        top: int | None = None,
    ) -> list[tuple[ScoredMemory, TierMemory]]:
        """Return the memories for a module, best first.

        `asked` is the vector of the query, of length 1. `now` is the time by the agent's clock. `top` replaces the
        number of memories of the module's pattern, if given. Working memory is not searched.
        """
        pattern = restricted_pattern(agent.rules.pattern(module), top=top)
        found = rank(self.name, self.rows, self.vectors @ asked, now, pattern, agent.rules)
        memories: dict[UUID, TierMemory] = {}

        def origins(memory_id: UUID) -> frozenset[UUID]:
            memories[memory_id] = known(memory_id)
            return memories[memory_id].origins

        return [(each, memories[each.memory_id]) for each in without_shared_experiences(found, origins, pattern.top)]
