"""The overview: whether the platform is well, how much it does, and what waits for a person."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.web.context import client_of
from nemuri.window.rendering import render, wants_part


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/", overview)]


async def overview(request: Request) -> Response:
    """Show the overview. Its part with the figures asks for itself again every few seconds."""
    client = await client_of(request)
    values = {"status": await client.status()}
    return render(request, "overview_figures.html" if wants_part(request) else "overview.html", values)
