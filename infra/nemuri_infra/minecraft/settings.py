"""What a Minecraft world is made from."""

from pydantic import Field

from nemuri_contracts.event import Identifier, Value

MOST_BOTS = 50
"""Agents on one server: beyond that it cannot keep its time."""
MOST_SERVERS = 32


class MinecraftSettings(Value):
    """Everything that the bridge follows from, besides where it finds the bus."""

    society: Identifier = "society"
    seed: int = Field(default=0, ge=0, lt=2**31)
    servers: int = Field(default=1, ge=1, le=MOST_SERVERS)
    """Server processes; each is a world of its own, and those on different ones never meet."""
    room: int = Field(default=MOST_BOTS, ge=1, le=MOST_BOTS)
    """Agents that a server takes."""
    rate: float = Field(default=4.0, gt=0, le=20)
    """Percepts a second, at most."""
    keep_seconds: float = Field(default=30.0, ge=1)
    """How often the state of the worlds is written down, for a bridge that has to be started again."""
