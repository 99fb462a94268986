"""A cache that is bounded in bytes (docs/decisions/0044)."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


@dataclass(slots=True)
class ByteCache(Generic[K, V]):
    """The values asked for last, as many as fit `limit` bytes; one that alone takes more is not kept."""

    limit: int
    size: Callable[[K, V], int]
    """The bytes that an entry takes, asked once, when it is kept."""
    _kept: LRUCache[K, tuple[V, int]] = field(init=False)

    def __post_init__(self) -> None:
        self._kept = LRUCache(self.limit, lambda entry: entry[1])

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """The bytes that all entries take."""
        return int(self._kept.currsize)

    def get(self, key: K) -> V | None:
        """Return a value, which is the last one to be dropped now; None if it is not there."""
        entry = self._kept.get(key)
        return None if entry is None else entry[0]

    def keep(self, key: K, value: V) -> None:
        """Keep a value instead of those not asked for longest, and of an older one under the key."""
        taken = self.size(key, value)
        if taken <= self.limit:
            self._kept[key] = (value, taken)
        else:
            self.drop(key)

    def drop(self, key: K) -> None:
        """Forget a value; nothing if it is not there."""
        self._kept.pop(key, None)
