"""Settings of a grid world."""

from pydantic import Field

from nemuri_contracts.event import Identifier, Value


class WorldSettings(Value):
    """All settings from which a world is generated and by which it runs."""

    seed: int = Field(default=0, ge=0, lt=2**63)
    size: int = Field(default=256, ge=64, le=4096)
    """Side of the square map in blocks."""
    towns: tuple[Identifier, ...] = Field(default=("town",), max_length=64)
    """Names of the towns, which are spread over the map. Agents may begin in a town or anywhere."""
    sites: dict[Identifier, tuple[int, int]] = Field(default_factory=dict, max_length=64)
    """Position (x, z) of each named place. Agents may begin at a named place as in a town."""
    actions: tuple[str, ...] | None = None
    """Names of the actions that agents may take; None allows all."""
    rate: float = Field(default=4.0, gt=0, le=50)
    """Number of percepts per second of wall-clock time."""
    speed: float = Field(default=1.0, gt=0, le=1_000)
    """Simulated seconds per second of wall-clock time."""
    day_seconds: float = Field(default=1200.0, ge=1)
    """Simulated seconds of a day of 24 hours. It is light from 6 to 22 o'clock."""
    start_hour: float = Field(default=6.0, ge=0, lt=24)
    """Hour of the day at second 0."""
    max_sightings: int = Field(default=24, ge=1, le=64)
    """Maximum number of other agents in a percept. The nearest ones are taken."""
