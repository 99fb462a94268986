"""The memories that agents of a society share with others, for the agents of a host (document 004 §4.8.3)."""

import time
from collections.abc import Collection, Iterable
from typing import Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tiered import MemoryShared
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.tiered.aggregate import TierMemory
from nemuri_domain.tiered.fold import touched
from nemuri_domain.tiered.retrieval import COLUMNS, FIELDS, columns_of, is_visible
from nemuri_infra.bus.event_log import Log
from nemuri_society.simulation.hosted_minds import HostedMinds, read_minds

REFRESH_SECONDS: Final = 2.0
"""Seconds between two looks for newly shared memories."""


class SharedMemories:
    """The shared memories of all agents of a society, also of those on other hosts."""

    def __init__(self, log: Log, minds: HostedMinds, residents: Collection[str]) -> None:
        """Create it without memories. Only those that `residents`, agent ids, share are read."""
        self._log, self._minds, self._residents = log, minds, frozenset(residents)
        self._seen = 0
        self._next_at = 0.0
        self._memories: dict[UUID, tuple[TierMemory, NDArray[np.float32]]] = {}
        self._indexes: dict[str, MemoryIndex] = {}
        """The index of the memories that an agent sees, by the agent's id."""

    async def refresh(self) -> None:
        """Read what has been shared since the last call. The host calls this every second."""
        if time.monotonic() < self._next_at:
            return
        subjects, until = self._log.subjects.of_kind(MemoryShared), await self._log.last_sequence()
        if until > self._seen and await self._log.contains(self._seen, until, subjects):
            await self._read(subjects, until)
        self._seen, self._next_at = until, time.monotonic() + REFRESH_SECONDS

    def seen_by(self, agent_id: str) -> MemoryIndex:
        """Return an index of the memories that other agents share with an agent."""
        if agent_id not in self._indexes:
            pairs = [
                (memory, vector)
                for memory, vector in self._memories.values()
                if memory.agent_id != agent_id and is_visible(memory, agent_id)
            ]
            self._indexes[agent_id] = _index([memory for memory, _ in pairs], [vector for _, vector in pairs])
        return self._indexes[agent_id]

    def memory(self, memory_id: UUID) -> TierMemory:
        """Return a shared memory. Raises KeyError for an unknown id."""
        return self._memories[memory_id][0]

    async def _read(self, subjects: Collection[str], until: int) -> None:
        authors = set[str]()
        async for batch in self._log.read(after=self._seen, until=until, only=tuple(subjects)):
            for event in batch.events:
                if isinstance(event, MemoryShared) and event.agent_id in self._residents:
                    authors.add(event.agent_id)
                    self._apply(event)
        if authors:
            await self._read_authors(authors, until)

    def _apply(self, event: MemoryShared) -> None:
        """Let this host's own agent know what somebody else shared in its name."""
        if event.agent_id in self._minds.agents:
            self._minds.apply(event, self._minds.aggregate(event.agent_id, touched(event)))

    async def _read_authors(self, authors: Iterable[str], until: int) -> None:
        minds, _ = await read_minds(self._log, authors, until)
        shared = [memory for mind in minds.values() for memory in mind.memories.values() if memory.shared]
        rows = self._minds.embedder.rows([memory.content for memory in shared])
        self._memories = {key: held for key, held in self._memories.items() if held[0].agent_id not in minds}
        self._memories |= {memory.memory_id: (memory, row) for memory, row in zip(shared, rows, strict=True)}
        self._indexes.clear()


def _index(memories: list[TierMemory], vectors: list[NDArray[np.float32]]) -> MemoryIndex:
    rows = np.array([columns_of(*(getattr(memory, name) for name in FIELDS)) for memory in memories], COLUMNS)
    dimension = len(vectors[0]) if vectors else 1
    index = MemoryIndex(dimension, COLUMNS)
    index.restore([memory.memory_id.bytes for memory in memories], rows, np.array(vectors).reshape(-1, dimension))
    return index
