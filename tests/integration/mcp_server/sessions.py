"""Sessions of an assistant with the MCP server, for tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from mcp import Client as McpClient
from mcp_types import CallToolResult, TextContent

from nemuri.mcp_server.server import build_server
from nemuri.mcp_server.stdio import OwnPlatform
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True)
class Answer:
    """The answer to a call of a tool."""

    text: str
    failed: bool
    structured: dict[str, Any]


@dataclass(frozen=True)
class Session:
    """A session with the server."""

    client: McpClient

    async def call(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool and return its answer, whether it failed or not."""
        found = await self.client.call_tool(tool, arguments)
        assert isinstance(found, CallToolResult)
        [content] = found.content
        assert isinstance(content, TextContent)
        return Answer(content.text, bool(found.is_error), found.structured_content or {})

    async def done(self, tool: str, **arguments: Any) -> Answer:
        """Call a tool and return its answer. Fails if the call does."""
        found = await self.call(tool, **arguments)
        assert not found.failed, found.text
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail, and return the line that says why."""
        found = await self.call(tool, **arguments)
        assert found.failed, found.text
        assert "\n" not in found.text
        assert "Traceback" not in found.text
        return found.text


@asynccontextmanager
async def session(
    settings: Settings, agent: str | None = None, *, read_only: bool = False, **options: Any
) -> AsyncIterator[Session]:
    """Yield a session in memory with a server that reaches the platform of the settings.

    `options` are those of the SDK's client.
    """
    access = OwnPlatform(settings, agent)
    server = build_server(access, bound=agent is not None, kind=await access.memory_kind(), read_only=read_only)
    try:
        async with McpClient(server, **options) as client:
            yield Session(client)
    finally:
        await access.close()
