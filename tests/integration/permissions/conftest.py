"""Fixture: one platform with a user for each service, shared by all tests of permissions."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from nemuri.platform.serving import NotProvisioned, ensure_provisioned, serving
from nemuri_services.service_registry import SERVICES
from tests.integration.restricted_servers import RestrictedServers
from tests.integration.servers import Servers


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def platform(servers: Servers) -> AsyncIterator[RestrictedServers]:
    """A provisioned platform in which every service runs as its own user."""
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(RestrictedServers.running(servers))
        with pytest.raises(NotProvisioned, match="nothing yet"):
            await ensure_provisioned(running.of("strength-sleep"), ["strength-sleep"])
        await ensure_provisioned(running.of("provisioner"), ())
        before = len(running.denied())
        for name in SERVICES:
            await ensure_provisioned(running.of(name), [name])
            await stack.enter_async_context(serving(running.of(name), [name]))
        assert running.denied()[before:] == []
        yield running
