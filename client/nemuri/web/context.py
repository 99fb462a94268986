"""The surroundings of a request handler: settings, connections, and the principal of the request."""

from dataclasses import dataclass, field

from starlette.requests import Request

from nemuri.admin.activity import ActivityHistory
from nemuri.client.client import Client
from nemuri.operations.agent_history import AgentHistories
from nemuri.web.authentication import Authenticator
from nemuri.web.clients import ClientPool
from nemuri.web.live_log import LiveLog
from nemuri.web.operation_registry import OperationRegistry
from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.problems import Problem
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class WebContext:
    """The surroundings of all requests. Every application of the process shares one."""

    settings: Settings
    """Settings with the addresses of the NATS server and of the database."""
    options: WebOptions
    clients: ClientPool
    live_log: LiveLog
    operations: OperationRegistry
    authenticator: Authenticator
    histories: AgentHistories = field(default_factory=AgentHistories)
    """States of agents over the log, for pages about the past."""
    activity: ActivityHistory = field(default_factory=ActivityHistory)
    """Number of events and tasks in the last minutes."""


def context_of(request: Request) -> WebContext:
    """Return the surroundings of a request."""
    found: WebContext = request.app.state.context
    return found


def principal_of(request: Request) -> Principal:
    """Return the principal of a request. Raises `Problem` 401 if nobody has signed in."""
    found: Principal | None = request.scope.get("principal")
    if found is None:
        raise Problem(401, "no valid token was given")
    return found


async def client_of(request: Request) -> Client:
    """Return the client that acts in the name of the request's principal."""
    return await context_of(request).clients.of(principal_of(request))


async def operator_of(request: Request) -> Client:
    """Return the operator's client. Raises `Problem` 403 if another client asks."""
    if not principal_of(request).operator:
        raise Problem(403, f"only the operator may do this, not {principal_of(request).client_id}")
    return await client_of(request)
