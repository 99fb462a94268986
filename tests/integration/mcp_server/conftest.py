"""Fixtures: one platform with agents of all three kinds of memory for the tests of a module."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest_asyncio

from nemuri.client.client import Client
from nemuri.platform.serving import prepare
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, running_services, until_idle
from tests.integration.servers import Servers


@dataclass(frozen=True)
class Platform:
    """A running platform with the agents `python` (strength), `noah` (tiered) and `diary` (affective)."""

    settings: Settings
    resources: Resources
    client: Client
    """A client of the operator."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform(servers: Servers) -> AsyncIterator[Platform]:
    """A platform for the tests of one module. It runs in a task of its own, as its task groups need."""
    settings = servers.settings()
    await prepare(settings)
    ready, over = asyncio.get_running_loop().create_future(), asyncio.Event()
    running = asyncio.create_task(_run(settings, ready, over))
    await asyncio.wait([ready, running], return_when=asyncio.FIRST_COMPLETED)
    if not ready.done():
        await running
    yield ready.result()
    over.set()
    await running


async def _run(settings: Settings, ready: "asyncio.Future[Platform]", over: asyncio.Event) -> None:
    async with running_services(settings) as resources, connected_client(settings, OPERATOR) as client:
        await resources.log.append(agent_defined())
        await resources.log.append(agent_defined("noah", memory="tiered", perspectives=()))
        await resources.log.append(agent_defined("diary", memory="affective", perspectives=()))
        await until_idle(resources)
        ready.set_result(Platform(settings, resources, client))
        await over.wait()
