"""Real servers, started once for a session of tests on first use; a namespace of its own for every test."""

import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from nemuri.platform.serving import prepare
from nemuri_infra.runtime.settings import Settings
from tests.integration.servers import Servers


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def servers() -> AsyncIterator[Servers]:
    """A nats-server and a PostgreSQL for all tests of this session, which leave them running."""
    async with Servers.running(careful=False) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def settings(servers: Servers) -> Settings:
    """A namespace of the test's own on the session's servers, provisioned."""
    own = servers.settings()
    await prepare(own)
    return own


@pytest_asyncio.fixture(loop_scope="session")
async def own_servers() -> AsyncIterator[Servers]:
    """Servers of the test's own, to be stopped and killed at will."""
    async with Servers.running() as running:
        yield running


@pytest.fixture
def seed() -> int:
    """What the test's random choices come from; pytest prints it when the test fails."""
    chosen = random.randrange(2**32)
    print(f"seed: {chosen}")
    return chosen
