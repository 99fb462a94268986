"""The page of an agent with strength memory: what it knows, how it forgets and how well it remembers."""

from typing import Any, get_args
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.agent_policies import adopted_parameters, strength_parameters
from nemuri.client.client import Client
from nemuri.client.operations import choices_of, singular, values_of
from nemuri.web.context import client_of, operator_of
from nemuri.web.cursors import cursor_of, place_of
from nemuri.web.query_options import options_in
from nemuri.window.forms import agent_in_path, text_of
from nemuri.window.lookups import found
from nemuri.window.page_templates import render, wants_part
from nemuri.window.views.agents import agent_with
from nemuri_contracts.client_events import MemoryKind
from nemuri_contracts.memory_views import MemoryPlace
from nemuri_contracts.queries import MemoryConditions, RecallOptions

PAGE_SIZE = 50
CHOICES = {
    "kinds": get_args(MemoryKind),
    "statuses": choices_of(MemoryConditions, "status"),
    "orders": choices_of(MemoryConditions, "order"),
}
"""The choices for the list of memories."""
UNASKED = {singular(name, field): None for name, field in MemoryConditions.model_fields.items()}
"""The conditions for the list of memories, under their names in an address, when none is given."""


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
    values = {"agent": view, "unasked": UNASKED, **CHOICES} | await _memories(request, client, view.agent_id)
    return render(request, "agent_memories.html" if wants_part(request) else "agent.html", values)


async def _memories(request: Request, client: Client, name: str) -> dict[str, Any]:
    wanted = [pair for pair in _filled_in(request) if pair[0] != "after"]
    conditions = options_in(wanted, MemoryConditions)
    place = place_of(MemoryPlace, text_of(request, "after"))
    page = await client.memory_page(name, following=place, limit=PAGE_SIZE, **values_of(conditions, MemoryConditions))
    first = f"/agents/{name}?{urlencode(wanted)}"
    after = cursor_of(page.following)
    return {
        "page": page,
        "asked": UNASKED | dict(wanted),
        "narrowed": bool(conditions.model_fields_set - {"order"}),
        "first_page": first if place else None,
        "next_page": f"{first}&after={after}" if after else None,
        "strongest": max((memory.strength for memory in page.memories), default=1.0),
    }


async def recall(request: Request) -> Response:
    """Show the memories that the agent would be given for a query, with their scores. Nothing is recorded."""
    name, client = agent_in_path(request), await client_of(request)
    options = options_in(_filled_in(request), RecallOptions) if text_of(request, "query") else None
    answer = await found(client.recall(name, **values_of(options, RecallOptions))) if options else None
    return render(request, "agent_recall.html", {"found": answer, "query": options and options.query})


def _filled_in(request: Request) -> list[tuple[str, str]]:
    """Return the fields of the address that are not empty, without spaces around them."""
    return [(key, value.strip()) for key, value in request.query_params.multi_items() if value.strip()]


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
