"""A client of a platform in memory, and model calls that stay on this machine."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

import nemuri
from nemuri.client.client import Client
from nemuri.platform.in_memory import InMemoryPlatform
from tests.integration.providers.conftest import stay_on_loopback

__all__ = ["stay_on_loopback"]


@pytest_asyncio.fixture(loop_scope="session")
async def platform() -> AsyncIterator[InMemoryPlatform]:
    """A new platform in memory with the agent `assistant`."""
    async with nemuri.in_memory() as running:
        await running.define("assistant", role="assistant")
        yield running


@pytest.fixture
def client(platform: InMemoryPlatform) -> Client:
    """A client of the platform."""
    return platform.client("ann")


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test has the key of a provider."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
