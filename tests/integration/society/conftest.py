"""Fixtures that give each test its own society on the session's NATS server."""

from collections.abc import AsyncIterator

import pytest_asyncio

from nemuri_infra.bus.connection import Connection
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.settings import Settings
from nemuri_society.contracts.residents import Resident
from nemuri_society.contracts.society import Society
from nemuri_society.stores.society_states import States


@pytest_asyncio.fixture(loop_scope="session")
async def log(settings: Settings) -> AsyncIterator[Log]:
    """Yield the log of the test's namespace."""
    log = await Log.connect(str(settings.nats_url), settings.namespace)
    assert isinstance(log.connection, Connection)
    yield log
    await log.close()


@pytest_asyncio.fixture(loop_scope="session")
async def society() -> Society:
    """Return the definition of a society with thirty agents in two cells."""
    residents = tuple(Resident(id=f"a{each:02}", name=f"Agent {each}") for each in range(30))
    return Society(name="village", seed=1, agents=residents)


@pytest_asyncio.fixture(loop_scope="session")
async def states(log: Log, society: Society) -> States:
    """Return the store of the society's states. It holds only the definition of the society."""
    return await States.create(log, society)
