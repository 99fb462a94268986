"""Lines about the agents of a platform that has just started."""

from nemuri.admin.forgetting_speed_text import paces
from nemuri.client.connection import connected
from nemuri.platform.embedder_check import lexical_agents
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings


async def lines_of(settings: Settings) -> list[str]:
    """Connect to a running platform, and return a line on the forgetting speed of each agent with strength memory, and
    a line if agents still recall by words although new agents do not.
    """
    async with connected(settings, settings.client or OPERATOR) as client:
        agents = await client.agents(orchestrator=True)
        told = paces(agents)
        lexical = lexical_agents(agents, (await client.status()).embedding)
    if lexical:
        who = f"{lexical[0]} and {len(lexical) - 1} more recall" if len(lexical) > 1 else f"{lexical[0]} recalls"
        told.append(f"{who} by words, new agents by meaning; `nemuri reembed` switches the old ones")
    return told
