"""The page of an agent with strength memory: what it knows, how it forgets and how well it remembers."""

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.agent_policies import adopted_parameters, strength_parameters
from nemuri.client.client import Client
from nemuri.client.operations import choices_of
from nemuri.web.context import client_of, operator_of
from nemuri.web.cursors import cursor_of, place_of
from nemuri.window.forms import agent_in_path, chosen, text_of
from nemuri.window.lookups import found
from nemuri.window.page_templates import render, wants_part
from nemuri.window.views.agents import agent_with
from nemuri_contracts.memory_views import MemoryPlace
from nemuri_contracts.queries import MemoryListOptions

PAGE_SIZE = 50
STATUSES, ORDERS = choices_of(MemoryListOptions, "status"), choices_of(MemoryListOptions, "order")


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/agents/{agent}", agent),
        Route("/agents/{agent}/recall", recall),
        Route("/agents/{agent}/contents", contents),
        Route("/agents/{agent}/health", health),
        Route("/agents/{agent}/scorer", scorer),
        Route("/agents/{agent}/policy", policy),
    ]


async def agent(request: Request) -> Response:
    """Show an agent with its memories. As a part, show the page of the list of memories alone."""
    view = await agent_with(request, "strength")
    if isinstance(view, RedirectResponse):
        return view
    client = await client_of(request)
    values = {"agent": view, "statuses": STATUSES, "orders": ORDERS} | await _memories(request, client, view.agent_id)
    return render(request, "agent_memories.html" if wants_part(request) else "agent.html", values)


async def _memories(request: Request, client: Client, name: str) -> dict[str, Any]:
    wanted = {field: text_of(request, field) for field in ("containing", "tag", "perspective", "person")}
    status, order = chosen(request, "status", STATUSES), chosen(request, "order", ORDERS)
    page = await client.memory_page(
        name,
        status=status,
        order=order,
        following=place_of(MemoryPlace, text_of(request, "after")),
        limit=PAGE_SIZE,
        containing=wanted["containing"],
        tags=[wanted["tag"]] if wanted["tag"] else (),
        perspective=wanted["perspective"],
        person=wanted["person"],
    )
    asked = wanted | {"status": status, "order": order}
    first = f"/agents/{name}?{urlencode({key: value for key, value in asked.items() if value})}"
    after = cursor_of(page.following)
    return {
        "page": page,
        "asked": asked,
        "narrowed": any(wanted.values()) or status != STATUSES[0],
        "first_page": first if text_of(request, "after") else None,
        "next_page": f"{first}&after={after}" if after else None,
        "strongest": max((memory.strength for memory in page.memories), default=1.0),
    }


async def recall(request: Request) -> Response:
    """Show the memories that the agent would be given for a query, with their scores. Nothing is recorded."""
    name, client = agent_in_path(request), await client_of(request)
    query, perspective = text_of(request, "query"), text_of(request, "perspective")
    deep = request.query_params.get("deep") == "on"
    answer = await found(client.recall(name, query, perspective=perspective, deep=deep)) if query else None
    return render(request, "agent_recall.html", {"found": answer, "query": query})


async def contents(request: Request) -> Response:
    """Show the table of contents that the agent gets with each task."""
    memo = await found((await client_of(request)).memo(agent_in_path(request)))
    return render(request, "agent_contents.html", {"memo": memo})


async def health(request: Request) -> Response:
    """Show the measures of the agent's memory, with their normal ranges and advice."""
    [answer] = await found((await client_of(request)).health(agent_in_path(request)))
    return render(request, "agent_health.html", {"health": answer, "adopted": None})


async def scorer(request: Request) -> Response:
    """Show the agent's learned scorer with the weight of each feature."""
    answer = await found((await client_of(request)).scorer(agent_in_path(request)))
    return render(request, "agent_scorer.html", {"scorer": answer})


async def policy(request: Request) -> Response:
    """Show the parameters of the agent's memory, those that differ from the defaults first."""
    parameters = await adopted_parameters(await operator_of(request), agent_in_path(request))
    return render(request, "agent_policy.html", {"parameters": strength_parameters(parameters)})
