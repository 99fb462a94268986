"""The ASGI application of the gateway."""

from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from nemuri.client.exchange import ClientError
from nemuri.gateway.assistants import Assistants
from nemuri.http_api.routes import api_routes
from nemuri.operations.session import OperationError
from nemuri.web.context import WebContext
from nemuri.web.error_answers import answer_problem
from nemuri.web.gatekeeper import Gatekeeper
from nemuri.web.problems import Problem, problem_of
from nemuri.window.routes import window_routes

PROBES = frozenset({"/health", "/ready", "/metrics"})


def gateway_application(context: WebContext, assistants: Assistants, probes: ASGIApp) -> ASGIApp:
    """Return the application with everything that is served over HTTP.

    Args:
        context: Settings, connections and options that all requests share.
        assistants: The MCP server.
        probes: Application of /health, /ready and /metrics of the same process.
    """
    application = Starlette(
        routes=_routes(assistants),
        middleware=[Middleware(Gatekeeper, context.authenticator)],
        exception_handlers={
            Problem: _answer_problem,
            ClientError: _answer_client_error,
            OperationError: _answer_operation_error,
            HTTPException: _answer_http_error,
        },
    )
    application.state.context = context

    async def gateway(scope: Scope, receive: Receive, send: Send) -> None:
        probed = scope["type"] == "http" and scope["path"] in PROBES
        await (probes if probed else application)(scope, receive, send)

    return gateway


def _routes(assistants: Assistants) -> list[BaseRoute]:
    mcp = (Route("/mcp", assistants), Route("/mcp/{agent}", assistants))
    return [*api_routes(), *mcp, *window_routes()]


async def _answer_problem(request: Request, error: Exception) -> Response:
    return answer_problem(request, cast("Problem", error))


async def _answer_client_error(request: Request, error: Exception) -> Response:
    return answer_problem(request, problem_of(cast("ClientError", error)))


async def _answer_operation_error(request: Request, error: Exception) -> Response:
    return answer_problem(request, Problem(409, str(error)))


async def _answer_http_error(request: Request, error: Exception) -> Response:
    known = cast("HTTPException", error)
    detail = f"there is nothing at {request.url.path}" if known.status_code == 404 else known.detail
    return answer_problem(request, Problem(known.status_code, detail, dict(known.headers or {})))
