"""How hosts share cells that nobody keeps: an equal share at first, and more once nobody else has come for it."""

from collections.abc import Iterable
from typing import Final

COMING: Final = 5.0
"""Seconds that a host which has just begun leaves to others that begin with it."""
STANDING: Final = 1.0
"""Seconds that a cell stands free before somebody takes it beyond their share: within five, with a lease to be lost."""


class Sharing:
    """What one host may take. Times are seconds of the wall's clock."""

    def __init__(self, cells: int, hosts: int, now: float) -> None:
        """The host begins now, one of so many."""
        self._share = -(-cells // hosts)
        self._began = now
        self._since: dict[int, float] = {}

    def look(self, free: Iterable[int], now: float) -> None:
        """These cells are free now, as far as the host sees, and no others."""
        self._since = {cell: self._since.get(cell, now) for cell in free}

    def may(self, cell: int, kept: int, now: float) -> bool:
        """Whether the host may take a free cell, which keeps so many already."""
        if kept < self._share:
            return True
        return now - self._began >= COMING and now - self._since[cell] >= STANDING
