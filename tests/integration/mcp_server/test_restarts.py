"""The MCP server over HTTP after a restart of the platform: assistants go on as if nothing had happened."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from mcp import Client as McpClient
from mcp.client.session import ClientRequestContext
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitRequestParams, ElicitResult

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import Session
from tests.integration.mcp_server.test_http import MODES, OLD_SESSION
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway

pytestmark = pytest.mark.connected


@dataclass
class RestartedGateway:
    """A gateway that is stopped and started again at the same address, with nothing kept in memory."""

    settings: Settings
    gateway: Gateway | None = None
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)

    async def start(self) -> Gateway:
        """Stop the gateway if it runs, start it, and return it."""
        address = ANY_PORT if self.gateway is None else self.gateway.served.url.removeprefix("http://")
        await self._running.aclose()
        gateway = await self._running.enter_async_context(running_gateway(self.settings, WebOptions(address)))
        assert self.gateway is None or gateway.served.url == self.gateway.served.url
        self.gateway = gateway
        return gateway

    async def stop(self) -> None:
        """Stop the gateway."""
        await self._running.aclose()

    @asynccontextmanager
    async def session(self, **options: Any) -> AsyncIterator[Session]:
        """Start the gateway and yield an operator's session with it. `options` are those of the SDK's client."""
        gateway = await self.start()
        headers = options.pop("headers", {})
        async with gateway.program(Principal(OPERATOR)) as http:
            http.headers.update(headers)
            transport = streamable_http_client(f"{gateway.served.url}/mcp/python", http_client=http)
            try:
                async with McpClient(transport, **options) as client:
                    yield Session(client)
            finally:
                await self.stop()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("headers", [{}, OLD_SESSION], ids=["without a session", "with an old session"])
async def test_a_restart_is_not_noticed(platform: Platform, mode: str, headers: dict[str, str]) -> None:
    """Call tools after a restart without a new handshake, with the id of a session of before and without one."""
    restarted = RestartedGateway(platform.settings)
    async with restarted.session(mode=mode, headers=headers) as of:
        stored = await of.done("remember", content="The tower clock is late.", key="clock")
        await restarted.start()
        found = await of.done("recall", query="tower clock", top=1)
        assert found.structured["memories"][0]["memory_id"] == stored.structured["memory_id"]
        assert len((await of.client.list_tools()).tools) == 10


async def test_a_call_needs_no_handshake(platform: Platform) -> None:
    """Answer a call of a client that has never introduced itself, as after a restart, with and without a session."""
    call = {
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"name": "recall", "arguments": {"query": "walrus"}},
    }
    accept = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    async with running_gateway(platform.settings) as gateway, gateway.program(Principal("bob")) as bob:
        for session in ({}, OLD_SESSION):
            answer = await bob.post("/mcp/python", json=call, headers=accept | session)
            assert answer.status_code == 200
            assert "python remembers nothing relevant" in answer.text


async def test_a_code_of_before_the_restart_confirms(platform: Platform) -> None:
    """Erase with the confirmation code of a dry run that was before the restart."""
    restarted = RestartedGateway(platform.settings)
    async with restarted.session(mode="legacy") as of:
        memory = (await of.done("remember", content="The cellar key hangs behind the door.")).structured["memory_id"]
        code = (await of.done("forget", id=memory)).structured["confirmation"]
        await restarted.start()
        gone = await of.done("forget", id=memory, dry_run=False, confirmation=code)
    assert gone.structured["erased"] is True


async def test_a_person_may_answer_after_the_restart(platform: Platform) -> None:
    """Continue a call after a restart that waited for a person's answer."""
    restarted = RestartedGateway(platform.settings)

    async def answer(_: ClientRequestContext, __: ElicitRequestParams) -> ElicitResult:
        await restarted.start()
        return ElicitResult(action="accept", content={"erase": True})

    async with restarted.session(mode="auto", elicitation_callback=answer) as of:
        memory = (await of.done("remember", content="The spare lamp is in the shed.")).structured["memory_id"]
        gone = await of.done("forget", id=memory, dry_run=False)
    assert gone.structured["erased"] is True
