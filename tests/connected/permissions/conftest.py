"""One platform in which everybody is a user of its own, for all tests of what they may do."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from nemuri.face.catalogue import SERVICES
from nemuri.face.serving import NotProvisioned, prepared, serving
from tests.connected.guarded import Guarded
from tests.connected.servers import Servers


@pytest_asyncio.fixture(scope="package", loop_scope="session")
async def platform(servers: Servers) -> AsyncIterator[Guarded]:
    """Every service at work, each as a user of its own, provisioned by the provisioner."""
    async with AsyncExitStack() as stack:
        running = await stack.enter_async_context(Guarded.running(servers))
        with pytest.raises(NotProvisioned, match="nothing yet"):
            await prepared(running.of("sleep"), ["sleep"])
        await prepared(running.of("provisioner"), ())
        before = len(running.denied())
        for name in SERVICES:
            await prepared(running.of(name), [name])
            await stack.enter_async_context(serving(running.of(name), [name]))
        assert running.denied()[before:] == []
        yield running
