"""Pathfinding to a cell within reach of a goal: a direct path if it is free, else a weighted A* search."""

from collections.abc import Container
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from math import sqrt

from nemuri_society.contracts.world_protocol import REACH
from nemuri_society.world.block_grid import BlockGrid
from nemuri_society.world.column_types import WALKABLE, WALKABLE_BYTES

MAX_SEARCHED_CELLS = 8_000
"""Maximum number of cells of one search. A goal that needs more counts as unreachable."""
ENCLOSURE_CELLS = 256
"""Number of searched cells after which a search checks if the start is enclosed, which is frequent after digging.
Enclosed means that at most this number of cells is reachable.
"""
HEURISTIC_WEIGHT = 1.3
"""Weight of the remaining distance. Above 1 the path is slightly longer than the shortest, but found faster."""
DIAGONAL_LENGTH = sqrt(2.0)


@dataclass(frozen=True, slots=True)
class PathSearch:
    """The result of a path search."""

    path: tuple[int, ...] | None
    """Cells of the path without the start; None if there is no path."""
    searched_cells: int
    """Number of searched cells."""


def find_path(ground: BlockGrid, start: int, goal: int) -> PathSearch:
    """Return a path from the cell `start` to a cell within reach of `goal`. It consists of single steps and cuts no
    corners.
    """
    direct = _straight_path(ground, start, goal)
    return PathSearch(direct, len(direct) + 1) if direct is not None else _search_path(ground, start, goal)


def _straight_path(ground: BlockGrid, start: int, goal: int) -> tuple[int, ...] | None:
    """Return the direct path, diagonal steps first; None if a block is in the way."""
    (x, z), (to_x, to_z) = ground.coordinates(start), ground.coordinates(goal)
    path, cells, width, cell = list[int](), ground.view, ground.width, start
    while (to_x - x) ** 2 + (to_z - z) ** 2 > REACH * REACH:
        dx, dz = (to_x > x) - (to_x < x), (to_z > z) - (to_z < z)
        next_cell = cell + dx * width + dz
        if not WALKABLE_BYTES[cells[next_cell]]:
            return None
        if dx and dz and not (WALKABLE_BYTES[cells[cell + dx * width]] and WALKABLE_BYTES[cells[cell + dz]]):
            return None
        x, z, cell = x + dx, z + dz, next_cell
        path.append(cell)
    return tuple(path)


def _search_path(ground: BlockGrid, start: int, goal: int) -> PathSearch:
    """Return a path found by an A* search backwards, from the cells within reach of the goal to the start.

    So the search for an enclosed goal, such as an ore, ends soon.
    """
    cells, width = ground.view, ground.width
    start_x, start_z = divmod(start, width)

    def remaining_distance(cell: int) -> float:
        dx, dz = abs(cell // width - start_x), abs(cell % width - start_z)
        return HEURISTIC_WEIGHT * (max(dx, dz) + (DIAGONAL_LENGTH - 1) * min(dx, dz))

    in_reach = goal + ground.reach_offsets
    goals = in_reach[WALKABLE[ground.cells[in_reach]]].tolist()
    distances, next_cells = dict.fromkeys(goals, 0.0), dict[int, int]()
    open_cells, searched_count, closed = [(remaining_distance(target), target) for target in goals], 0, set[int]()
    heapify(open_cells)
    while open_cells and searched_count < MAX_SEARCHED_CELLS:
        cell = heappop(open_cells)[1]
        if cell == start:
            return PathSearch(_follow_path(next_cells, cell), searched_count)
        if cell in closed:
            continue
        closed.add(cell)
        searched_count += 1
        if searched_count == ENCLOSURE_CELLS and _is_enclosed(cells, start, width, distances):
            break
        for neighbour, cost in _neighbours(cells, cell, width):
            distance = distances[cell] + cost
            if distance < distances.get(neighbour, float("inf")):
                distances[neighbour], next_cells[neighbour] = distance, cell
                heappush(open_cells, (distance + remaining_distance(neighbour), neighbour))
    return PathSearch(None, searched_count)


def _is_enclosed(cells: memoryview, start: int, width: int, searched: Container[int]) -> bool:
    """Return True if only few cells (`ENCLOSURE_CELLS`) are reachable from the start and none of them was searched."""
    reached, pending = {start}, [start]
    while pending and len(reached) <= ENCLOSURE_CELLS:
        new = {neighbour for neighbour, _ in _neighbours(cells, pending.pop(), width)} - reached
        if any(cell in searched for cell in new):
            return False
        reached |= new
        pending += new
    return not pending


def _neighbours(cells: memoryview, cell: int, width: int) -> list[tuple[int, float]]:
    """Return the cells reachable in one step, each with the length of the step."""
    walkable = WALKABLE_BYTES
    neighbours, sides = list[tuple[int, float]](), [side for side in (-1, 1) if walkable[cells[cell + side]]]
    for neighbour in (cell - width, cell + width):
        if walkable[cells[neighbour]]:
            neighbours.append((neighbour, 1.0))
            neighbours += [(neighbour + side, DIAGONAL_LENGTH) for side in sides if walkable[cells[neighbour + side]]]
    neighbours += [(cell + side, 1.0) for side in sides]
    return neighbours


def _follow_path(next_cells: dict[int, int], cell: int) -> tuple[int, ...]:
    path = list[int]()
    while cell in next_cells:
        cell = next_cells[cell]
        path.append(cell)
    return tuple(path)
