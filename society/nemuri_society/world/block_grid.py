"""The grid of blocks, with a margin of edge blocks around the map, so that all cells in sight of an agent are in the
array.
"""

from dataclasses import dataclass, field

import numpy as np

from nemuri_society.contracts.world_protocol import REACH, VISUAL_RADIUS, Position
from nemuri_society.world.column_types import (
    BLOCK_NUMBER,
    VISIBLE_NUMBERS,
    WALKABLE,
    WALKABLE_BYTES,
    Bytes,
    Indices,
)
from nemuri_society.world.game_rules import BLOCKS

GROUND_Y = 64
"""Height of the flat ground: the y of all positions."""
MARGIN = int(VISUAL_RADIUS)
MAX_BLOCKS_PER_KIND = 2
"""Maximum number of blocks of each kind in a percept."""


@dataclass(slots=True)
class BlockGrid:
    """The blocks of a map in one flat array. A cell is an index into this array and stands for a position (x, z)."""

    size: int
    width: int
    cells: Bytes
    changed_cells: set[int] = field(default_factory=set)
    """Cells whose block has changed since the last percepts."""
    sight_offsets: Indices = field(init=False)
    """Offsets from a cell to each cell in sight, nearest first."""
    _sight_offset_list: list[int] = field(init=False)
    reach_offsets: Indices = field(init=False)
    """Offsets from a cell to each cell within reach, nearest first."""

    def __post_init__(self) -> None:
        axis = np.arange(-MARGIN, MARGIN + 1)
        squares = (axis[:, None] ** 2 + axis[None, :] ** 2).reshape(-1)
        offsets = (axis[:, None] * self.width + axis[None, :]).reshape(-1)
        order = np.argsort(squares, kind="stable")
        self.sight_offsets = offsets[order][squares[order] <= VISUAL_RADIUS**2]
        self._sight_offset_list = self.sight_offsets.tolist()
        self.reach_offsets = offsets[order][squares[order] <= REACH**2]

    @classmethod
    def from_blocks(cls, blocks: Bytes) -> "BlockGrid":
        """Return a grid with these blocks, given by [x, z] without a margin."""
        padded = np.pad(blocks, MARGIN, constant_values=BLOCK_NUMBER["edge"])
        return cls(blocks.shape[0], padded.shape[0], padded.reshape(-1).copy())

    @property
    def view(self) -> memoryview:
        """The cells as a memory view. Python loops read it several times as fast as the array."""
        return self.cells.data

    def blocks(self) -> Bytes:
        """Return the blocks by [x, z], without the margin."""
        padded = self.cells.reshape(self.width, self.width)
        return np.ascontiguousarray(padded[MARGIN:-MARGIN, MARGIN:-MARGIN])

    def cell(self, x: int, z: int) -> int:
        """Return the cell of a position on the map."""
        return (x + MARGIN) * self.width + z + MARGIN

    def coordinates(self, cell: int) -> tuple[int, int]:
        """Return x and z of a cell."""
        x, z = divmod(cell, self.width)
        return x - MARGIN, z - MARGIN

    def contains(self, at: Position) -> bool:
        """Return True if a position is on the ground of this map."""
        return at.y == GROUND_Y and 0 <= at.x < self.size and 0 <= at.z < self.size

    def block_name(self, cell: int) -> str:
        """Return the name of the block in a cell."""
        return BLOCKS[self.cells[cell]]

    def set_block(self, cell: int, block: str) -> None:
        """Replace the block in a cell, and mark the cell as changed."""
        self.cells[cell] = BLOCK_NUMBER[block]
        self.changed_cells.add(cell)

    def has_in_reach(self, x: int, z: int, block: str) -> bool:
        """Return True if a block of this name is within reach of a position."""
        return bool((self.cells[self.cell(x, z) + self.reach_offsets] == BLOCK_NUMBER[block]).any())

    def is_walkable(self, cell: int) -> bool:
        """Return True if agents can stand in a cell."""
        return bool(WALKABLE[self.cells[cell]])

    def has_free_cells(self, cell: int, number: int, without: int | None = None) -> bool:
        """Return True if an agent in `cell` can reach at least `number` cells, its own included, without crossing the
        cell `without`.
        """
        cells, reached, pending = self.view, {cell}, [cell]
        if not WALKABLE_BYTES[cells[cell]]:
            return False
        while pending and len(reached) < number:
            current = pending.pop()
            for neighbour in (current - 1, current + 1, current - self.width, current + self.width):
                if neighbour not in reached and neighbour != without and WALKABLE_BYTES[cells[neighbour]]:
                    reached.add(neighbour)
                    pending.append(neighbour)
        return len(reached) >= number

    def visible_blocks(self, cells: Indices) -> list[list[tuple[str, int, int]]]:
        """Return the useful blocks in sight of each cell as (name, x, z). The nearest block of each kind comes first.

        There are at most `MAX_BLOCKS_PER_KIND` blocks of a kind.
        """
        windows = self.cells[cells[:, None] + self.sight_offsets[None, :]]
        found: list[list[tuple[int, int]]] = [[] for _ in range(len(cells))]
        rows = np.arange(len(cells))
        for kind in VISIBLE_NUMBERS:
            of_kind = windows == kind
            for rank in range(MAX_BLOCKS_PER_KIND):
                nearest = of_kind.argmax(axis=1)
                has_kind = of_kind[rows, nearest]
                if not has_kind.any():
                    break
                of_kind[rows, nearest] = False
                for row, offset in zip(np.flatnonzero(has_kind).tolist(), nearest[has_kind].tolist(), strict=True):
                    found[row].append((rank << 16 | offset, kind))
        return [self._by_distance(int(cell), block) for cell, block in zip(cells, found, strict=True)]

    def _by_distance(self, cell: int, found: list[tuple[int, int]]) -> list[tuple[str, int, int]]:
        return [
            (BLOCKS[kind], *self.coordinates(cell + self._sight_offset_list[key & 0xFFFF]))
            for key, kind in sorted(found)
        ]
