"""A platform with the HTTP API, and programs that call it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass

import httpx2
import pytest_asyncio

from nemuri.web.principals import Principal
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import agent_defined, connected_client, running_services
from tests.integration.web_gateway import Gateway, running_gateway


@dataclass(frozen=True, slots=True)
class ApiPlatform:
    """A running platform with an agent `python`, and three programs that call its API."""

    settings: Settings
    resources: Resources
    gateway: Gateway
    operator: httpx2.AsyncClient
    ann: httpx2.AsyncClient
    reader: httpx2.AsyncClient
    """A client that may change nothing."""


@pytest_asyncio.fixture(loop_scope="session")
async def api(settings: Settings) -> AsyncIterator[ApiPlatform]:
    """A running platform with the API of its gateway."""
    async with AsyncExitStack() as stack:
        resources = await stack.enter_async_context(running_services(settings))
        gateway = await stack.enter_async_context(running_gateway(settings))
        await resources.log.append(agent_defined())
        async with connected_client(settings) as client:
            await client.settle()
        programs = [
            await stack.enter_async_context(gateway.program(principal))
            for principal in (Principal(OPERATOR), Principal("ann"), Principal("reader", read_only=True))
        ]
        for program in programs:
            program.base_url = httpx2.URL(f"{gateway.served.url}/api/v1/")
        yield ApiPlatform(settings, resources, gateway, *programs)
