"""The list of agents, and the pages of one agent that every kind of memory has."""

from collections.abc import Iterable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.client.client import Client
from nemuri.web.context import client_of
from nemuri.window.forms import agent_in_path, text_of
from nemuri.window.lookups import found
from nemuri.window.page_templates import render
from nemuri_contracts.agents import ORCHESTRATOR, ORGANISATION
from nemuri_contracts.memory_views import AgentView

PAGE_SIZE = 100


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/agents", agents)]


async def agents(request: Request) -> Response:
    """Show all agents, and the principles that wait for a decision."""
    client = await client_of(request)
    found = await client.agents(orchestrator=True)
    principles = await client.principles()
    after = text_of(request, "after") or ""
    own = [agent for agent in own_agents(found) if agent.agent_id > after]
    values = {
        "agents": own[:PAGE_SIZE],
        "next_page": f"/agents?after={own[PAGE_SIZE - 1].agent_id}" if len(own) > PAGE_SIZE else None,
        "orchestrator": next((agent for agent in found if agent.agent_id == ORCHESTRATOR), None),
        "organisation": ORGANISATION,
        "shared": principles.get(ORGANISATION, ()),
        "proposed": {
            name: [principle for principle in some if principle.standing == "proposed"]
            for name, some in principles.items()
            if any(principle.standing == "proposed" for principle in some)
        },
    }
    return render(request, "agents.html", values)


def own_agents(found: Iterable[AgentView]) -> list[AgentView]:
    """Return the agents that the platform keeps, without the orchestrator, by name."""
    named = (agent for agent in found if agent.agent_id != ORCHESTRATOR and agent.definition.kept_by == "platform")
    return sorted(named, key=lambda agent: agent.agent_id)


async def agent_of(client: Client, name: str) -> AgentView:
    """Return the view of an agent. Raises `Problem` 404 if there is none with this name."""
    [view] = await found(client.agents(name, orchestrator=True))
    return view


async def agent_with(request: Request, memory: str) -> AgentView | RedirectResponse:
    """Return the agent that the path names, or a redirection if it has another kind of memory than the page shows."""
    view = await agent_of(await client_of(request), agent_in_path(request))
    kind = view.definition.memory
    return view if kind == memory else RedirectResponse(page_of(view.agent_id, kind), status_code=303)


def page_of(name: str, memory: str) -> str:
    """Return the address of an agent's page, by the kind of its memory."""
    return f"/agents/{name}{ {'affective': '/affect', 'tiered': '/tiers'}.get(memory, '') }"
