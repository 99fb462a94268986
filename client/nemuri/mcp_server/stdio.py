"""The MCP server over standard input and output, for one user of a platform."""

import asyncio
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any, Final

from nemuri.client.client import Client
from nemuri.client.connection import connected, nats_address
from nemuri.client.exchange import ClientError
from nemuri.hook.project import project_here
from nemuri.mcp_server.access import Caller, memory_kind
from nemuri.mcp_server.server import build_server
from nemuri.mcp_server.tool_forms import MemoryKind
from nemuri.operations.agent_history import AgentHistories
from nemuri.web.operation_registry import OperationRegistry
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings

CONNECTING_SECONDS: Final = 15.0
"""Seconds that a call may take to connect to the platform."""
KIND_SECONDS: Final = 5.0
"""Seconds in which the platform must say the kind of an agent's memory, before the tools are listed."""


@dataclass(slots=True)
class OwnPlatform:
    """Access to the platform of the settings, in the name of its client or of the operator.

    The connection is opened by the first call that needs it, and again after it was lost, so the server also starts
    while the platform is down.
    """

    settings: Settings
    bound_to: str | None = None
    operations: OperationRegistry = field(default_factory=OperationRegistry)
    histories: AgentHistories = field(default_factory=AgentHistories)
    secret: str = field(default_factory=token_urlsafe, repr=False)
    """Secret for confirmation codes, which are valid as long as this process runs."""
    _client: Client | None = None
    _address: str | None = None
    _opened: AsyncExitStack = field(default_factory=AsyncExitStack)
    _opening: asyncio.Lock = field(default_factory=asyncio.Lock)

    def agent(self, request: Any) -> str | None:  # noqa: ARG002 - over standard input all requests are the same
        """Return the agent to which the server is bound."""
        return self.bound_to

    async def caller(self, request: Any) -> Caller:  # noqa: ARG002 - over standard input all requests are the same
        """Return the caller, connected to the platform. Raises `ClientError` if the platform cannot be reached."""
        name = self.settings.client or OPERATOR
        async with self._opening:
            known = self._client
            client = known if known is not None and known.log.connection.is_connected else await self._reach(name)
        project = project_here(self.settings.project)
        return Caller(client, name, self.bound_to, self.settings, self.operations, self.histories, self.secret, project)

    async def memory_kind(self) -> MemoryKind | None:
        """Return the kind of memory of the agent to which the server is bound; None if it is not known.

        While no platform can be asked, the agent of the hooks is known to have affective memory, because hooks define
        it so.
        """
        if self.bound_to is None:
            return None
        with suppress(ClientError, TimeoutError):
            async with asyncio.timeout(KIND_SECONDS):
                if kind := await memory_kind((await self.caller(None)).client, self.bound_to):
                    return kind
        return "affective" if self.bound_to == self.settings.hook_agent else None

    async def _reach(self, name: str) -> Client:
        """Return a client of the platform that runs now.

        A client that has lost its connection is kept while the platform's address is the same: its calls wait for the
        connection. Raises `ClientError` if no platform runs or none answers.
        """
        address = nats_address(self.settings)
        known = self._client
        if known is not None and not known.log.connection.is_closed and address == self._address:
            return known
        await self.close()
        client = await self._opened.enter_async_context(connected(self.settings, name, CONNECTING_SECONDS))
        self._client, self._address = client, address
        return client

    async def close(self) -> None:
        """Close the connection, if there is one."""
        self._client = None
        await self._opened.aclose()


async def serve_stdio(settings: Settings, agent: str | None) -> None:
    """Serve the tools over standard input and output until the input ends. Log entries go to stderr."""
    access = OwnPlatform(settings, agent)
    try:
        async with access.operations:
            kind = await access.memory_kind()
            await build_server(access, bound=agent is not None, kind=kind).run_stdio_async()
    finally:
        await access.close()
