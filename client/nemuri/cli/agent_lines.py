"""Lines about the agents of a platform that has just started."""

from nemuri.admin.forgetting_speed_text import paces
from nemuri.client.connection import connected
from nemuri.platform.embedder_check import built_in_agents
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings


async def lines_of(settings: Settings) -> list[str]:
    """Connect to a running platform, and return a line on the forgetting speed of each agent with strength memory, and
    a line if agents still have vectors of the built-in embedder although new agents do not.
    """
    async with connected(settings, settings.client or OPERATOR) as client:
        agents = await client.agents(orchestrator=True)
        told = paces(agents)
        older = built_in_agents(agents, (await client.status()).embedding)
    if older:
        who = f"{older[0]} and {len(older) - 1} more recall" if len(older) > 1 else f"{older[0]} recalls"
        told.append(f"{who} by the built-in vectors, new agents by the model; `nemuri reembed` switches the old ones")
    return told
