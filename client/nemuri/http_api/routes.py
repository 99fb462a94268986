"""The routes of the HTTP API."""

from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial

import structlog
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from nemuri.admin.agent_definitions import DefinitionError
from nemuri.client.connection import permitted
from nemuri.client.exchange import ClientError, PassingError
from nemuri.http_api.call import ROOT, Call
from nemuri.http_api.catalogue import RESOURCES
from nemuri.http_api.endpoints import JSON, Endpoint
from nemuri.http_api.openapi import document
from nemuri.http_api.rate_limits import RateLimits
from nemuri.http_api.request_reading import body_values, idempotency_key, path_values, query_values
from nemuri.operations.log_position_parsing import LogPositionError
from nemuri.operations.session import OperationError
from nemuri.web.context import client_of, principal_of
from nemuri.web.error_answers import answer_problem
from nemuri.web.problems import Problem, problem_of
from nemuri_infra.bus.event_log import ConflictError
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.projections.database import DatabaseError

logger = structlog.get_logger()
REFUSED = 422
"""Status of a refusal by the client. The API says 409 instead, because its models have checked the request."""


def api_routes(limits: RateLimits | None = None) -> list[BaseRoute]:
    """Return the routes of the API. Every principal has a bucket of its own in `limits`."""
    counted = limits or RateLimits()
    methods = defaultdict[str, dict[str, Endpoint]](dict)
    for resource in RESOURCES:
        for endpoint in resource.endpoints:
            methods[endpoint.path][endpoint.method] = endpoint
    routes = [Route(path, partial(_answer, known, counted), methods=[*known]) for path, known in methods.items()]
    return [Mount(ROOT, routes=[Route("/openapi.json", _describe), *routes])]


async def _describe(request: Request) -> Response:
    principal_of(request)
    return JSONResponse(document())


async def _answer(methods: dict[str, Endpoint], limits: RateLimits, request: Request) -> Response:
    endpoint = methods["GET" if request.method == "HEAD" else request.method]
    headers = dict[str, str]()
    try:
        headers = limits.take(principal_of(request).client_id)
        return await _called(endpoint, request, headers)
    except Problem as problem:
        found = problem
    except ClientError as error:
        found = _refusal(request, problem_of(error))
    except (OperationError, LogPositionError, DefinitionError, ConflictError) as error:
        found = Problem(409, str(error))
    except (*READER_ERRORS, DatabaseError) as error:
        logger.warning("a server is away", endpoint=endpoint.name, problem=f"{type(error).__name__}: {error}")
        found = problem_of(PassingError("a server of the platform does not answer; see `nemuri status`"))
    found.headers = headers | found.headers
    return answer_problem(request, found)


async def _called(endpoint: Endpoint, request: Request, headers: dict[str, str]) -> Response:
    principal = principal_of(request)
    if endpoint.operator and not principal.operator:
        raise Problem(403, f"only the operator may do this, not {principal.client_id}")
    arguments = path_values(endpoint, request) | query_values(endpoint, request)
    key = idempotency_key(request) if endpoint.keyed else None
    arguments |= await body_values(endpoint, request)
    call = Call(request, principal, await client_of(request), key, headers)
    handler: Callable[..., Awaitable[object]] = endpoint.function
    with permitted(call.client.log):
        answer = await handler(call, **arguments)
    status = call.status or endpoint.status
    if isinstance(answer, Response):
        answer.headers.update(call.headers)
        return answer
    if endpoint.answer is None:
        return Response(status_code=status, headers=call.headers)
    found = endpoint.answer.model_validate(answer)
    return Response(found.model_dump_json(by_alias=True), status, call.headers, JSON)


def _refusal(request: Request, problem: Problem) -> Problem:
    """Return a refusal with the status of the API: an unknown id is 404 only if the address names it."""
    named = any(value.lower() in problem.detail.lower() for value in request.path_params.values())
    if problem.status == REFUSED or (problem.status == 404 and not named):
        return Problem(409, problem.detail, problem.headers)
    return problem
