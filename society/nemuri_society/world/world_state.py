"""The mutable state of a world."""

from dataclasses import dataclass, field

import numpy as np

from nemuri_society.contracts.world_protocol import REACH
from nemuri_society.world.block_grid import BlockGrid
from nemuri_society.world.player_table import PlayerTable
from nemuri_society.world.terrain import Terrain, generate_terrain
from nemuri_society.world.world_settings import WorldSettings

MORNING, EVENING = 6.0, 22.0
"""Hours at which daylight begins and ends."""


@dataclass(slots=True)
class WorldState:
    """The complete state of a world. Acts and time change it in place."""

    settings: WorldSettings
    terrain: Terrain
    ground: BlockGrid
    rng: np.random.Generator
    players: PlayerTable = field(default_factory=PlayerTable)
    chests: dict[int, dict[str, int]] = field(default_factory=dict)
    """Contents of each chest, by cell."""
    departures: list[tuple[int, int]] = field(default_factory=list)
    """Positions at which agents that left since the last percepts were last seen."""
    second: float = 0.0
    """Simulation time in seconds."""
    reported_daylight: bool = True
    """True if there was daylight in the last percepts."""

    @classmethod
    def initial(cls, settings: WorldSettings) -> "WorldState":
        """Return the state of a new world with these settings."""
        terrain = generate_terrain(settings)
        return cls(settings, terrain, BlockGrid.from_blocks(terrain.blocks), np.random.default_rng([settings.seed, 2]))

    @property
    def daylight(self) -> bool:
        """True during the day."""
        return MORNING <= self.hour < EVENING

    @property
    def hour(self) -> float:
        """Hour of the day, at least 0 and below 24."""
        return (self.settings.start_hour + 24.0 * self.second / self.settings.day_seconds) % 24.0

    def is_walkable(self, x: int, z: int) -> bool:
        """Return True if an agent can stand at a position."""
        return self.ground.is_walkable(self.ground.cell(x, z))

    def is_within_reach(self, row: int, x: int, z: int) -> bool:
        """Return True if a position is within reach of the agent in a row."""
        dx, dz = int(self.players.x[row]) - x, int(self.players.z[row]) - z
        return dx * dx + dz * dz <= REACH * REACH
