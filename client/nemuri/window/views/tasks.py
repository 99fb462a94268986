"""The list of tasks, the ones submitted last first."""

from datetime import datetime
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.client.exchange import ClientError
from nemuri.client.operations import choices_of
from nemuri.web.context import client_of
from nemuri.web.problems import Problem
from nemuri.window.lookups import agents_to_choose, refuse_if_passing
from nemuri.window.page_templates import render, wants_part
from nemuri_contracts.queries import TaskListOptions
from nemuri_contracts.task_list_views import TaskPlace, TasksView

FIELDS = ("status", "agent", "client", "containing")
STATUSES = choices_of(TaskListOptions, "status")
"""Conditions for the status of a task; `waiting` stands for both ways of waiting for a person."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [Route("/tasks", tasks)]


async def tasks(request: Request) -> Response:
    """Show a page of the list. Its first page asks for itself again every few seconds."""
    client = await client_of(request)
    chosen = {name: request.query_params.get(name, "").strip() for name in FIELDS}
    cursor, problem, page = request.query_params.get("after", ""), None, TasksView(tasks=())
    try:
        page = await client.tasks(
            status=chosen["status"] or None,  # type: ignore[arg-type]
            agent=chosen["agent"] or None,
            client=chosen["client"] or None,
            containing=chosen["containing"] or None,
            following=_place(cursor) if cursor else None,
        )
    except ClientError as error:
        refuse_if_passing(error)
        problem = str(error)
    values = {
        "chosen": chosen,
        "page": page,
        "problem": problem,
        "first": not cursor,
        "following": page.following and _address(chosen, page.following),
        "here": _address(chosen),
        "statuses": STATUSES,
        "agents": () if wants_part(request) else await agents_to_choose(client),
    }
    template = "tasks_list.html" if wants_part(request) else "tasks.html"
    return render(request, template, values, status=422 if problem else 200)


def _address(chosen: dict[str, str], cursor: TaskPlace | None = None) -> str:
    given = {name: value for name, value in chosen.items() if value}
    if cursor is not None:
        given["after"] = f"{cursor.submitted_at.isoformat()}~{cursor.task_id}"
    return f"/tasks?{urlencode(given)}" if given else "/tasks"


def _place(text: str) -> TaskPlace:
    time, _, task_id = text.partition("~")
    try:
        return TaskPlace(submitted_at=datetime.fromisoformat(time), task_id=UUID(task_id))
    except ValueError as error:
        raise Problem(422, f"{text[:80]!r} is no place in the list of tasks") from error
