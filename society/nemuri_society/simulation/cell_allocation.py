"""Allocation of free cells to hosts. Each host takes an equal share at first, and more if no other host takes the rest.

A cell is a group of agents that always run on the same host.
"""

from collections.abc import Iterable
from typing import Final

STARTUP_SECONDS: Final = 5.0
"""Seconds after its start during which a host takes no more than its share."""
FREE_SECONDS: Final = 1.0
"""Seconds that a cell must be free before a host takes more than its share.

Together with the expiry of the lease this is less than five seconds.
"""


class CellAllocation:
    """The rule by which one host takes free cells. Times are seconds of the host's monotonic clock."""

    def __init__(self, cells: int, hosts: int, now: float) -> None:
        """Create the rule for one of `hosts` hosts. It starts at `now`."""
        self._share = -(-cells // hosts)
        self._started_at = now
        self._free_since: dict[int, float] = {}

    def observe(self, free: Iterable[int], now: float) -> None:
        """Record which cells are free now, and since when.

        A cell that is not in `free` is no longer recorded as free.
        """
        self._free_since = {cell: self._free_since.get(cell, now) for cell in free}

    def may_take(self, cell: int, held: int, now: float) -> bool:
        """Return True if the host may take a free cell at the time `now`, while it holds `held` cells.

        It may if it holds less than its share, or if the cell has been free for `FREE_SECONDS` and the host has run for
        `STARTUP_SECONDS`.
        """
        if held < self._share:
            return True
        return now - self._started_at >= STARTUP_SECONDS and now - self._free_since[cell] >= FREE_SECONDS
