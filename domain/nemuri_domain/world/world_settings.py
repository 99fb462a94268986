"""Settings of a grid world."""

from pydantic import Field

from nemuri_contracts.event import Identifier, Value


class WorldSettings(Value):
    """All parameters from which a world is generated and driven."""

    seed: int = Field(default=0, ge=0, lt=2**63)
    size: int = Field(default=256, ge=64, le=4096)
    """Side of the square map in blocks, 64 to 4,096."""
    towns: tuple[Identifier, ...] = Field(default=("town",), max_length=64)
    """Names of towns, spread over the map. Agents may begin in a town or anywhere."""
    rate: float = Field(default=4.0, gt=0, le=50)
    """Percepts per second of wall clock time."""
    speed: float = Field(default=1.0, gt=0, le=1_000)
    """Seconds of simulation time per second of wall clock time."""
    day_seconds: float = Field(default=1200.0, ge=1)
    """Seconds of a day. The last third is night."""
    max_sightings: int = Field(default=24, ge=1, le=64)
    """Other bodies in a percept, at most, nearest first."""
    creatures: bool = True
    """True if there are cows, zombies and skeletons."""
