"""All that a world is at one moment."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_contracts.world_protocol import REACH
from nemuri_domain.world.block_grid import Ground
from nemuri_domain.world.creatures import Creatures
from nemuri_domain.world.players import People
from nemuri_domain.world.terrain import Land, land_of
from nemuri_domain.world.world_settings import WorldSettings

MORNING, EVENING = 0.0, 2.0 / 3.0
"""Parts of the day at which the light comes and goes."""


@dataclass(slots=True)
class State:
    """The parts of a world; what is done in it changes them."""

    settings: WorldSettings
    land: Land
    ground: Ground
    rng: np.random.Generator
    people: People = field(default_factory=People)
    creatures: Creatures = field(default_factory=Creatures)
    chests: dict[int, dict[str, int]] = field(default_factory=dict)
    """What each chest holds, by its cell."""
    plants: dict[int, float] = field(default_factory=dict)
    """When each plant is ripe, by its cell."""
    gone: list[tuple[int, int]] = field(default_factory=list)
    """Where agents and creatures were who went since agents were told."""
    clock: float = 0.0
    """Seconds since the beginning."""
    bright: bool = True
    """Whether it was daylight when agents were last told."""

    @classmethod
    def begun(cls, settings: WorldSettings) -> "State":
        """The world before anything has happened."""
        land = land_of(settings)
        return cls(settings, land, Ground.of(land.blocks), np.random.default_rng([settings.seed, 2]))

    @property
    def daylight(self) -> bool:
        """Whether it is day."""
        return MORNING <= self.clock / self.settings.day % 1.0 < EVENING

    def walkable(self, x: int, z: int) -> bool:
        """Whether somebody can stand there."""
        return self.ground.walkable(self.ground.cell(x, z))

    def reaches(self, row: int, x: int, z: int) -> bool:
        """Whether an agent can do something at a place."""
        dx, dz = int(self.people.x[row]) - x, int(self.people.z[row]) - z
        return dx * dx + dz * dz <= REACH * REACH
