"""A platform with a gateway for the tests of one module, with a model that can be held and broken."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest_asyncio

from nemuri.client.client import Client
from nemuri.platform.serving import prepare
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import CountingModel, agent_defined, connected_client, running_services
from tests.integration.servers import Servers
from tests.integration.web_gateway import Gateway, running_gateway
from tests.integration.window.pages import MARKUP


@dataclass
class HeldModel(CountingModel):
    """A model whose answers can be held back, and switched off."""

    answers: bool = True
    """False to fail instead of answering."""
    released: asyncio.Event = field(default_factory=asyncio.Event)
    """Answers wait until this is set."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Answer once released, or fail if switched off."""
        if isinstance(job, AnswerJob):
            await self.released.wait()
            if not self.answers:
                raise ValueError("the model broke")
        return await super().do(job)


@dataclass(frozen=True)
class WindowPlatform:
    """A running platform with its gateway, and a client of it."""

    settings: Settings
    resources: Resources
    gateway: Gateway
    client: Client
    model: HeldModel


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def platform(servers: Servers) -> AsyncIterator[WindowPlatform]:
    """A platform with one agent that has three memories, one of them with markup in its words."""
    settings, model = servers.settings(), HeldModel()
    model.released.set()
    await prepare(settings)
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
        running_gateway(settings) as gateway,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        await client.remember("python", f"The lamp of Ann costs 5 euro. {MARKUP}")
        await client.remember("python", "The lamp of Berger costs 7 euro.")
        await client.remember("python", "The truth value of an empty list is false.")
        yield WindowPlatform(settings, resources, gateway, client, model)
