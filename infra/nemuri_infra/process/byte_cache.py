"""An LRU cache that is bounded in bytes (docs/decisions/0044)."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class ByteCache(Generic[K, V]):
    """An LRU cache of values that together have at most `limit` bytes. A single value above the limit is not cached."""

    limit: int
    size: Callable[[K, V], int]
    """Function that returns the size of an entry in bytes. It is called once, when the entry is added."""
    _kept: LRUCache[K, tuple[V, int]] = field(init=False)

    def __post_init__(self) -> None:
        self._kept = LRUCache(self.limit, lambda entry: entry[1])

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """Return the size of all entries in bytes."""
        return int(self._kept.currsize)

    def get(self, key: K) -> V | None:
        """Return a value and mark it as most recently used; None if it is not cached."""
        entry = self._kept.get(key)
        return None if entry is None else entry[0]

    def keep(self, key: K, value: V) -> None:
        """Add or replace a value, and remove the least recently used values that no longer fit.

        A value above the limit is not added, and an older value with its key is removed.
        """
        taken = self.size(key, value)
        if taken <= self.limit:
            self._kept[key] = (value, taken)
        else:
            self.drop(key)

    def drop(self, key: K) -> None:
        """Remove a value. Does nothing if it is not cached."""
        self._kept.pop(key, None)
