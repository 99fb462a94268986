"""The MCP server over HTTP, for all clients of a gateway: each request acts in the name of its own principal.

No request needs an earlier one, so a restart of the platform is not noticed.
"""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final, Self

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from nemuri.client.exchange import ClientError
from nemuri.mcp_server.access import Caller, memory_kind
from nemuri.mcp_server.server import build_server
from nemuri.mcp_server.tool_forms import KINDS, MemoryKind
from nemuri.web.context import client_of, context_of, principal_of
from nemuri.web.problems import Problem
from nemuri_contracts.event import Identifier
from nemuri_contracts.wire_constants import NO_PROJECT

PATH: Final = "/mcp"
AGENT: Final = "agent"
"""Name of the agent in the URL."""
PROJECT: Final = "project"
"""Name of the project in the URL."""
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
"""Names by which a program on this machine reaches an address of the loopback interface."""
_agent: TypeAdapter[str] = TypeAdapter(Identifier)


class RequestPlatform:
    """Access to the platform of a gateway, in the name of the principal of each request."""

    def agent(self, request: Request) -> str | None:
        """Return the agent in the request's URL: `/mcp/AGENT` or `?agent=AGENT`."""
        return agent_in(request)

    async def caller(self, request: Request) -> Caller:
        """Return the caller of a request. Raises `ClientError` if the platform cannot be reached."""
        surroundings = context_of(request)
        return Caller(
            client=await client_of(request),
            client_id=principal_of(request).client_id,
            agent=agent_in(request),
            settings=surroundings.settings,
            operations=surroundings.operations,
            histories=surroundings.histories,
            secret=surroundings.authenticator.secret,
            project=request.query_params.get(PROJECT) or surroundings.settings.project or NO_PROJECT,
        )


def agent_in(request: Request) -> str | None:
    """Return the agent in a URL; None without one. Raises `Problem` 404 for a text that is no id of an agent."""
    named = request.path_params.get(AGENT) or request.query_params.get(AGENT)
    if not named:
        return None
    try:
        return _agent.validate_python(named)
    except ValidationError as error:
        raise Problem(404, f"{named!r:.80} is no id of an agent; write {PATH}/AGENT") from error


class McpEndpoint:
    """The ASGI application that serves MCP at `/mcp` and `/mcp/AGENT`, without sessions.

    A request may carry the id of a session, as clients that have met an older version do; it is ignored. There is a
    server for each form of the tools: with the argument `agent`, or for one kind of memory without it, and with or
    without the tools that write.
    """

    def __init__(self, secret: str, *, loopback: bool, read_only: bool) -> None:
        """Create the endpoint.

        Args:
            secret: Text of at least 32 characters, the same after a restart. It protects what a client sends back to
                continue a call.
            loopback: Whether it is reached at a loopback address only. Then other names of the host are refused.
            read_only: Whether the tools that write are left out for everybody.
        """
        self._read_only = read_only
        self._managers: dict[tuple[bool, MemoryKind | None, bool], StreamableHTTPSessionManager] = {}
        self._kinds = dict[str, MemoryKind]()
        """The kinds of memory of agents that were asked for. They do not change."""
        security = TransportSecuritySettings(
            enable_dns_rebinding_protection=loopback,
            allowed_hosts=[name for host in LOOPBACK for name in (host, f"{host}:*")],
            allowed_origins=[f"http://{host}:*" for host in LOOPBACK],
        )
        forms = ((False, None), *((True, kind) for kind in (None, *KINDS)))
        for bound, kind in forms:
            for reading in (False, True):
                server = build_server(RequestPlatform(), bound=bound, kind=kind, read_only=reading, secret=secret)
                server.streamable_http_app(transport_security=security, stateless_http=True)
                self._managers[bound, kind, reading] = server.session_manager

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Answer requests while the context lasts. It can be entered once."""
        async with AsyncExitStack() as stack:
            for manager in self._managers.values():
                await stack.enter_async_context(manager.run())
            yield self

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises `Problem` if nobody has signed in, or if the URL names no agent.

        Only POST is a request of the protocol here: there are no sessions to end, and no messages outside of a call.
        """
        request = Request(scope, receive)
        reading, agent = self._read_only or principal_of(request).read_only, agent_in(request)
        if request.method == "POST":
            kind = None if agent is None else await self._kind(request, agent)
            await self._managers[agent is not None, kind, reading].asgi_app(scope, receive, send)
        else:
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)

    async def _kind(self, request: Request, agent: str) -> MemoryKind | None:
        """Return the kind of an agent's memory; None while it is not known."""
        with suppress(ClientError):
            if agent not in self._kinds and (kind := await memory_kind(await client_of(request), agent)):
                self._kinds[agent] = kind
        return self._kinds.get(agent)
