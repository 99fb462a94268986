"""Erasing a task, a memory or an agent: first a look at everything that would go, then a confirmation by typing."""

import re
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri.operations.erasure import lineage
from nemuri.operations.session import OperationError
from nemuri.web import long_operations
from nemuri.web.context import context_of, operator_of
from nemuri.web.problems import Problem
from nemuri.window.lookups import refuse_if_passing
from nemuri.window.page_templates import render
from nemuri.window.views.operations import started
from nemuri_infra.projections.erasure_lineage import LineageResult, Thing

SORTS = ("task", "memory", "agent")
MAX_LISTED = 200
"""Maximum number of things that are listed. Further ones are only counted."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/operations/erasure", erasure), Route("/operations/erasure", erase, methods=["POST"])]


async def erasure(request: Request) -> Response:
    """Show what an erasure would take, with the reasons. Nothing is erased."""
    client = await operator_of(request)
    sort, name = request.query_params.get("sort", ""), request.query_params.get("name", "").strip()
    values: dict[str, object] = {"sort": sort, "name": name, "sorts": SORTS, "found": None, "problem": None}
    if name:
        try:
            thing = await _thing(client, sort, name)
            values |= _listed(await lineage(context_of(request).settings, [thing]), thing)
        except ClientError as error:
            refuse_if_passing(error)
            values["problem"] = str(error)
        except OperationError as error:
            values["problem"] = str(error)
    return render(request, "erasure.html", values, status=422 if values["problem"] else 200)


async def erase(request: Request) -> Response:
    """Start the erasure if its name was typed again, and show its progress."""
    client, form = await operator_of(request), await request.form()
    sort, name = str(form.get("sort", "")), str(form.get("name", ""))
    thing = await _thing(client, sort, name)
    if str(form.get("confirmation", "")).strip() != confirmation_of(thing):
        raise Problem(422, f"type {confirmation_of(thing)} to erase the {thing.sort}; nothing was erased")
    settings = context_of(request).settings
    await lineage(settings, [thing])  # refuses at once what cannot be erased
    run = started(request, f"erase {thing.sort} {thing.name}", long_operations.erasure(settings, thing))
    return render(request, "operation_run.html", {"run": run})


def confirmation_of(thing: Thing) -> str:
    """Return what a person types to confirm an erasure: the name of an agent, or the first eight digits of an id."""
    return str(thing.name) if thing.sort in {"agent", "person"} else str(thing.name)[:8]


async def _thing(client: Client, sort: str, name: str) -> Thing:
    match sort:
        case "agent":
            return Thing("agent", name)
        case "person":
            return Thing("person", name)
        case "task" | "memory":
            return Thing(sort, await _id(client, sort, name))
        case _:
            raise Problem(422, "choose what to erase: a task, a memory, an agent or a person")


async def _id(client: Client, sort: str, text: str) -> UUID:
    if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", text.lower()):
        return UUID(text)
    return await client.whole_id(sort, text)  # type: ignore[arg-type]


def _listed(found: LineageResult, thing: Thing) -> dict[str, object]:
    return {
        "found": [*found.reasons.items()][:MAX_LISTED],
        "total": len(found.reasons),
        "events": len(found.events),
        "thing": thing,
        "confirmation": confirmation_of(thing),
    }
