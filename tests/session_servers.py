"""Fixtures of all tests: real servers, started at most once per test session, and a namespace for every test."""

import random
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from nemuri.platform.serving import prepare
from nemuri_infra.runtime.settings import Settings
from tests.integration.servers import Servers


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def servers() -> AsyncIterator[Servers]:
    """A nats-server and a PostgreSQL shared by all tests of the session. Tests must not stop them."""
    async with Servers.running(careful=False) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def stored_settings(servers: Servers) -> Settings:
    """Settings of a new provisioned namespace on the session's servers."""
    own = servers.settings()
    await prepare(own)
    return own


@pytest.fixture
def seed() -> int:
    """Seed of the test's random choices; pytest prints it if the test fails."""
    chosen = random.randrange(2**32)
    print(f"seed: {chosen}")
    return chosen
