"""Changes of a memory in the window: its words, a pin, a confirmation, a withdrawn relation."""

from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.web.context import client_of
from nemuri.web.problems import Problem
from nemuri.window.forms import form_text
from nemuri.window.lookups import uuid_in_path
from nemuri.window.page_templates import render


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/memories/{memory}/words", edit, methods=["POST"]),
        Route("/memories/{memory}/standing/{change}", change_standing, methods=["POST"]),
    ]


async def edit(request: Request) -> Response:
    """Store corrected words as a new memory that takes the place of this one."""
    memory_id, text = uuid_in_path(request, "memory"), await form_text(request, "text")
    if not text:
        raise Problem(422, "write the corrected words")
    newer = await (await client_of(request)).edit_memory(memory_id, text)
    return render(request, "memory_edited.html", {"newer": newer})


async def _older(request: Request) -> UUID:
    """Return the id of the older memory in a form. Raises `Problem` if it is none."""
    try:
        return UUID(await form_text(request, "older"))
    except ValueError:
        raise Problem(422, "name the older memory by its id") from None


async def change_standing(request: Request) -> Response:
    """Pin, unpin or confirm a memory or withdraw one of its relations, and show its standing."""
    client, memory_id, change = await client_of(request), uuid_in_path(request, "memory"), request.path_params["change"]
    if change in {"pin", "unpin"}:
        await client.pin_memory(memory_id, pinned=change == "pin")
    elif change == "confirm":
        await client.confirm_memory(memory_id)
    elif change == "unrelate":
        await client.unrelate_memory(memory_id, await _older(request))
    else:
        raise Problem(404, f"{change!r:.40} is no change of a memory")
    return render(request, "memory_standing.html", {"each": await client.memory(memory_id), "change": change})
