"""The memories of one agent as columns and vectors: what is searched where a mind is kept in process."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import Module
from nemuri_domain.tiered.aggregate import TierMemory, TiersAgent
from nemuri_domain.tiered.retrieval import Found, Rows, asking, merged, ranked

Known = Callable[[UUID], TierMemory]
"""The memory of an id."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """All memories of an agent, in any order."""

    name: Callable[[int], UUID]
    """The id of the memory at a place."""
    rows: Rows
    vectors: NDArray[np.float32]
    """Shape (n, dimension), each of length 1 or 0."""

    def recall(
        self,
        agent: TiersAgent,
        known: Known,
        asked: NDArray[np.float32],
        now: float,
        module: Module = "default",
        top: int | None = None,
    ) -> list[tuple[Found, TierMemory]]:
        """What comes to a module's mind, best first; `asked` is the query's vector, of length 1.

        Working memory is not searched but referred to. `top` is the module's own unless given.
        """
        pattern = asking(agent.rules.pattern(module), top=top)
        found = ranked(self.name, self.rows, self.vectors @ asked, now, pattern, agent.rules)
        memories: dict[UUID, TierMemory] = {}

        def origins(memory_id: UUID) -> frozenset[UUID]:
            memories[memory_id] = known(memory_id)
            return memories[memory_id].origins

        return [(each, memories[each.memory_id]) for each in merged(found, origins, pattern.top)]
