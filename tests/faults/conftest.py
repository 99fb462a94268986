"""A platform of real processes that tests may kill: both servers and one process for every service."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from nemuri.platform.serving import prepare
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from tests.faults.processes import Platform
from tests.integration.harness import agent_defined, connected_client, opened_log
from tests.integration.servers import Servers


@pytest.fixture
def settings(stored_settings: Settings) -> Settings:
    """Settings of a new platform on the session's servers."""
    return stored_settings


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform() -> AsyncIterator[Platform]:
    """A platform with every server and service in its own process, shared by the tests of a module."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    async with Servers.running() as servers:
        settings = servers.settings()
        await prepare(settings)
        async with opened_log(settings) as log, Platform.of(servers, settings, directory) as running:
            await log.append(agent_defined())
            async with connected_client(settings) as client:
                await client.settle()
            yield running
    shutil.rmtree(directory)


@pytest_asyncio.fixture(loop_scope="session")
async def log(platform: Platform) -> AsyncIterator[Log]:
    """The platform's log."""
    async with opened_log(platform.settings) as opened:
        yield opened
