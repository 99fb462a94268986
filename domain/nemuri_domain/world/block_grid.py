"""The grid of blocks, with a margin around the map so that windows never leave the array."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import REACH, VISUAL_RADIUS, Position
from nemuri_domain.world.game_rules import BLOCKS, LIGHT
from nemuri_domain.world.table_columns import BLOCK, LIGHTS, SIGHTS, WALKABLE, WALKABLE_BYTES, Bytes, Places

HEIGHT = 64
"""Height of the flat ground, the y of all positions."""
MARGIN = int(VISUAL_RADIUS)
EACH_SORT = 2
"""Blocks of each kind in a percept, at most."""


@dataclass(slots=True)
class Ground:
    """A flat array of blocks. A cell is the index of (x, z); paths and windows consist of cells."""

    size: int
    width: int
    cells: Bytes
    changed: set[int] = field(default_factory=set)
    """Cells whose block changed since the last percepts."""
    sights: Places = field(init=False)
    """Offsets from a cell to each cell in sight, nearest first."""
    _sights: list[int] = field(init=False)
    arms: Places = field(init=False)
    """Offsets from a cell to each cell within reach, nearest first."""

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
        """Create the grid from blocks by [x, z]."""
        padded = np.pad(blocks, MARGIN, constant_values=BLOCK["edge"])
        return cls(blocks.shape[0], padded.shape[0], padded.reshape(-1).copy())

    @property
    def view(self) -> memoryview:
        """The cells as a memory view. Python loops read it several times as fast as the array."""
        return self.cells.data

    def blocks(self) -> Bytes:
        """Return the blocks by [x, z], without the margin."""
        whole = self.cells.reshape(self.width, self.width)
        return np.ascontiguousarray(whole[MARGIN:-MARGIN, MARGIN:-MARGIN])

    def cell(self, x: int, z: int) -> int:
        """Return the cell of a position on the map."""
        return (x + MARGIN) * self.width + z + MARGIN

    def place(self, cell: int) -> tuple[int, int]:
        """Return x and z of a cell."""
        x, z = divmod(cell, self.width)
        return x - MARGIN, z - MARGIN

    def has(self, at: Position) -> bool:
        """Return whether a position is on the ground of this map."""
        return at.y == HEIGHT and 0 <= at.x < self.size and 0 <= at.z < self.size

    def name(self, cell: int) -> str:
        """Return the name of the block in a cell."""
        return BLOCKS[self.cells[cell]]

    def put(self, cell: int, block: str) -> None:
        """Replace the block in a cell."""
        self.cells[cell] = BLOCK[block]
        self.changed.add(cell)

    def has_near(self, x: int, z: int, block: str) -> bool:
        """Return whether a block of this name is within reach of a position."""
        return bool((self.cells[self.cell(x, z) + self.arms] == BLOCK[block]).any())

    def is_lit(self, x: int, z: int) -> bool:
        """Return whether a light is near."""
        left, low = max(x + MARGIN - LIGHT, 0), max(z + MARGIN - LIGHT, 0)
        window = self.cells.reshape(self.width, self.width)[left : x + MARGIN + LIGHT + 1, low : z + MARGIN + LIGHT + 1]
        return bool(np.isin(window, LIGHTS).any())

    def walkable(self, cell: int) -> bool:
        """Return whether agents can stand in a cell."""
        return bool(WALKABLE[self.cells[cell]])

    def is_roomy(self, cell: int, number: int, without: int | None = None) -> bool:
        """Return whether at least `number` cells are reachable from a cell, itself included, without crossing
        `without`.
        """
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
        """Return name, x and z of the useful blocks in sight of each cell, the nearest of each kind first."""
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
