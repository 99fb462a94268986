"""An LRU cache that is bounded in bytes (docs/decisions/0044)."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class ByteCache(Generic[K, V]):
    """An LRU cache of values that together have at most `limit` bytes. A single value above the limit is not cached."""

    limit: int
    """A lower limit takes effect when the next value is added."""
    size: Callable[[K, V], int]
    """Function that returns the size of an entry in bytes. It is called once, when the entry is added."""
    bytes: int = field(init=False, default=0)
    """Size of all entries in bytes."""
    _kept: OrderedDict[K, tuple[V, int]] = field(init=False, default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: K) -> V | None:
        """Return a value and mark it as most recently used; None if it is not cached."""
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: K, value: V) -> None:
        """Add or replace a value, and remove the least recently used values that no longer fit.

        A value above the limit is not added, and an older value with its key is removed.
        """
        self.drop(key)
        if (taken := self.size(key, value)) > self.limit:
            return
        self._kept[key] = (value, taken)
        self.bytes += taken
        while self.bytes > self.limit:
            _, (_, freed) = self._kept.popitem(last=False)
            self.bytes -= freed

    def drop(self, key: K) -> None:
        """Remove a value. Does nothing if it is not cached."""
        _, freed = self._kept.pop(key, (None, 0))
        self.bytes -= freed
