"""Settings of a Minecraft world."""

from pydantic import Field

from nemuri_contracts.event import Identifier, Value

MAX_AGENTS_PER_SERVER = 50
"""Maximum number of agents on one server. With more agents the server cannot keep its tick rate."""
MAX_SERVERS = 32


class MinecraftSettings(Value):
    """All parameters of the bridge except its connection to the bus."""

    society: Identifier = "society"
    seed: int = Field(default=0, ge=0, lt=2**31)
    servers: int = Field(default=1, ge=1, le=MAX_SERVERS)
    """Number of server processes. Each is a separate world, so agents on different servers never meet."""
    agents_per_server: int = Field(default=MAX_AGENTS_PER_SERVER, ge=1, le=MAX_AGENTS_PER_SERVER)
    """Maximum number of agents on one server."""
    rate: float = Field(default=4.0, gt=0, le=20)
    """Maximum number of percepts per second for each agent."""
