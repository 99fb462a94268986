"""Pathfinding to within reach of a goal: a straight line if it is free, else a weighted A* search."""

from collections.abc import Container
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt

from nemuri_contracts.world_protocol import REACH
from nemuri_domain.world.block_grid import Ground
from nemuri_domain.world.table_columns import WALKABLE, WALKABLE_BYTES

LONGEST = 8_000
"""Cells of one search, at most. Goals that need more count as unreachable."""
SHUT_IN = 256
"""Cells after which a search checks whether the start is enclosed by as few cells, as it often is after digging."""
BOLD = 1.3
"""Weight of the remaining distance. Above 1 the path is slightly longer than the shortest, but found faster."""
ROOT = sqrt(2.0)


@dataclass(frozen=True, slots=True)
class Found:
    """The result of a search."""

    way: tuple[int, ...] | None
    """Cells after the start; None if there is no path."""
    looked: int
    """Number of searched cells."""


def way(ground: Ground, start: int, goal: int) -> Found:
    """Return a path from a cell to within reach of the goal. It consists of single steps and cuts no corners."""
    direct = _straight(ground, start, goal)
    return Found(direct, len(direct) + 1) if direct is not None else _around(ground, start, goal)


def _straight(ground: Ground, start: int, goal: int) -> tuple[int, ...] | None:
    """Return the direct path, diagonal steps first. None if a block is in the way."""
    (x, z), (to_x, to_z) = ground.place(start), ground.place(goal)
    found, cells, width, at = list[int](), ground.view, ground.width, start
    while (to_x - x) ** 2 + (to_z - z) ** 2 > REACH * REACH:
        dx, dz = (to_x > x) - (to_x < x), (to_z > z) - (to_z < z)
        step = at + dx * width + dz
        if not WALKABLE_BYTES[cells[step]]:
            return None
        if dx and dz and not (WALKABLE_BYTES[cells[at + dx * width]] and WALKABLE_BYTES[cells[at + dz]]):
            return None
        x, z, at = x + dx, z + dz, step
        found.append(at)
    return tuple(found)


def _around(ground: Ground, start: int, goal: int) -> Found:
    """Search backwards from the cells within reach of the goal. Enclosed goals such as ores end the search soon."""
    cells, width = ground.view, ground.width
    start_x, start_z = divmod(start, width)

    def left(cell: int) -> float:
        dx, dz = abs(cell // width - start_x), abs(cell % width - start_z)
        return BOLD * (max(dx, dz) + (ROOT - 1) * min(dx, dz))

    within = goal + ground.arms
    ends = within[WALKABLE[ground.cells[within]]].tolist()
    length, onward = dict.fromkeys(ends, 0.0), dict[int, int]()
    ahead, looked, done = [(left(each), each) for each in ends], 0, set[int]()
    heapify(ahead)
    while ahead and looked < LONGEST:
        cell = heappop(ahead)[1]
        if cell == start:
            return Found(_followed(onward, cell), looked)
        if cell in done:
            continue
        done.add(cell)
        looked += 1
        if looked == SHUT_IN and _shut_in(cells, start, width, length):
            break
        for step, cost in _steps(cells, cell, width):
            so_far = length[cell] + cost
            if so_far < length.get(step, float("inf")):
                length[step], onward[step] = so_far, cell
                heappush(ahead, (so_far + left(step), step))
    return Found(None, looked)


def _shut_in(cells: memoryview, start: int, width: int, known: Container[int]) -> bool:
    """Return whether only few cells are reachable from the start and none of them is known."""
    reached, ahead = {start}, [start]
    while ahead and len(reached) <= SHUT_IN:
        new = {step for step, _ in _steps(cells, ahead.pop(), width)} - reached
        if any(each in known for each in new):
            return False
        reached |= new
        ahead += new
    return not ahead


def _steps(cells: memoryview, cell: int, width: int) -> list[tuple[int, float]]:
    """Return the cells reachable in one step, each with its distance."""
    walkable = WALKABLE_BYTES
    found, sides = list[tuple[int, float]](), [side for side in (-1, 1) if walkable[cells[cell + side]]]
    for step in (cell - width, cell + width):
        if walkable[cells[step]]:
            found.append((step, 1.0))
            found += [(step + side, ROOT) for side in sides if walkable[cells[step + side]]]
    found += [(cell + side, 1.0) for side in sides]
    return found


def _followed(onward: dict[int, int], cell: int) -> tuple[int, ...]:
    found = list[int]()
    while cell in onward:
        cell = onward[cell]
        found.append(cell)
    return tuple(found)
