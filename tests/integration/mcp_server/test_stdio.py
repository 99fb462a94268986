"""`nemuri mcp` as a process: an assistant speaks to it over standard input and output."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters

from nemuri_infra.runtime.settings import Settings
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import Session
from tests.node_packages import run

pytestmark = pytest.mark.connected

SCRIPT = str(Path(sys.executable).parent / "nemuri")


def variables(settings: Settings) -> dict[str, str]:
    """Return the environment of a process that reaches the platform of the settings."""
    return {
        "NATS_URL": str(settings.nats_url),
        "DATABASE_URL": str(settings.database_url),
        "NEMURI_NAMESPACE": settings.namespace,
    }


@asynccontextmanager
async def process(*arguments: str, **environment: str) -> AsyncIterator[Session]:
    """Yield a session with a process `nemuri mcp`, which ends with it."""
    server = StdioServerParameters(command=SCRIPT, args=[*arguments], env=environment)
    async with McpClient(server) as client:
        yield Session(client)


async def test_an_assistant_remembers_and_recalls(platform: Platform) -> None:
    """Remember and recall over standard input and output, for the agent in the environment."""
    async with process("mcp", NEMURI_MCP_AGENT="python", **variables(platform.settings)) as of:
        assert of.client.server_info is not None
        assert of.client.server_info.name == "nemuri"
        await of.done("remember", content="The lighthouse flashes every seven seconds.", key="lighthouse")
        found = await of.done("recall", query="lighthouse flashes")
    assert "> The lighthouse flashes every seven seconds." in found.text


async def test_the_option_names_the_agent(platform: Platform) -> None:
    """Serve the agent of the option, and not the one of the environment."""
    chosen = {"NEMURI_MCP_AGENT": "python", **variables(platform.settings)}
    async with process("mcp", "--agent", "noah", **chosen) as of:
        assert (await of.done("recall", query="bread")).structured["agent"] == "noah"


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["mcp", "--agent", "no agent"], "not 'no agent'"),
        (["--json", "mcp"], "--json does not apply"),
    ],
)
async def test_wrong_options_are_refused_in_one_line(arguments: list[str], line: str) -> None:
    """Refuse a text that is no agent, and output as JSON, before anything is served."""
    refused = await run(SCRIPT, *arguments, directory=Path.cwd(), variables=dict(os.environ))
    assert refused.code == 2
    assert refused.output == ""
    assert line in refused.errors
    assert len(refused.errors.splitlines()) == 1


async def test_the_server_starts_without_a_platform(tmp_path: Path) -> None:
    """List the tools while no platform runs, and say in one line what to do when one is called."""
    async with process("--data", str(tmp_path / "none"), "mcp", "--agent", "python") as of:
        assert len((await of.client.list_tools()).tools) >= 7
        line = await of.refused("recall", query="anything")
    assert "no platform is ready in" in line
    assert "start it with `nemuri --data" in line
