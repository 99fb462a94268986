"""Allocation of free cells to hosts: an equal share at first, more if no other host takes them."""

from collections.abc import Iterable
from typing import Final

STARTUP_SECONDS: Final = 5.0
"""Seconds after its start in which a host takes no more than its share."""
FREE_SECONDS: Final = 1.0
"""Seconds that a cell must be free before a host takes more than its share. With the lease's expiry it is below five.
"""


class CellAllocation:
    """The allocation policy of one host. Times are seconds of the wall clock."""

    def __init__(self, cells: int, hosts: int, now: float) -> None:
        """Create the policy of one of several hosts, which starts now."""
        self._share = -(-cells // hosts)
        self._started_at = now
        self._free_since: dict[int, float] = {}

    def observe(self, free: Iterable[int], now: float) -> None:
        """Record the cells that are free now."""
        self._free_since = {cell: self._free_since.get(cell, now) for cell in free}

    def may_take(self, cell: int, held: int, now: float) -> bool:
        """Return whether the host may take a free cell when it has `kept` cells already."""
        if held < self._share:
            return True
        return now - self._started_at >= STARTUP_SECONDS and now - self._free_since[cell] >= FREE_SECONDS
