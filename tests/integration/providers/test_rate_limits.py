"""Providers that limit rates: what many concurrent calls make of a 429, over the wire."""

import asyncio
import time

import pytest

from nemuri_domain.cognition.module import Prompt
from nemuri_infra.models.fallback import FallbackChat
from nemuri_infra.models.protocol import ModelUnavailable
from nemuri_infra.models.retries import Retries
from nemuri_services.simulation.model_providers import FIRST_BACKOFF, ChatModel, Providers
from tests.integration.providers.provider import Provider, Scripted, anthropic_says, openai_says
from tests.integration.providers.test_chats import Make, anthropic, both, openai

pytestmark = pytest.mark.connected
AT_ONCE = 6


@both
async def test_six_concurrent_refusals_make_a_host_rest_once(make: Make) -> None:
    """Six calls that get a 429 together are one episode: the provider is asked again after one short rest."""
    says = anthropic_says if make is anthropic else openai_says
    go = asyncio.Event()
    busy = Scripted({"error": {"type": "rate_limit_error", "message": "slow down"}}, 429, after=go)
    async with Provider([*[busy] * AT_ONCE, Scripted(says("hello"))]) as provider:
        chat = make(provider.url, 5.0)
        providers = Providers([ChatModel(chat)], time.monotonic)
        calls = [asyncio.ensure_future(providers.answer(Prompt("s", f"u{nth}"))) for nth in range(AT_ONCE)]
        await _received(provider, AT_ONCE)
        go.set()
        failed = await asyncio.gather(*calls, return_exceptions=True)
        refused = time.monotonic()
        assert all(isinstance(each, ModelUnavailable) for each in failed)
        assert await _answered(providers, within=3 * FIRST_BACKOFF) == "hello"
        assert time.monotonic() - refused <= FIRST_BACKOFF + 0.5
        await chat.aclose()
    assert len(provider.received) == AT_ONCE + 1


@both
@pytest.mark.parametrize("header", [{"retry-after": "3"}, {"retry-after-ms": "3000"}])
async def test_a_host_keeps_the_rest_that_a_provider_asks_for(make: Make, header: dict[str, str]) -> None:
    """The header is heeded in seconds and in milliseconds, where it asks for more than a host would rest by itself."""
    says = anthropic_says if make is anthropic else openai_says
    async with Provider([Scripted({}, 429, header), Scripted(says("hello"))]) as provider:
        chat = make(provider.url, 5.0)
        providers = Providers([ChatModel(chat)], time.monotonic)
        with pytest.raises(ModelUnavailable, match="429"):
            await providers.answer(Prompt("s", "u"))
        assert await _answered(providers, within=3 + 2 * FIRST_BACKOFF) == "hello"
        await chat.aclose()
    first, second = provider.received
    assert 3.0 <= second.at - first.at <= 3.0 + FIRST_BACKOFF


async def test_callers_who_were_refused_together_do_not_come_back_together() -> None:
    """Each waits as long as the provider asked for, and a random while more."""
    go = asyncio.Event()
    busy = Scripted({}, 429, {"retry-after-ms": "200"}, after=go)
    async with Provider([*[busy] * AT_ONCE, Scripted(openai_says("yes"))]) as provider:
        chat = openai(provider.url)
        chain = FallbackChat([chat], Retries(first_wait=0.2))
        calls = [asyncio.ensure_future(chain.complete("s", f"u{nth}", 9)) for nth in range(AT_ONCE)]
        await _received(provider, AT_ONCE)
        go.set()
        told = asyncio.get_running_loop().time()
        assert [(await each).value for each in calls] == ["yes"] * AT_ONCE
        await chain.aclose()
    again = sorted(each.at - told for each in provider.received[AT_ONCE:])
    assert again[0] >= 0.2
    assert again[-1] - again[0] >= 0.03


async def _received(provider: Provider, number: int) -> None:
    """Wait until the provider has so many requests."""
    async with asyncio.timeout(5):
        while len(provider.received) < number:  # noqa: ASYNC110 - nothing announces a request
            await asyncio.sleep(0.01)


async def _answered(providers: Providers, within: float) -> str:
    """The first answer that the providers give, asked again and again for so many seconds."""
    async with asyncio.timeout(within):
        while True:
            try:
                return await providers.answer(Prompt("s", "again"))
            except ModelUnavailable:
                await asyncio.sleep(0.02)
