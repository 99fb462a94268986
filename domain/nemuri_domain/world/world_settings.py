"""What a grid world is made from."""

from pydantic import Field

from nemuri_contracts.event import Identifier, Value


class WorldSettings(Value):
    """Everything that a world follows from, besides what is done in it."""

    seed: int = Field(default=0, ge=0, lt=2**63)
    size: int = Field(default=256, ge=64, le=4096)
    """Blocks from edge to edge, both ways."""
    towns: tuple[Identifier, ...] = Field(default=("town",), max_length=64)
    """Named places, far from each other as the size allows, where agents may begin; the others begin anywhere."""
    rate: float = Field(default=4.0, gt=0, le=50)
    """Percepts a second of the wall's clock."""
    speed: float = Field(default=1.0, gt=0, le=1_000)
    """Seconds of the world's clock in one of the wall's."""
    day: float = Field(default=1200.0, ge=1)
    """Seconds from one morning to the next; the last third is night."""
    crowd: int = Field(default=24, ge=1, le=64)
    """How many others one sees at once, the nearest first."""
    creatures: bool = True
    """Whether there are cows, zombies and skeletons."""
