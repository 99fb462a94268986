"""Behaviour of creatures: spawning near agents, roaming, hunting, striking and despawning."""

import numpy as np

from nemuri_domain.world.block_grid import MARGIN
from nemuri_domain.world.column_types import (
    SPECIES_NAMES,
    SPECIES_NUMBER,
    WALKABLE,
    Booleans,
    Bytes,
    Floats,
    Indices,
    Integers,
)
from nemuri_domain.world.combat import receive_blow
from nemuri_domain.world.game_rules import SPECIES
from nemuri_domain.world.spatial_index import SpatialIndex
from nemuri_domain.world.world_state import WorldState

ACTIVE_DISTANCE = 16.0
"""Distance in blocks from the nearest agent beyond which a creature stands still and eventually despawns."""
SPAWN_RATE, DESPAWN_RATE = 0.2, 0.05
"""Rates per second: spawns per agent, and despawns per creature that is far from all agents or is a zombie by day."""
MIN_SPAWN_DISTANCE, MAX_SPAWN_DISTANCE = 6, 14
"""Minimum distance of a spawn from the agent, and its maximum distance along x and along z, in blocks."""
MAX_NEARBY = {"cow": 3, "zombie": 2, "skeleton": 1}
"""Maximum number of creatures of a species near a position, by species. Near is within `MAX_SPAWN_DISTANCE`."""
DIRECTIONS: Integers = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)], dtype=np.int32)


def _species_column(name: str) -> Floats:
    return np.array([getattr(SPECIES[each], name) for each in SPECIES_NAMES], dtype=np.float64)


SPEED, ATTACK_RANGE, HUNTING_RADIUS, DAMAGE, ATTACK_INTERVAL = (
    _species_column(name) for name in ("speed", "attack_range", "hunting_radius", "damage", "attack_interval")
)


def advance_creatures(state: WorldState, seconds: float) -> None:
    """Advance all creatures by `seconds`, a small part of a second: they spawn, despawn, move and strike."""
    if not state.settings.creatures:
        return
    _spawn_creatures(state, seconds)
    if state.creatures.number.size:
        prey, distance = _nearest_agents(state)
        stays = _stays(state, distance, seconds)
        state.departures += state.creatures.keep_only(stays)
        prey, distance = prey[stays], distance[stays]
        hunting = (DAMAGE[state.creatures.species] > 0) & (distance <= HUNTING_RADIUS[state.creatures.species])
        _move_creatures(state, prey, hunting, distance, seconds)
        _attack_prey(state, prey, hunting & (distance <= ATTACK_RANGE[state.creatures.species]))


def _nearest_agents(state: WorldState) -> tuple[Indices, Floats]:
    """Return the row of the agent nearest to each creature, and its distance in blocks.

    The row is -1 and the distance infinite if no agent is within `ACTIVE_DISTANCE`.
    """
    players, creatures, rows = state.players, state.creatures, state.players.present_rows()
    creature_indices, bodies, squares = SpatialIndex(players.x[rows], players.z[rows]).pairs(
        creatures.x, creatures.z, ACTIVE_DISTANCE
    )
    order = np.lexsort((bodies, squares, creature_indices))[::-1]
    prey = np.full(creatures.number.size, -1)
    distance = np.full(creatures.number.size, np.inf)
    prey[creature_indices[order]] = rows[bodies[order]]
    distance[creature_indices[order]] = np.sqrt(squares[order])
    return prey, distance


def _spawn_creatures(state: WorldState, seconds: float) -> None:
    rows = state.players.present_rows()
    for _ in range(int(state.rng.poisson(rows.size * SPAWN_RATE * seconds)) if rows.size else 0):
        row = rows[state.rng.integers(rows.size)]
        dx, dz = state.rng.integers(-MAX_SPAWN_DISTANCE, MAX_SPAWN_DISTANCE + 1, size=2).tolist()
        x, z = int(state.players.x[row]) + dx, int(state.players.z[row]) + dz
        inside = 0 <= x < state.settings.size and 0 <= z < state.settings.size
        if inside and dx * dx + dz * dz >= MIN_SPAWN_DISTANCE**2 and (species := _species_that_may_spawn(state, x, z)):
            coordinates = [np.array([each], dtype=np.int32) for each in (x, z)]
            state.creatures.add(np.array([SPECIES_NUMBER[species]], dtype=np.uint8), *coordinates)


def _species_that_may_spawn(state: WorldState, x: int, z: int) -> str | None:
    """Return the species that may spawn at a position; None if none may."""
    block, creatures = state.ground.block_name(state.ground.cell(x, z)), state.creatures
    outdoor_species = "cow" if state.daylight else "zombie"
    species = "skeleton" if state.terrain.dark[x, z] else outdoor_species
    if block != ("path" if species == "skeleton" else "grass") or (species != "cow" and state.ground.is_lit(x, z)):
        return None
    if species == "zombie" and state.terrain.safe[x, z]:
        return None
    same_species = creatures.species == SPECIES_NUMBER[species]
    near = (np.abs(creatures.x - x) <= MAX_SPAWN_DISTANCE) & (np.abs(creatures.z - z) <= MAX_SPAWN_DISTANCE)
    return species if int(np.count_nonzero(same_species & near)) < MAX_NEARBY[species] else None


def _stays(state: WorldState, distance: Floats, seconds: float) -> Booleans:
    """Return a mask of the creatures that stay. Some of those far from all agents, and some zombies by day, despawn."""
    creatures = state.creatures
    leaving = np.isinf(distance) | ((creatures.species == SPECIES_NUMBER["zombie"]) & state.daylight)
    stays: Booleans = ~leaving | (state.rng.random(distance.size) >= DESPAWN_RATE * seconds)
    return stays


def _move_creatures(state: WorldState, prey: Indices, hunting: Booleans, distance: Floats, seconds: float) -> None:
    """Move creatures near agents by at most one block. Hunters move towards their prey until it is in range, others
    move randomly.
    """
    creatures, players, ground = state.creatures, state.players, state.ground
    draws, directions = state.rng.random(distance.size), state.rng.integers(4, size=distance.size)
    moving = np.isfinite(distance) & (draws < SPEED[creatures.species] * seconds)
    moving &= ~(hunting & (distance <= ATTACK_RANGE[creatures.species]))
    dx, dz = DIRECTIONS[directions, 0], DIRECTIONS[directions, 1]
    dx[hunting] = np.sign(players.x[prey[hunting]] - creatures.x[hunting])
    dz[hunting] = np.sign(players.z[prey[hunting]] - creatures.z[hunting])
    x, z = creatures.x + dx, creatures.z + dz
    moving &= (
        _in_habitat(state, creatures.species, x, z) & WALKABLE[ground.cells[(x + MARGIN) * ground.width + z + MARGIN]]
    )
    creatures.x[moving], creatures.z[moving] = x[moving], z[moving]
    creatures.appearance_changed |= moving


def _in_habitat(state: WorldState, species: Bytes, x: Integers, z: Integers) -> Booleans:
    """Return a mask of the positions (x, z) that are in the habitat of the species. Skeletons stay in the dark."""
    last = state.settings.size - 1
    found: Booleans = (species != SPECIES_NUMBER["skeleton"]) | state.terrain.dark[
        np.clip(x, 0, last), np.clip(z, 0, last)
    ]
    return found


def _attack_prey(state: WorldState, prey: Indices, in_range: Booleans) -> None:
    creatures = state.creatures
    attacking = in_range & (creatures.next_attack_at <= state.second)
    creatures.next_attack_at[attacking] = state.second + ATTACK_INTERVAL[creatures.species[attacking]]
    for index in np.flatnonzero(attacking).tolist():
        receive_blow(state, int(prey[index]), SPECIES_NAMES[creatures.species[index]])
