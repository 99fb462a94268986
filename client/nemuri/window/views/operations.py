"""Operations: what needs a person, the workers, dead letters, long operations and backups."""

from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from nemuri.admin import dead_letters
from nemuri.admin.platform_status import platform_status
from nemuri.operations.backup_listing import backups_below
from nemuri.web import long_operations
from nemuri.web.context import context_of, operator_of, principal_of
from nemuri.web.operation_registry import Operation, Work
from nemuri.web.problems import Problem
from nemuri.window.lookups import found, uuid_in_path
from nemuri.window.page_templates import render, wants_part
from nemuri.window.platform_health import health_of
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

LETTERS = 20
"""Number of dead letters on one page."""

ENDED = "operation-ended"
"""Event in the browser after which the list of operations and backups is shown again."""


def routes() -> list[BaseRoute]:
    """Return the routes of this module."""
    return [
        Route("/operations", operations),
        Route("/operations/health", health),
        Route("/operations/workers", workers),
        Route("/operations/letters", letters),
        Route("/operations/runs", runs),
        Route("/operations/runs/{operation}", run),
        Route("/operations/{name:str}", start, methods=["POST"]),
    ]


async def operations(request: Request) -> Response:
    """Show everything on one page."""
    client = await operator_of(request)
    status = await platform_status(client)
    values = {
        "status": status,
        "health": health_of(status),
        "letters": await dead_letters.page(client, limit=LETTERS),
        "chosen": "",
        "services": [*SERVICES],
        "runs": context_of(request).operations.all(),
        "backups": backups_below(long_operations.backups_directory(context_of(request).settings)),
    }
    return render(request, "operations.html", values)


async def health(request: Request) -> Response:
    """Show again whether the platform is well."""
    status = await platform_status(await operator_of(request))
    return render(request, "platform_health.html", {"status": status, "health": health_of(status)})


async def workers(request: Request) -> Response:
    """Show the consumers again, with their present lag."""
    status = await platform_status(await operator_of(request))
    return render(request, "operations_workers.html", {"status": status})


async def letters(request: Request) -> Response:
    """Show a page of the dead letters of one service, or of all."""
    client = await operator_of(request)
    service, after = request.query_params.get("service", ""), request.query_params.get("after") or None
    if service and service not in SERVICES:
        raise Problem(422, f"there is no service {service[:80]!r}")
    page = await found(dead_letters.page(client, service or None, after=after, limit=LETTERS))
    values = {"letters": page, "chosen": service, "services": [*SERVICES], "after": after}
    return render(request, "dead_letters.html", values)


async def runs(request: Request) -> Response:
    """Show the long operations of this process."""
    await operator_of(request)
    values = {
        "runs": context_of(request).operations.all(),
        "backups": backups_below(long_operations.backups_directory(context_of(request).settings)),
    }
    return render(request, "operations_runs.html", values)


async def run(request: Request) -> Response:
    """Show one long operation on a page of its own."""
    await operator_of(request)
    operation_id: UUID = uuid_in_path(request, "operation")
    operation = context_of(request).operations.find(operation_id)
    if operation is None:
        raise Problem(404, f"there is no operation {operation_id}; operations are forgotten when the server ends")
    answer = render(request, "operation_run.html" if wants_part(request) else "operation.html", {"run": operation})
    if operation.status != "running":
        answer.headers["HX-Trigger"] = ENDED
    return answer


async def start(request: Request) -> Response:
    """Start a rebuild, a verification or a backup, and show the list of operations."""
    await operator_of(request)
    name = request.path_params["name"]
    started(request, name, _work(name, context_of(request).settings))
    return await runs(request)


def started(request: Request, name: str, work: Work) -> Operation:
    """Start a long operation in the name of the request's principal."""
    return context_of(request).operations.start(name, principal_of(request).client_id, work)


def _work(name: str, settings: Settings) -> Work:
    match name:
        case "rebuild":
            return long_operations.rebuild(settings)
        case "rebuild-from-start":
            return long_operations.rebuild(settings, from_start=True)
        case "verify":
            return long_operations.verification(settings)
        case "backup":
            return long_operations.backup(settings)
        case _:
            raise Problem(404, f"there is no operation {name[:80]!r}")
