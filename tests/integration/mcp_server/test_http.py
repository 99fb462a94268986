"""The MCP server over HTTP: each request acts in the name of its token's client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from mcp import Client as McpClient
from mcp.client.streamable_http import streamable_http_client

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import Session
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway

pytestmark = pytest.mark.connected

MODES = ("legacy", "auto")
"""The handshake of the protocol until 2025-11-25, and the newest protocol without one."""
OLD_SESSION = {"Mcp-Session-Id": "0123456789abcdef0123456789abcdef"}
"""Header of a client that got a session from a platform of an older version."""


@asynccontextmanager
async def session(gateway: Gateway, principal: Principal, path: str = "/mcp", **options: Any) -> AsyncIterator[Session]:
    """Yield a session over HTTP with a token of the principal. `options` are those of the SDK's client."""
    async with gateway.program(principal) as http:
        transport = streamable_http_client(f"{gateway.served.url}{path}", http_client=http)
        async with McpClient(transport, **options) as client:
            yield Session(client)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", ["/mcp/python", "/mcp?agent=python"])
async def test_the_url_binds_the_agent(platform: Platform, path: str, mode: str) -> None:
    """Remember and recall for the agent in the URL, without an argument `agent`."""
    async with (
        running_gateway(platform.settings) as gateway,
        session(gateway, Principal("bob"), path, mode=mode) as of,
    ):
        stored = await of.done("remember", content="The harbour freezes in January.", key="harbour")
        found = await of.done("recall", query="harbour freezes", top=1)
        [memory] = found.structured["memories"]
        assert memory["memory_id"] == stored.structured["memory_id"]
        assert found.structured["agent"] == "python"
        detail = await of.done("memories", ids=[memory["memory_id"]])
        assert detail.structured["memories"][0]["facts"]["origin"]["client id"] == "bob"


@pytest.mark.parametrize("mode", MODES)
async def test_another_client_than_the_operator_may_not_erase(platform: Platform, mode: str) -> None:
    """Refuse `forget`, dead letters and histories for a client, in one line."""
    async with running_gateway(platform.settings) as gateway:
        async with session(gateway, Principal("bob"), mode=mode) as of:
            stored = await of.done("remember", agent="python", content="The attic smells of cedar.")
            memory = stored.structured["memory_id"]
            assert "erasing needs an operator" in await of.refused("forget", id=memory)
            assert "needs an operator" in await of.refused("status", id="intake/17")
            assert "needs an operator" in await of.refused("memories", agent="python", ids=[memory], history=True)
        async with session(gateway, Principal(OPERATOR), mode=mode) as operator:
            assert (await operator.done("forget", id=memory)).structured["number"] >= 1


async def test_read_only_clients_see_no_tool_that_writes(platform: Platform) -> None:
    """Leave out the tools that write for a read-only token, and for everybody in read-only mode."""
    async with running_gateway(platform.settings) as gateway:
        async with session(gateway, Principal("eve", read_only=True)) as reader:
            names = {tool.name for tool in (await reader.client.list_tools()).tools}
        async with session(gateway, Principal("bob")) as writer:
            assert {"remember", "forget"} <= {tool.name for tool in (await writer.client.list_tools()).tools}
    assert names == {"recall", "profile", "memories", "why", "status"}
    async with (
        running_gateway(platform.settings, WebOptions(ANY_PORT, read_only=True)) as gateway,
        session(gateway, Principal(OPERATOR)) as operator,
    ):
        assert {tool.name for tool in (await operator.client.list_tools()).tools} == names
        assert "unknown tool" in await operator.refused("remember", agent="python", content="x")


async def test_the_id_of_a_session_gives_no_rights(platform: Platform) -> None:
    """Answer each request in the name of its own token, whichever session it names, and open no session."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    listed = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    async with running_gateway(platform.settings) as gateway, gateway.program(Principal("bob")) as bob:
        opened = await bob.post("/mcp", json=hello, headers=accept)
        assert opened.status_code == 200
        assert "mcp-session-id" not in opened.headers
        named = accept | OLD_SESSION
        assert '"remember"' in (await bob.post("/mcp", json=listed, headers=named)).text
        async with gateway.program(Principal("eve", read_only=True)) as eve:
            answer = await eve.post("/mcp", json=listed, headers=named)
            assert answer.status_code == 200
            assert '"remember"' not in answer.text


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_there_is_no_session_to_listen_to_or_to_end(platform: Platform, method: str) -> None:
    """Answer 405 to a request for messages outside of calls, and to the end of a session, as the protocol allows."""
    async with running_gateway(platform.settings) as gateway, gateway.program(Principal("bob")) as bob:
        answer = await bob.request(method, "/mcp", headers={"Accept": "text/event-stream", **OLD_SESSION})
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


async def test_requests_without_a_token_or_from_another_host_are_refused(platform: Platform) -> None:
    """Answer 401 without a token, 421 under another host name, and 404 for a text that is no agent."""
    async with running_gateway(platform.settings) as gateway, gateway.program(Principal("bob")) as bob:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert (await bob.post("/mcp", json=body, headers={"Authorization": ""})).status_code == 401
        assert (await bob.post("/mcp", json=body, headers={"Host": "evil.example"})).status_code == 421
        assert (await bob.post("/mcp", json=body, headers={"Origin": "http://evil.example"})).status_code == 403
        found = await bob.post("/mcp/no%20agent", json=body)
        assert found.status_code == 404
        assert "is no id of an agent" in found.json()["detail"]
