"""The MCP server while the platform is away, and after it has come back."""

import pytest

from nemuri.mcp_server.server import TOOLS
from nemuri.platform.serving import prepare
from tests.integration.harness import agent_defined, eventually, running_services, until_idle
from tests.integration.mcp_server.sessions import Session, session
from tests.integration.servers import Servers

pytestmark = pytest.mark.connected


async def until_recalled(of: Session) -> None:
    """Wait until a recall succeeds."""

    async def recalled() -> bool:
        """Return True if a recall succeeds."""
        return not (await of.call("recall", query="harbour")).failed

    await eventually(recalled)


@pytest.mark.long
async def test_calls_succeed_again_when_the_platform_is_back(own_servers: Servers) -> None:
    """Start without a platform, refuse a call in one line, and succeed when the platform is there; also after a loss
    of the connection.
    """
    settings = own_servers.settings()
    await prepare(settings)
    async with running_services(settings) as resources:
        await resources.log.append(agent_defined())
        await until_idle(resources)
        await own_servers.nats.kill()
        async with session(settings, "python") as of:
            assert len((await of.client.list_tools()).tools) == len(TOOLS)
            assert "NATS" in await of.refused("recall", query="harbour")
            await own_servers.nats.start()
            await until_recalled(of)
            stored = await of.done("remember", content="The harbour has a lighthouse.", key="harbour")
            await own_servers.nats.kill()
            line = await of.refused("remember", content="The harbour has a crane.", key="crane", timeout=1)
            assert "within 1 s" in line or "NATS" in line
            await own_servers.nats.start()
            await until_recalled(of)
            again = await of.done("remember", content="The harbour has a lighthouse.", key="harbour")
    assert again.structured["memory_id"] == stored.structured["memory_id"]
