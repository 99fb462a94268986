"""The mutable state of a world."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import REACH
from nemuri_domain.world.block_grid import Ground
from nemuri_domain.world.creatures import Creatures
from nemuri_domain.world.players import People
from nemuri_domain.world.terrain import Land, land_of
from nemuri_domain.world.world_settings import WorldSettings

MORNING, EVENING = 0.0, 2.0 / 3.0
"""Fractions of the day at which daylight begins and ends."""


@dataclass(slots=True)
class State:
    """The parts of a world. Acts change them."""

    settings: WorldSettings
    land: Land
    ground: Ground
    rng: np.random.Generator
    people: People = field(default_factory=People)
    creatures: Creatures = field(default_factory=Creatures)
    chests: dict[int, dict[str, int]] = field(default_factory=dict)
    """Contents of each chest, by cell."""
    plants: dict[int, float] = field(default_factory=dict)
    """Second at which each plant is ripe, by cell."""
    gone: list[tuple[int, int]] = field(default_factory=list)
    """Last seen positions of agents and creatures that left since the last percepts."""
    clock: float = 0.0
    """Simulation time in seconds."""
    bright: bool = True
    """True if there was daylight in the last percepts."""

    @classmethod
    def begun(cls, settings: WorldSettings) -> "State":
        """Create the initial state."""
        land = land_of(settings)
        return cls(settings, land, Ground.of(land.blocks), np.random.default_rng([settings.seed, 2]))

    @property
    def daylight(self) -> bool:
        """True during the day."""
        return MORNING <= self.clock / self.settings.day % 1.0 < EVENING

    def walkable(self, x: int, z: int) -> bool:
        """Return whether an agent can stand at a position."""
        return self.ground.walkable(self.ground.cell(x, z))

    def reaches(self, row: int, x: int, z: int) -> bool:
        """Return whether a position is within reach of an agent."""
        dx, dz = int(self.people.x[row]) - x, int(self.people.z[row]) - z
        return dx * dx + dz * dz <= REACH * REACH
