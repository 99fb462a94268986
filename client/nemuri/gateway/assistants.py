"""The MCP server of the gateway. Its library takes a second to import, so it is loaded by the first request."""

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Self

from starlette.types import Receive, Scope, Send

from nemuri.web.options import WebOptions

if TYPE_CHECKING:
    from nemuri.mcp_server.http import McpEndpoint


class Assistants:
    """The ASGI application at `/mcp`, for assistants that speak MCP."""

    def __init__(self, options: WebOptions, secret: str) -> None:
        """Create the application. `secret` is that of `McpEndpoint`."""
        self._options, self._secret = options, secret
        self._loading = asyncio.Lock()
        self._endpoint: McpEndpoint | None = None
        self._serving: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Return the application."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """End all calls."""
        self._ended.set()
        if self._serving is not None:
            await self._serving

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        async with self._loading:
            endpoint = self._endpoint or await self._load()
        await endpoint(scope, receive, send)

    async def _load(self) -> "McpEndpoint":
        kind = await asyncio.to_thread(_endpoint_class)
        endpoint = kind(self._secret, loopback=self._options.loopback, read_only=self._options.read_only)
        entered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._serving = asyncio.create_task(self._serve(endpoint, entered))
        await entered
        self._endpoint = endpoint
        return endpoint

    async def _serve(self, endpoint: "McpEndpoint", entered: "asyncio.Future[None]") -> None:
        """Answer requests until the application ends.

        The task that enters the library's task groups must leave them.
        """
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(endpoint.running())
            entered.set_result(None)
            await self._ended.wait()


def _endpoint_class() -> "type[McpEndpoint]":
    from nemuri.mcp_server.http import McpEndpoint

    return McpEndpoint
