"""Behaviour of creatures: spawning near agents, roaming, hunting, striking and despawning."""

import numpy as np

from nemuri_domain.world.block_grid import MARGIN
from nemuri_domain.world.combat import struck
from nemuri_domain.world.game_rules import CREATURES
from nemuri_domain.world.spatial_index import Nearness
from nemuri_domain.world.table_columns import SORT, SORTS, WALKABLE, Bytes, Integers, Places, Reals, Truths
from nemuri_domain.world.world_state import State

NOTICE = 16.0
"""Blocks from the nearest agent beyond which a creature stands still and eventually despawns."""
COMING, GOING = 0.2, 0.05
"""Rates per second: spawns for each agent, and despawns of each creature that is far away or a zombie by day."""
NEAREST, FARTHEST = 6, 14
"""Smallest and largest distance of a spawn from the agent, in blocks."""
MOST_NEAR = {"cow": 3, "zombie": 2, "skeleton": 1}
"""Creatures of a species near a position, at most, by species."""
SIDES: Integers = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)], dtype=np.int32)


def _column(name: str) -> Reals:
    return np.array([getattr(CREATURES[each], name) for each in SORTS], dtype=np.float64)


SPEED, FAR, SENSES, BLOW, PAUSE = (_column(name) for name in ("speed", "far", "senses", "blow", "pause"))


def roam(state: State, seconds: float) -> None:
    """Advance all creatures by a small part of a second."""
    if not state.settings.creatures:
        return
    _come(state, seconds)
    if state.creatures.number.size:
        prey, distance = _nearest(state)
        staying = _staying(state, distance, seconds)
        state.gone += state.creatures.keep(staying)
        prey, distance = prey[staying], distance[staying]
        hunting = (BLOW[state.creatures.sort] > 0) & (distance <= SENSES[state.creatures.sort])
        _move(state, prey, hunting, distance, seconds)
        _strike(state, prey, hunting & (distance <= FAR[state.creatures.sort]))


def _nearest(state: State) -> tuple[Places, Reals]:
    """Return the row and distance of the agent nearest to each creature; infinity if none is near."""
    people, creatures, rows = state.people, state.creatures, state.people.everybody()
    which, bodies, squares = Nearness(people.x[rows], people.z[rows]).pairs(creatures.x, creatures.z, NOTICE)
    order = np.lexsort((bodies, squares, which))[::-1]
    prey = np.full(creatures.number.size, -1)
    distance = np.full(creatures.number.size, np.inf)
    prey[which[order]] = rows[bodies[order]]
    distance[which[order]] = np.sqrt(squares[order])
    return prey, distance


def _come(state: State, seconds: float) -> None:
    rows = state.people.everybody()
    for _ in range(int(state.rng.poisson(rows.size * COMING * seconds)) if rows.size else 0):
        row = rows[state.rng.integers(rows.size)]
        dx, dz = state.rng.integers(-FARTHEST, FARTHEST + 1, size=2).tolist()
        x, z = int(state.people.x[row]) + dx, int(state.people.z[row]) + dz
        inside = 0 <= x < state.settings.size and 0 <= z < state.settings.size
        if inside and dx * dx + dz * dz >= NEAREST**2 and (sort := _fitting(state, x, z)):
            place = [np.array([each], dtype=np.int32) for each in (x, z)]
            state.creatures.add(np.array([SORT[sort]], dtype=np.uint8), *place)


def _fitting(state: State, x: int, z: int) -> str | None:
    """Return the species that may spawn at a position, or None."""
    block, creatures = state.ground.name(state.ground.cell(x, z)), state.creatures
    outside = "cow" if state.daylight else "zombie"
    sort = "skeleton" if state.land.dark[x, z] else outside
    if block != ("path" if sort == "skeleton" else "grass") or (sort != "cow" and state.ground.is_lit(x, z)):
        return None
    if sort == "zombie" and state.land.safe[x, z]:
        return None
    same = creatures.sort == SORT[sort]
    near = (np.abs(creatures.x - x) <= FARTHEST) & (np.abs(creatures.z - z) <= FARTHEST)
    return sort if int(np.count_nonzero(same & near)) < MOST_NEAR[sort] else None


def _staying(state: State, distance: Reals, seconds: float) -> Truths:
    """Return which creatures stay. Some of those far from all agents, and some zombies by day, despawn."""
    creatures = state.creatures
    leaving = np.isinf(distance) | ((creatures.sort == SORT["zombie"]) & state.daylight)
    staying: Truths = ~leaving | (state.rng.random(distance.size) >= GOING * seconds)
    return staying


def _move(state: State, prey: Places, hunting: Truths, distance: Reals, seconds: float) -> None:
    """Move creatures near agents. Hunters move towards their prey until it is in range, others move randomly."""
    creatures, people, ground = state.creatures, state.people, state.ground
    drawn, sides = state.rng.random(distance.size), state.rng.integers(4, size=distance.size)
    moving = np.isfinite(distance) & (drawn < SPEED[creatures.sort] * seconds)
    moving &= ~(hunting & (distance <= FAR[creatures.sort]))
    dx, dz = SIDES[sides, 0], SIDES[sides, 1]
    dx[hunting] = np.sign(people.x[prey[hunting]] - creatures.x[hunting])
    dz[hunting] = np.sign(people.z[prey[hunting]] - creatures.z[hunting])
    x, z = creatures.x + dx, creatures.z + dz
    moving &= _livable(state, creatures.sort, x, z) & WALKABLE[ground.cells[(x + MARGIN) * ground.width + z + MARGIN]]
    creatures.x[moving], creatures.z[moving] = x[moving], z[moving]
    creatures.stirred |= moving


def _livable(state: State, sorts: Bytes, x: Integers, z: Integers) -> Truths:
    """Return which moves end in a habitat of the species. Skeletons stay in the dark."""
    last = state.settings.size - 1
    found: Truths = (sorts != SORT["skeleton"]) | state.land.dark[np.clip(x, 0, last), np.clip(z, 0, last)]
    return found


def _strike(state: State, prey: Places, near: Truths) -> None:
    creatures = state.creatures
    striking = near & (creatures.ready <= state.clock)
    creatures.ready[striking] = state.clock + PAUSE[creatures.sort[striking]]
    for place in np.flatnonzero(striking).tolist():
        struck(state, int(prey[place]), SORTS[creatures.sort[place]])
