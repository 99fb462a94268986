"""Fixtures: a platform in memory, and servers that a test may kill."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from nemuri_infra.runtime.settings import Settings
from tests.in_memory import in_memory_settings
from tests.integration.servers import Servers


@pytest_asyncio.fixture(loop_scope="session")
async def memory_settings() -> Settings:
    """Settings of a new platform in memory."""
    return await in_memory_settings()


@pytest.fixture
def settings(request: pytest.FixtureRequest) -> Settings:
    """Settings of a new platform: on the session's servers, or in memory for a test with the mark `in_memory` that has
    not the mark `connected` too.
    """
    marked = request.node.get_closest_marker
    in_memory = marked("in_memory") is not None and marked("connected") is None
    found: Settings = request.getfixturevalue("memory_settings" if in_memory else "stored_settings")
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def own_servers() -> AsyncIterator[Servers]:
    """Servers for one test, which may stop or kill them."""
    async with Servers.running() as running:
        yield running
