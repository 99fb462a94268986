"""Limits of a search besides words and setting: when memories hold and expire, and which may be found."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import MemoryContent

Times = tuple[float, float, float]
"""Times from and until which a memory says that it holds, and from which it is of no use, in seconds since 1970."""
ALWAYS: Final[Times] = (float("-inf"), float("inf"), float("inf"))
"""Times of a memory that holds always and does not expire."""


def times_of(memory: MemoryContent) -> Times:
    """Return the times of a memory."""
    given = memory.valid_from, memory.until, memory.expires_at
    begin, end, expiry = (moment.timestamp() if moment else other for moment, other in zip(given, ALWAYS, strict=True))
    return begin, end, expiry


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """The limits of a search. Without any, all memories may be found."""

    now: datetime | None = None
    """Time at which memories must not have expired."""
    at: datetime | None = None
    """Time at which memories must hold as far as they say, instead of now."""
    ids: Collection[bytes] | None = None
    """Ids of the memories that may be found, each as 16 bytes."""

    def allow(self, ids: Sequence[bytes], features: NDArray[Any]) -> NDArray[np.bool_]:
        """Return the mask of the memories that may be found. `features` has their `begin`, `end` and `expiry`."""
        mask = np.ones(len(ids), np.bool_)
        if self.at is not None:
            at = self.at.timestamp()
            mask &= (features["begin"] <= at) & (features["end"] > at) & (features["expiry"] > at)
        elif self.now is not None:
            mask &= features["expiry"] > self.now.timestamp()
        if self.ids is not None:
            mask &= np.fromiter((key in self.ids for key in ids), np.bool_, len(ids))
        return mask


UNLIMITED: Final = SearchLimits()
