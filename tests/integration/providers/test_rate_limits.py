"""Rate limits of providers, over the wire: concurrent calls that get HTTP 429."""

import asyncio
import time

import pytest

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.failures import ModelUnavailable
from nemuri_infra.models.fallback import FallbackChat
from nemuri_infra.models.retries import Retries
from nemuri_society.cognition.module import Prompt
from nemuri_society.simulation.model_providers import FIRST_BACKOFF, ChatModel, Providers
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.test_chats import Make, anthropic, both_providers, openai

pytestmark = pytest.mark.connected
CONCURRENT_CALLS = 6


@both_providers
async def test_concurrent_rate_limits_cause_one_backoff(make: Make) -> None:
    """Six concurrent replies with status 429 make an agent host back off once, and its next request succeeds."""
    says = anthropic_reply if make is anthropic else openai_reply
    go = asyncio.Event()
    busy = ScriptedReply({"error": {"type": "rate_limit_error", "message": "slow down"}}, 429, after=go)
    async with Provider([*[busy] * CONCURRENT_CALLS, ScriptedReply(says("hello"))]) as provider:
        chat = make(provider.url, 5.0)
        providers = Providers([ChatModel(chat)], time.monotonic)
        calls = [asyncio.ensure_future(providers.answer(Prompt("s", f"u{nth}"))) for nth in range(CONCURRENT_CALLS)]
        await _received(provider, CONCURRENT_CALLS)
        go.set()
        failed = await asyncio.gather(*calls, return_exceptions=True)
        refused = time.monotonic()
        assert all(isinstance(call, ModelUnavailable) for call in failed)
        assert await _answered(providers, within=3 * FIRST_BACKOFF) == "hello"
        assert time.monotonic() - refused < 2 * FIRST_BACKOFF
        await chat.aclose()
    assert len(provider.received) == CONCURRENT_CALLS + 1


@both_providers
@pytest.mark.parametrize("header", [{"retry-after": "3"}, {"retry-after-ms": "3000"}])
async def test_a_host_obeys_retry_after(make: Make, header: dict[str, str]) -> None:
    """An agent host backs off for the time that the provider's header demands, in seconds or in milliseconds."""
    says = anthropic_reply if make is anthropic else openai_reply
    async with Provider([ScriptedReply({}, 429, header), ScriptedReply(says("hello"))]) as provider:
        chat = make(provider.url, 5.0)
        providers = Providers([ChatModel(chat)], time.monotonic)
        with pytest.raises(ModelUnavailable, match="429"):
            await providers.answer(Prompt("s", "u"))
        assert await _answered(providers, within=3 + 2 * FIRST_BACKOFF) == "hello"
        await chat.aclose()
    first, second = provider.received
    assert 3.0 <= second.at - first.at <= 3.0 + FIRST_BACKOFF


async def test_callers_refused_together_retry_at_different_times() -> None:
    """Callers that get 429 at the same time retry at different times: each waits the demanded time plus a random
    time.
    """
    go = asyncio.Event()
    busy = ScriptedReply({}, 429, {"retry-after-ms": "200"}, after=go)
    async with Provider([*[busy] * CONCURRENT_CALLS, ScriptedReply(openai_reply("yes"))]) as provider:
        chat = openai(provider.url)
        chain = FallbackChat([chat], Retries(first_wait=0.2))
        calls = [
            asyncio.ensure_future(chain.complete(ChatRequest("s", f"u{nth}", 9))) for nth in range(CONCURRENT_CALLS)
        ]
        await _received(provider, CONCURRENT_CALLS)
        go.set()
        released = asyncio.get_running_loop().time()
        assert [(await call).value.text for call in calls] == ["yes"] * CONCURRENT_CALLS
        await chain.aclose()
    retries = sorted(each.at - released for each in provider.received[CONCURRENT_CALLS:])
    assert retries[0] >= 0.2
    assert retries[-1] - retries[0] >= 0.03


async def _received(provider: Provider, number: int) -> None:
    """Wait until the provider has received `number` requests."""
    async with asyncio.timeout(5):
        while len(provider.received) < number:  # noqa: ASYNC110 - no notification exists
            await asyncio.sleep(0.01)


async def _answered(providers: Providers, within: float) -> str:
    """Ask the providers repeatedly, for at most `within` seconds, and return the first answer."""
    async with asyncio.timeout(within):
        while True:
            try:
                return await providers.answer(Prompt("s", "again"))
            except ModelUnavailable:
                await asyncio.sleep(0.02)
