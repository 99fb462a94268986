"""The page of one memory: what it says, where it comes from, how strong it was and will be, and what it relates to."""

from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.memory_graph import MemoryGraph, memory_graph
from nemuri.operations.log_position_parsing import LogPosition
from nemuri.operations.memory_lives import MemoryLife, life_of
from nemuri.web.context import client_of, context_of, operator_of, principal_of
from nemuri.window.forms import if_known
from nemuri.window.lookups import found, uuid_in_path
from nemuri.window.page_templates import render
from nemuri.window.views.other_memory import other_memory
from nemuri_contracts.memory_views import MemoryView

LABEL_LENGTH = 60
"""Characters of a memory in the graph."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/memories/{memory}", memory),
        Route("/memories/{memory}/life", life),
        Route("/memories/{memory}/relations", relations),
    ]


async def memory(request: Request) -> Response:
    """Show a memory. Its life and its relations are parts that the page asks for when it is open."""
    client, memory_id = await client_of(request), uuid_in_path(request, "memory")
    view = await if_known(client.memory(memory_id))
    if view is None:
        return await other_memory(request, client, memory_id)
    return render(request, "memory.html", {"each": view, "agent_id": view.agent_id})


async def life(request: Request) -> Response:
    """Show the strength of a memory over time, its forecast, and every event of its history."""
    client, memory_id = await operator_of(request), uuid_in_path(request, "memory")
    view = await found(client.memory(memory_id))
    lived = await life_of(client.log, view.agent_id, memory_id)
    return render(request, "memory_life.html", {"each": view, "life": lived, "curve": _curve(lived)})


async def relations(request: Request) -> Response:
    """Show the memories that a memory is related to, as a graph and as a list."""
    client, memory_id = await client_of(request), uuid_in_path(request, "memory")
    view = await found(client.memory(memory_id))
    graph = await memory_graph(client, view, await _followers(request, view))
    return render(request, "memory_relations.html", {"graph": graph, "middle": memory_id, "drawn": _drawn(graph)})


async def _followers(request: Request, view: MemoryView) -> list[UUID]:
    """Return the memories that were learned from a memory. Only the operator may read the log, which knows them."""
    if not principal_of(request).operator:
        return []
    client = await operator_of(request)
    past = await context_of(request).histories.of(client.log, view.agent_id).at(LogPosition())
    return [memory_id for memory_id, content in past.mind.contents.items() if view.memory_id in content.links]


def _curve(lived: MemoryLife) -> dict[str, Any]:
    """Return the points of the two charts: strength over time, and strength in the coming days."""
    uses = {step.at.timestamp() for step in lived.steps if step.kind == "memories_used"}
    return {
        "times": [at.timestamp() for at, _ in lived.curve],
        "strengths": [strength for _, strength in lived.curve],
        "uses": [strength if at.timestamp() in uses else None for at, strength in lived.curve],
        "days": [day for day, _ in lived.forecast.points],
        "forecast": [strength for _, strength in lived.forecast.points],
        "threshold": lived.forecast.threshold,
    }


def _drawn(graph: MemoryGraph) -> dict[str, Any]:
    """Return the nodes and edges of the graph as JSON values."""
    number = {memory_id: index for index, memory_id in enumerate(graph.nodes)}
    return {
        "nodes": [
            {
                "id": str(memory_id),
                "label": _label(view),
                "depth": depth,
                "strength": view.strength,
                "status": view.status,
            }
            for memory_id, (view, depth) in graph.nodes.items()
        ],
        "links": [
            {"source": number[edge.source], "target": number[edge.target], "sort": edge.sort} for edge in graph.edges
        ],
    }


def _label(view: MemoryView) -> str:
    text = view.memory.content
    return text if len(text) <= LABEL_LENGTH else f"{text[: LABEL_LENGTH - 1]}…"
