"""The blocks of a world as they are now, with a margin around the map, so that no look goes beyond it."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import REACH, VISUAL_RADIUS, Position
from nemuri_domain.world.game_rules import BLOCKS, LIGHT
from nemuri_domain.world.table_columns import BLOCK, LIGHTS, SIGHTS, WALKABLE, WALKABLE_BYTES, Bytes, Places

HEIGHT = 64
"""The height of the ground, which is flat."""
MARGIN = int(VISUAL_RADIUS)
EACH_SORT = 2
"""Of each sort of blocks, how many in sight are told of."""


@dataclass(slots=True)
class Ground:
    """A flat array of blocks; the cell of (x, z) is one number, which paths and windows are made of."""

    size: int
    width: int
    cells: Bytes
    changed: set[int] = field(default_factory=set)
    """Cells that became another block since somebody looked."""
    sights: Places = field(init=False)
    """What to add to a cell for each cell in sight of it, the nearest first."""
    _sights: list[int] = field(init=False)
    arms: Places = field(init=False)
    """The same for each within reach."""

    def __post_init__(self) -> None:
        reach = np.arange(-MARGIN, MARGIN + 1)
        squares = (reach[:, None] ** 2 + reach[None, :] ** 2).reshape(-1)
        offsets = (reach[:, None] * self.width + reach[None, :]).reshape(-1)
        order = np.argsort(squares, kind="stable")
        self.sights = offsets[order][squares[order] <= VISUAL_RADIUS**2]
        self._sights = self.sights.tolist()
        self.arms = offsets[order][squares[order] <= REACH**2]

    @classmethod
    def of(cls, blocks: Bytes) -> "Ground":
        """The ground of blocks by [x, z]."""
        padded = np.pad(blocks, MARGIN, constant_values=BLOCK["edge"])
        return cls(blocks.shape[0], padded.shape[0], padded.reshape(-1).copy())

    @property
    def view(self) -> memoryview:
        """The cells, for loops in Python, which read them so several times as fast."""
        return self.cells.data

    def blocks(self) -> Bytes:
        """The blocks by [x, z], without the margin."""
        whole = self.cells.reshape(self.width, self.width)
        return np.ascontiguousarray(whole[MARGIN:-MARGIN, MARGIN:-MARGIN])

    def cell(self, x: int, z: int) -> int:
        """The cell of a place on the map."""
        return (x + MARGIN) * self.width + z + MARGIN

    def place(self, cell: int) -> tuple[int, int]:
        """Where a cell is."""
        x, z = divmod(cell, self.width)
        return x - MARGIN, z - MARGIN

    def has(self, at: Position) -> bool:
        """Whether it is a place of the ground of this map."""
        return at.y == HEIGHT and 0 <= at.x < self.size and 0 <= at.z < self.size

    def name(self, cell: int) -> str:
        """What block is there."""
        return BLOCKS[self.cells[cell]]

    def put(self, cell: int, block: str) -> None:
        """Another block is there."""
        self.cells[cell] = BLOCK[block]
        self.changed.add(cell)

    def has_near(self, x: int, z: int, block: str) -> bool:
        """Whether such a block is within reach of a place."""
        return bool((self.cells[self.cell(x, z) + self.arms] == BLOCK[block]).any())

    def is_lit(self, x: int, z: int) -> bool:
        """Whether a light is near."""
        left, low = max(x + MARGIN - LIGHT, 0), max(z + MARGIN - LIGHT, 0)
        window = self.cells.reshape(self.width, self.width)[left : x + MARGIN + LIGHT + 1, low : z + MARGIN + LIGHT + 1]
        return bool(np.isin(window, LIGHTS).any())

    def walkable(self, cell: int) -> bool:
        """Whether somebody can be there."""
        return bool(WALKABLE[self.cells[cell]])

    def is_roomy(self, cell: int, number: int, without: int | None = None) -> bool:
        """Whether so many cells can be walked to from one, itself included, also `without` another one."""
        cells, seen, ahead = self.view, {cell}, [cell]
        if not WALKABLE_BYTES[cells[cell]]:
            return False
        while ahead and len(seen) < number:
            here = ahead.pop()
            for step in (here - 1, here + 1, here - self.width, here + self.width):
                if step not in seen and step != without and WALKABLE_BYTES[cells[step]]:
                    seen.add(step)
                    ahead.append(step)
        return len(seen) >= number

    def seen(self, cells: Places) -> list[list[tuple[str, int, int]]]:
        """For each of the cells, the blocks of use in sight of it by name, x and z, the nearest of each sort first."""
        windows = self.cells[cells[:, None] + self.sights[None, :]]
        found: list[list[tuple[int, int]]] = [[] for _ in range(len(cells))]
        rows = np.arange(len(cells))
        for sort in SIGHTS:
            of_sort = windows == sort
            for turn in range(EACH_SORT):
                first = of_sort.argmax(axis=1)
                there = of_sort[rows, first]
                if not there.any():
                    break
                of_sort[rows, first] = False
                for row, offset in zip(np.flatnonzero(there).tolist(), first[there].tolist(), strict=True):
                    found[row].append((turn << 16 | offset, sort))
        return [self._told(int(cell), each) for cell, each in zip(cells, found, strict=True)]

    def _told(self, cell: int, found: list[tuple[int, int]]) -> list[tuple[str, int, int]]:
        return [(BLOCKS[sort], *self.place(cell + self._sights[key & 0xFFFF])) for key, sort in sorted(found)]
