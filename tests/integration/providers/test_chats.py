"""Both chats over the wire: what they send, read and make of every failure."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.anthropic import ANTHROPIC_URL, AnthropicChat
from nemuri_infra.models.network_guard import ModelCallsForbidden
from nemuri_infra.models.openai import OPENAI_URL, OpenAIChat
from nemuri_infra.models.protocol import Chat, ModelRefused, ModelUnavailable, ModelUnusable
from tests.integration.providers.provider import Provider, Scripted, anthropic_says, openai_says

pytestmark = pytest.mark.connected

KEY = "sk-canary-0123456789"
Make = Callable[[str, float], Chat]


def anthropic(url: str, timeout: float = 5.0) -> Chat:
    """A chat of Anthropic at this address."""
    return AnthropicChat(api_key=KEY, base_url=url, model="claude-test", timeout=timeout)


def openai(url: str, timeout: float = 5.0) -> Chat:
    """A chat in OpenAI's format at this address."""
    return OpenAIChat(api_key=KEY, base_url=f"{url}/v1", model="gpt-test", timeout=timeout)


both = pytest.mark.parametrize("make", [anthropic, openai])


@asynccontextmanager
async def talking(make: Make, *replies: Scripted, seconds: float = 5.0) -> AsyncIterator[tuple[Chat, Provider]]:
    """A chat with a provider that gives these replies; both are closed afterwards."""
    async with Provider(replies) as provider:
        chat = make(provider.url, seconds)
        try:
            yield chat, provider
        finally:
            await chat.aclose()


async def test_anthropic_reads_text_and_tokens() -> None:
    """Thinking is left out of the text, cached input counts as input."""
    usage = {"input_tokens": 12, "output_tokens": 7, "cache_read_input_tokens": 30}
    async with talking(anthropic, Scripted(anthropic_says(" 眠\0り ", usage=usage))) as (chat, provider):
        reply = await chat.complete("be brief", "what is nemuri?", 100)
    assert reply.value == "眠り"
    assert reply.usage == Usage(model="anthropic:claude-test", input_tokens=42, output_tokens=7)
    [request] = provider.received
    assert request.path == "/v1/messages"
    assert KEY in request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    assert request.body["system"] == "be brief"
    assert request.body["messages"] == [{"role": "user", "content": "what is nemuri?"}]
    assert request.body["max_tokens"] >= 100


async def test_openai_reads_text_and_tokens() -> None:
    """A server that is not OpenAI's gets the bound that every server knows, without head-room."""
    async with talking(openai, Scripted(openai_says("sleep"))) as (chat, provider):
        reply = await chat.complete("be brief", "what is nemuri?", 100)
    assert reply.value == "sleep"
    assert reply.usage == Usage(model="openai:gpt-test", input_tokens=11, output_tokens=5)
    [request] = provider.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert request.body["max_tokens"] == 100
    assert "max_completion_tokens" not in request.body


@both
async def test_tokens_are_zero_when_the_provider_does_not_count(make: Make) -> None:
    """A missing usage is no failure."""
    says = anthropic_says if make is anthropic else openai_says
    async with talking(make, Scripted(says("yes", usage=None))) as (chat, _):
        reply = await chat.complete("s", "u", 10)
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (0, 0)


@both
async def test_a_lone_surrogate_can_be_sent(make: Make) -> None:
    """What UTF-8 cannot carry becomes a question mark instead of an error for ever."""
    says = anthropic_says if make is anthropic else openai_says
    async with talking(make, Scripted(says("yes"))) as (chat, provider):
        await chat.complete("s", "a\ud800b", 10)
    assert provider.received[0].body["messages"][-1]["content"] == "a?b"


@both
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
async def test_transient_statuses_are_unavailable_after_one_call(make: Make, status: int) -> None:
    """The SDK's own repetitions are off: one call, one request."""
    async with talking(make, Scripted({"error": {"message": "busy"}}, status)) as (chat, provider):
        with pytest.raises(ModelUnavailable, match=str(status)) as caught:
            await chat.complete("s", "u", 10)
    assert len(provider.received) == 1
    assert caught.value.retry_after is None


@both
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_permanent_statuses_are_refused(make: Make, status: int) -> None:
    """The message is one line, says the status and the provider's reason, and holds no key."""
    body = {"error": {"type": "bad_thing", "message": f"Incorrect key {KEY}\nsk-other-987654321 given"}}
    async with talking(make, Scripted(body, status)) as (chat, _):
        with pytest.raises(ModelRefused, match=f"HTTP {status}, bad_thing: Incorrect key") as caught:
            await chat.complete("s", "u", 10)
    text = str(caught.value)
    assert "\n" not in text
    assert "canary" not in text
    assert "987654321" not in text
    assert caught.value.__cause__ is None


@both
async def test_retry_after_is_read_in_all_three_forms(make: Make) -> None:
    """Seconds, milliseconds, or a date; a date by the provider's own clock where it tells it."""
    now = datetime.now(UTC)
    date, slow = (format_datetime(now + timedelta(seconds=each), usegmt=True) for each in (100, -3_500))
    replies = [
        Scripted({}, 429, {"retry-after": "7"}),
        Scripted({}, 429, {"retry-after-ms": "250", "retry-after": "7"}),
        Scripted({}, 503, {"retry-after": date}),
        Scripted({}, 503, {"retry-after": "soon"}),
        Scripted({}, 503, {"retry-after": slow, "date": format_datetime(now - timedelta(hours=1), usegmt=True)}),
    ]
    waits = []
    async with talking(make, *replies) as (chat, _):
        for _reply in replies:
            with pytest.raises(ModelUnavailable) as caught:
                await chat.complete("s", "u", 10)
            waits.append(caught.value.retry_after)
    assert waits[:2] == [7.0, 0.25]
    assert waits[2] == pytest.approx(99, abs=2)
    assert waits[3:] == [None, 100.0]


GARBAGE = [b"", b"<html>bad gateway</html>", b'{"content": [', b"null", b"[1]", b"{}", b'{"choices": [], "content": 3}']


@both
@pytest.mark.parametrize("body", GARBAGE)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
async def test_a_garbage_body_cannot_be_used(make: Make, body: bytes, kind: str) -> None:
    """A 200 whose body is not what the format promises is no outage, whatever it claims to be."""
    async with talking(make, Scripted(body, headers={"content-type": kind})) as (chat, _):
        with pytest.raises(ModelUnusable, match="unreadable reply"):
            await chat.complete("s", "u", 10)


@both
async def test_a_slow_provider_is_unavailable(make: Make) -> None:
    """The timeout bounds the whole call."""
    async with talking(make, Scripted({}, after=asyncio.Event()), seconds=0.2) as (chat, _):
        with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
            await chat.complete("s", "u", 10)


@both
async def test_a_closed_port_is_unavailable(make: Make) -> None:
    """Nobody listens there any more."""
    async with Provider([]) as provider:
        url = provider.url
    chat = make(url, 5.0)
    with pytest.raises(ModelUnavailable, match="no connection"):
        await chat.complete("s", "u", 10)
    await chat.aclose()


async def test_silence_is_told_apart() -> None:
    """Declined or out of tokens: the next provider's turn at once. Merely empty: asked for once more."""
    empty: list[object] = []
    async with talking(anthropic, Scripted(anthropic_says("", content=empty, stop_reason="refusal"))) as (chat, _):
        with pytest.raises(ModelRefused, match="refusal") as refused:
            await chat.complete("s", "u", 10)
    assert refused.value.usage == Usage(model="anthropic:claude-test", input_tokens=12, output_tokens=7)
    async with talking(openai, Scripted(openai_says(None, "length")), Scripted(openai_says(" "))) as (chat, _):
        with pytest.raises(ModelRefused, match="length"):
            await chat.complete("s", "u", 10)
        with pytest.raises(ModelUnusable, match="no text") as empty_one:
            await chat.complete("s", "u", 10)
    assert empty_one.value.usage == Usage(model="openai:gpt-test", input_tokens=11, output_tokens=5)


@both
async def test_calls_off_this_machine_are_forbidden(make: Make) -> None:
    """The switch of the tests stops a call before anything is sent, and as an error that no fallback hides."""
    chat = make(ANTHROPIC_URL if make is anthropic else OPENAI_URL.removesuffix("/v1"), 5.0)
    try:
        with pytest.raises(ModelCallsForbidden, match="not loopback"):
            await chat.complete("s", "u", 10)
    finally:
        await chat.aclose()


@both
async def test_a_reply_that_was_cut_off_is_asked_for_with_more_room(make: Make) -> None:
    """Both calls are paid for; only the whole reply is returned."""
    cut, whole = _cut_off(make)
    async with talking(make, cut, whole) as (chat, provider):
        reply = await chat.complete("", "tell me all", 100)
    assert reply.value == "all of it"
    first, second = (each.body["max_tokens"] for each in provider.received)
    assert second == first + 300
    assert reply.usage.output_tokens == 2 * (7 if make is anthropic else 5)


@both
async def test_a_reply_that_never_ends_is_refused(make: Make) -> None:
    """With the room that it had, so that nobody takes half of it for the answer."""
    cut, _ = _cut_off(make)
    async with talking(make, cut) as (chat, provider):
        with pytest.raises(ModelRefused, match="the reply exceeds 400 tokens"):
            await chat.complete("", "tell me all", 100)
    assert len(provider.received) == 2


def _cut_off(make: Make) -> tuple[Scripted, Scripted]:
    """A reply that was cut off, and the whole one."""
    if make is anthropic:
        return Scripted(anthropic_says("half of", stop_reason="max_tokens")), Scripted(anthropic_says("all of it"))
    return Scripted(openai_says("half of", "length")), Scripted(openai_says("all of it"))
