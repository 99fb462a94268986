"""The overview: whether the platform is well, how much it does, and what waits for a person."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin.platform_status import platform_status
from nemuri.client.client import Client
from nemuri.web.context import client_of, context_of, principal_of
from nemuri.window.page_templates import render, wants_part
from nemuri.window.platform_health import health_of

RECENT = 5
"""Number of tasks that are shown."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/", overview)]


async def overview(request: Request) -> Response:
    """Show the overview. Its part with the figures asks for itself again every few seconds."""
    client = await client_of(request)
    values = await (_of_operator(request, client) if principal_of(request).operator else _of_client(client))
    values["recent"] = (await client.tasks(limit=RECENT)).tasks
    return render(request, "overview_figures.html" if wants_part(request) else "overview.html", values)


async def _of_client(client: Client) -> dict[str, Any]:
    """Return what every client may see: nothing of the log and of the consumers."""
    return {"status": await client.status(), "health": None, "activity": ()}


async def _of_operator(request: Request, client: Client) -> dict[str, Any]:
    status = await platform_status(client)
    principles = await client.principles() if status.proposed_principles else {}
    activity = await context_of(request).activity.minutes(client)
    return {
        "status": status,
        "health": health_of(status),
        "proposed": sorted(
            name for name, some in principles.items() if any(principle.standing == "proposed" for principle in some)
        ),
        "activity": activity,
        "peaks": {name: max((getattr(minute, name) for minute in activity), default=0) for name in ("events", "tasks")},
    }
