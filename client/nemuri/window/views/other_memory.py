"""The pages of one affective memory and of one tiered memory."""

from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from nemuri.client.client import Client
from nemuri.operations.other_memory_lives import OtherLife, other_life_of
from nemuri.web.context import principal_of
from nemuri.web.problems import Problem
from nemuri.window.forms import if_known
from nemuri.window.page_templates import render
from nemuri.window.views.agents import agent_of


async def other_memory(request: Request, client: Client, memory_id: UUID) -> Response:
    """Show a memory that is no strength memory, with its history for the operator. Raises `Problem` 404 if unknown."""
    found = (await client.journal(event_ids=[memory_id])).entries
    if not found or found[0].agent_id is None:
        raise Problem(404, f"there is no memory {memory_id}")
    agent = await agent_of(client, found[0].agent_id)
    operator = principal_of(request).operator
    life = await other_life_of(client.log, agent.agent_id, memory_id) if operator else None
    values = {"memory_id": memory_id, "agent": agent, "life": life}
    if agent.definition.memory == "affective":
        view = await if_known(client.affect_memory(agent.agent_id, str(memory_id)))
        turn = await if_known(client.affect_turn(agent.agent_id, str(memory_id)))
        return render(request, "affect_memory.html", values | {"view": view, "turn": turn, "curve": _curve(life)})
    if agent.definition.memory == "tiered":
        tier = await if_known(client.tiers_memory(agent.agent_id, str(memory_id)))
        return render(request, "tiers_memory.html", values | {"view": tier})
    raise Problem(404, f"{agent.agent_id} has no memory {memory_id} any more")


def _curve(life: OtherLife | None) -> dict[str, list[float]]:
    """Return the points of the chart of retention over time."""
    points = life.curve if life else ()
    return {"times": [at.timestamp() for at, _ in points], "values": [value for _, value in points]}
