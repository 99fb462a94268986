"""The page of an agent with tiered memory: short-term and long-term memory side by side."""

from datetime import UTC, datetime
from typing import get_args

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.tiered import consolidate
from nemuri.web.context import client_of, operator_of
from nemuri.window.forms import agent_in_path, chosen, text_of
from nemuri.window.lookups import found
from nemuri.window.page_templates import render
from nemuri.window.views.agents import agent_with
from nemuri_contracts.tiered import Module
from nemuri_contracts.tiered_views import TiersView

MODULES: tuple[Module, ...] = get_args(Module)
SIMULATED_BEFORE = 1e9
"""Seconds below which a time is on the clock of a simulation, which begins at 0."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/agents/{agent}/tiers", tiers),
        Route("/agents/{agent}/tiers/recall", recall),
        Route("/agents/{agent}/tiers/consolidation", consolidate_now, methods=["POST"]),
    ]


async def tiers(request: Request) -> Response:
    """Show the state of a tiered memory."""
    agent = await agent_with(request, "tiered")
    if isinstance(agent, RedirectResponse):
        return agent
    view = await (await client_of(request)).tiers(agent.agent_id)
    return render(request, "tiers.html", {"agent": agent, "modules": MODULES, "gone": None} | _times(view))


def _times(view: TiersView) -> dict[str, object]:
    return {"view": view, "consolidated": _time(view.consolidated_at)}


def _time(second: float | None) -> datetime | float | None:
    """Return a time of the agent's clock: a date, or seconds since its simulation began."""
    if second is None or second < SIMULATED_BEFORE:
        return second
    return datetime.fromtimestamp(second, UTC)


async def recall(request: Request) -> Response:
    """Show the memories that a module would retrieve for a query. Nothing is recorded."""
    name, query, module = agent_in_path(request), text_of(request, "query"), chosen(request, "module", MODULES)
    client = await client_of(request)
    answer = await found(client.tiers_recall(name, query, module=module, quietly=True)) if query else None
    return render(request, "tiers_recall.html", {"found": answer})


async def consolidate_now(request: Request) -> Response:
    """Consolidate all of short-term memory, and show the memory as it is then."""
    result = await consolidate(await operator_of(request), agent_in_path(request))
    return render(request, "tiers_layers.html", {"gone": result.gone} | _times(result.view))
