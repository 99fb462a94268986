"""An LRU cache of retrieval indexes, bounded in bytes."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from sys import getsizeof
from uuid import UUID
from weakref import WeakKeyDictionary

from nemuri_domain.strength.aggregate import Remembered
from nemuri_domain.strength.retrieval_index import AgentIndex

IndexKey = tuple[str, str, str]
"""Projections, agent, and what its vectors can be compared with: generation and calibration."""
MEMORY_BYTES = 4_000
"""Measured size of a memory in bytes without its texts: two pydantic models with their ids, times and mappings."""
TAG_BYTES = 60


@dataclass(slots=True)
class CachedRetrievalIndex:
    """The retrieval index of one agent, with the memories in it, as of the last update from the projections."""

    index: AgentIndex
    generation: str
    calibration: str
    """Digest of the calibration by which the vectors in the index are centred."""
    known: dict[UUID, Remembered] = field(default_factory=dict)
    """Memories that were candidates before and have not changed since."""
    principles: set[UUID] = field(default_factory=set)
    """Ids of the memories that come from a definition of the agent.

    They include archived memories and memories from earlier definitions.
    """
    until: int = 0
    """Log sequence of the newest change of a memory in the index."""
    seen: int = -1
    """Log sequence that the projections had reached at the last update; -1 before the first update."""
    unstored: int = 0
    """Number of changes in the index that its stored copy does not contain."""
    tables: int = 0
    """Number of the tables that the index was made from; see `StoredIndex`."""
    texts: int = 0
    """Estimated size in bytes of the memories in `known`, texts included."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def bytes(self) -> int:
        """Return the estimated size of the index and its memories in bytes, accurate to about a quarter."""
        return self.index.nbytes + self.texts

    def keep(self, memories: Iterable[Remembered]) -> None:
        """Add memories to `known`."""
        for memory in memories:
            self.known[memory[0].memory_id] = memory
            self.texts += _bytes(memory)

    def drop(self, memory_ids: Iterable[UUID]) -> None:
        """Remove memories from `known`, as far as they are there."""
        for memory_id in memory_ids:
            if gone := self.known.pop(memory_id, None):
                self.texts -= _bytes(gone)

    def clear(self) -> None:
        """Empty the index, so that no erased data stays in it. The next update reads all memories again."""
        self.index = AgentIndex(self.index.dimension)
        self.known, self.principles = {}, set()
        self.until = self.unstored = self.texts = 0


@dataclass(slots=True)
class IndexCache:
    """An LRU cache of indexes by key.

    Its lock `loading` makes agents load one at a time, because the size of an agent's index is not known before.
    """

    _kept: OrderedDict[IndexKey, CachedRetrievalIndex] = field(default_factory=OrderedDict)
    _loading: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = field(default_factory=WeakKeyDictionary)

    def __len__(self) -> int:
        return len(self._kept)

    def __contains__(self, name: IndexKey) -> bool:
        return name in self._kept

    @property
    def loading(self) -> asyncio.Lock:
        """Return the lock that a caller holds while it loads a whole agent. There is one lock for each event loop."""
        return self._loading.setdefault(asyncio.get_running_loop(), asyncio.Lock())

    @property
    def bytes(self) -> int:
        """Return the estimated size of all indexes in bytes."""
        return sum(each.bytes for each in self._kept.values())

    def get_or_create(self, name: IndexKey, make: Callable[[], CachedRetrievalIndex]) -> CachedRetrievalIndex:
        """Return the index with this key and mark it as most recently used.

        If it is not cached, `make` creates it.
        """
        indexed = self._kept.get(name)
        if indexed is None:
            indexed = self._kept[name] = make()
        self._kept.move_to_end(name)
        return indexed

    def evict_to(self, limit: int) -> None:
        """Remove memories and indexes until the rest fits in `limit` bytes, the least recently used first.

        The memories of all indexes go before the first index, because they are read again in less time.
        """
        taken = self.bytes
        for cached_index in self._kept.values():
            if taken <= limit:
                return
            taken -= cached_index.texts
            cached_index.drop(list(cached_index.known))
        while self._kept and taken > limit:
            _, dropped = self._kept.popitem(last=False)
            taken -= dropped.bytes


def _bytes(remembered: Remembered) -> int:
    memory = remembered[0].memory
    texts = (memory.content, *memory.learnings.values())
    return MEMORY_BYTES + sum(map(getsizeof, texts)) + TAG_BYTES * len(memory.tags)
