"""The ASGI application of the gateway."""

from collections.abc import Awaitable, Callable
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from nemuri.client.exchange import ClientError
from nemuri.gateway.assistants import Assistants
from nemuri.http_api.call import ROOT
from nemuri.http_api.openapi import RATE_HEADERS
from nemuri.http_api.request_reading import KEY_HEADER
from nemuri.http_api.routes import api_routes
from nemuri.http_api.task_events import LAST_EVENT_ID
from nemuri.operations.session import OperationError
from nemuri.web.authentication import MCP_PATH
from nemuri.web.context import WebContext
from nemuri.web.error_answers import answer_problem
from nemuri.web.gatekeeper import Gatekeeper
from nemuri.web.problems import Problem, problem_of
from nemuri.web.token_issuer import METADATA_PATH, TokenIssuer
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
        routes=_routes(assistants, context.authenticator.issuer),
        middleware=[Middleware(Gatekeeper, context.authenticator)],
        exception_handlers={
            Problem: _answer_problem,
            ClientError: _answer_client_error,
            OperationError: _answer_operation_error,
            HTTPException: _answer_http_error,
        },
    )
    application.state.context = context
    api = _open_to(application, context.options.origins)

    async def gateway(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        called = probes if path in PROBES else api if path.startswith(f"{ROOT}/") else application
        await called(scope, receive, send)

    return gateway


def _open_to(application: ASGIApp, origins: tuple[str, ...]) -> ASGIApp:
    """Return the application for requests to the API, which pages of these origins may send.

    Browsers ask first, without a token. They send no cookie along, so such a page needs a token of its own.
    """
    if not origins:
        return application
    return CORSMiddleware(
        application,
        allow_origins=origins,
        allow_methods=("GET", "POST", "PUT", "DELETE"),
        allow_headers=("Authorization", "Content-Type", KEY_HEADER, LAST_EVENT_ID),
        expose_headers=("Location", "Retry-After", *RATE_HEADERS),
    )


def _routes(assistants: Assistants, issuer: TokenIssuer | None) -> list[BaseRoute]:
    mcp = (Route(MCP_PATH, assistants), Route(f"{MCP_PATH}/{{agent}}", assistants))
    metadata = [Route(f"{METADATA_PATH}{MCP_PATH}", _metadata_of(issuer))] if issuer else []
    return [*api_routes(), *mcp, *metadata, *window_routes()]


def _metadata_of(issuer: TokenIssuer) -> Callable[[Request], Awaitable[Response]]:
    """Return the page that tells assistants where they get tokens; those in browsers may read it too."""

    async def metadata(_: Request) -> Response:
        return JSONResponse(issuer.metadata(), headers={"Access-Control-Allow-Origin": "*"})

    return metadata


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
