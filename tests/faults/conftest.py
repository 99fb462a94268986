"""A platform of real processes: both servers and one process for every service, to be killed at will."""

import shutil
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from nemuri.platform.serving import prepare
from nemuri_infra.bus.event_log import Log
from tests.faults.processes import Platform
from tests.integration.conftest import seed
from tests.integration.scene import agent_defined, logged, visiting
from tests.integration.servers import Servers

__all__ = ["log", "platform", "seed"]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform() -> AsyncIterator[Platform]:
    """Everything in processes of its own, started once for all kills."""
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    async with Servers.running() as servers:
        settings = servers.settings()
        await prepare(settings)
        async with logged(settings) as log, Platform.of(servers, settings, directory) as running:
            await log.append(agent_defined())
            async with visiting(settings) as client:
                await client.settle()
            yield running
    shutil.rmtree(directory)


@pytest_asyncio.fixture(loop_scope="session")
async def log(platform: Platform) -> AsyncIterator[Log]:
    """The platform's log."""
    async with logged(platform.settings) as opened:
        yield opened
