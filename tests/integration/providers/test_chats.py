"""The chat clients of Anthropic and OpenAI over the wire: requests, replies and failures."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.anthropic import ANTHROPIC_URL, AnthropicChat
from nemuri_infra.models.chat import Chat, ChatRequest
from nemuri_infra.models.failures import ModelRefused, ModelUnavailable, ModelUnusable
from nemuri_infra.models.json_schema import INTEGER, closed
from nemuri_infra.models.network_guard import ModelCallsForbidden
from nemuri_infra.models.openai import OPENAI_URL, OpenAIChat
from nemuri_infra.models.reply_check import CONTINUATIONS
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply

pytestmark = pytest.mark.connected

KEY = "sk-canary-0123456789"
Make = Callable[[str, float], Chat]


def anthropic(url: str, timeout: float = 5.0) -> Chat:
    """Return a chat with Anthropic's API at this address."""
    return AnthropicChat(api_key=KEY, base_url=url, model="claude-test", timeout=timeout)


def openai(url: str, timeout: float = 5.0) -> Chat:
    """Return a chat with an API in OpenAI's format at this address."""
    return OpenAIChat(api_key=KEY, base_url=f"{url}/v1", model="gpt-test", timeout=timeout)


both_providers = pytest.mark.parametrize("make", [anthropic, openai])


@asynccontextmanager
async def chat_with(make: Make, *replies: ScriptedReply, seconds: float = 5.0) -> AsyncIterator[tuple[Chat, Provider]]:
    """Yield a chat and the fake provider that sends it these replies. Close both afterwards."""
    async with Provider(replies) as provider:
        chat = make(provider.url, seconds)
        try:
            yield chat, provider
        finally:
            await chat.aclose()


async def test_anthropic_reads_text_and_tokens() -> None:
    """The reply holds the text without the thinking. Cached input tokens are also counted apart."""
    usage = {"input_tokens": 12, "output_tokens": 7, "cache_read_input_tokens": 30}
    async with chat_with(anthropic, ScriptedReply(anthropic_reply(" 眠\0り ", usage=usage))) as (chat, provider):
        reply = await chat.complete(ChatRequest("be brief", "what is nemuri?", 100))
    assert reply.value.text == "眠り"
    assert reply.usage == Usage(model="anthropic:claude-test", input_tokens=42, output_tokens=7, cached_tokens=30)
    [request] = provider.received
    assert request.path == "/v1/messages"
    assert KEY in request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    assert request.body["system"] == [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}]
    assert request.body["messages"] == [{"role": "user", "content": "what is nemuri?"}]
    assert request.body["max_tokens"] >= 100


async def test_openai_reads_text_and_tokens() -> None:
    """The reply holds text and tokens. A server other than OpenAI's own gets `max_tokens` with the exact limit."""
    async with chat_with(openai, ScriptedReply(openai_reply("sleep"))) as (chat, provider):
        reply = await chat.complete(ChatRequest("be brief", "what is nemuri?", 100))
    assert reply.value.text == "sleep"
    assert reply.usage == Usage(model="openai:gpt-test", input_tokens=11, output_tokens=5)
    [request] = provider.received
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    assert request.body["max_tokens"] == 100
    assert "max_completion_tokens" not in request.body


@both_providers
async def test_tokens_are_zero_when_the_provider_does_not_count(make: Make) -> None:
    """A reply without usage counts zero tokens and is accepted."""
    says = anthropic_reply if make is anthropic else openai_reply
    async with chat_with(make, ScriptedReply(says("yes", usage=None))) as (chat, _):
        reply = await chat.complete(ChatRequest("s", "u", 10))
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (0, 0)


@both_providers
async def test_a_lone_surrogate_can_be_sent(make: Make) -> None:
    """A lone surrogate in a prompt is sent as a question mark."""
    says = anthropic_reply if make is anthropic else openai_reply
    async with chat_with(make, ScriptedReply(says("yes"))) as (chat, provider):
        await chat.complete(ChatRequest("s", "a\ud800b", 10))
    assert provider.received[0].body["messages"][-1]["content"] == "a?b"


@both_providers
@pytest.mark.parametrize("status", [408, 409, 429, 500, 503, 529])
async def test_transient_statuses_are_unavailable_after_one_call(make: Make, status: int) -> None:
    """A transient status raises `ModelUnavailable` after one request, because retries of the provider's own library are
    off.
    """
    async with chat_with(make, ScriptedReply({"error": {"message": "busy"}}, status)) as (chat, provider):
        with pytest.raises(ModelUnavailable, match=str(status)) as caught:
            await chat.complete(ChatRequest("s", "u", 10))
    assert len(provider.received) == 1
    assert caught.value.retry_after is None


@both_providers
@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
async def test_permanent_statuses_are_refused(make: Make, status: int) -> None:
    """A permanent status raises `ModelRefused` with one line that contains the status and the reason, but no API
    key.
    """
    body = {"error": {"type": "bad_thing", "message": f"Incorrect key {KEY}\nsk-other-987654321 given"}}
    async with chat_with(make, ScriptedReply(body, status)) as (chat, _):
        with pytest.raises(ModelRefused, match=f"HTTP {status}, bad_thing: Incorrect key") as caught:
            await chat.complete(ChatRequest("s", "u", 10))
    text = str(caught.value)
    assert "\n" not in text
    assert "canary" not in text
    assert "987654321" not in text
    assert caught.value.__cause__ is None


@both_providers
async def test_retry_after_is_read_in_all_three_forms(make: Make) -> None:
    """`retry-after` is read as seconds, milliseconds or a date. A date is compared with the time that the provider
    states, and with the machine's only if the provider states none.
    """
    now = datetime.now(UTC)
    date, slow = (format_datetime(now + timedelta(seconds=each), usegmt=True) for each in (100_000, -3_500))
    replies = [
        ScriptedReply({}, 429, {"retry-after": "7"}),
        ScriptedReply({}, 429, {"retry-after-ms": "250", "retry-after": "7"}),
        ScriptedReply({}, 503, {"retry-after": date}),
        ScriptedReply({}, 503, {"retry-after": "soon"}),
        ScriptedReply({}, 503, {"retry-after": slow, "date": format_datetime(now - timedelta(hours=1), usegmt=True)}),
    ]
    waits = []
    async with chat_with(make, *replies) as (chat, _):
        for _reply in replies:
            with pytest.raises(ModelUnavailable) as caught:
                await chat.complete(ChatRequest("s", "u", 10))
            waits.append(caught.value.retry_after)
    assert waits[:2] == [7.0, 0.25]
    assert waits[2] == pytest.approx(99_999, rel=0.01)  # whatever this machine does meanwhile
    assert waits[3:] == [None, 100.0]


GARBAGE = [b"", b"<html>bad gateway</html>", b'{"content": [', b"null", b"[1]", b"{}", b'{"choices": [], "content": 3}']


@both_providers
@pytest.mark.parametrize("body", GARBAGE)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
async def test_an_invalid_body_is_unusable(make: Make, body: bytes, kind: str) -> None:
    """A reply of status 200 with an invalid body raises `ModelUnusable`, whatever its content type."""
    async with chat_with(make, ScriptedReply(body, headers={"content-type": kind})) as (chat, _):
        with pytest.raises(ModelUnusable, match="unreadable reply"):
            await chat.complete(ChatRequest("s", "u", 10))


@both_providers
async def test_a_slow_provider_is_unavailable(make: Make) -> None:
    """A call that exceeds its timeout raises `ModelUnavailable`."""
    async with chat_with(make, ScriptedReply({}, after=asyncio.Event()), seconds=0.2) as (chat, _):
        with pytest.raises(ModelUnavailable, match=r"no answer within 0\.2 s"):
            await chat.complete(ChatRequest("s", "u", 10))


@both_providers
async def test_a_closed_port_is_unavailable(make: Make) -> None:
    """A call to a closed port raises `ModelUnavailable`."""
    async with Provider([]) as provider:
        url = provider.url
    chat = make(url, 5.0)
    with pytest.raises(ModelUnavailable, match="no connection"):
        await chat.complete(ChatRequest("s", "u", 10))
    await chat.aclose()


async def test_refusals_and_empty_replies_are_distinguished() -> None:
    """A refusal, or a reply cut off by the token limit, raises `ModelRefused`; an empty text raises `ModelUnusable`.

    Both errors report the usage.
    """
    empty: list[object] = []
    async with chat_with(anthropic, ScriptedReply(anthropic_reply("", content=empty, stop_reason="refusal"))) as (
        chat,
        _,
    ):
        with pytest.raises(ModelRefused, match="refusal") as refused:
            await chat.complete(ChatRequest("s", "u", 10))
    assert refused.value.usage == Usage(model="anthropic:claude-test", input_tokens=12, output_tokens=7)
    async with chat_with(openai, ScriptedReply(openai_reply(None, "length")), ScriptedReply(openai_reply(" "))) as (
        chat,
        _,
    ):
        with pytest.raises(ModelRefused, match="length"):
            await chat.complete(ChatRequest("s", "u", 10))
        with pytest.raises(ModelUnusable, match="no text") as empty_one:
            await chat.complete(ChatRequest("s", "u", 10))
    assert empty_one.value.usage == Usage(model="openai:gpt-test", input_tokens=11, output_tokens=5)


@both_providers
async def test_calls_off_this_machine_are_forbidden(make: Make) -> None:
    """A call to another machine raises `ModelCallsForbidden` before anything is sent."""
    chat = make(ANTHROPIC_URL if make is anthropic else OPENAI_URL.removesuffix("/v1"), 5.0)
    try:
        with pytest.raises(ModelCallsForbidden, match="not loopback"):
            await chat.complete(ChatRequest("s", "u", 10))
    finally:
        await chat.aclose()


@both_providers
async def test_a_truncated_text_is_continued(make: Make) -> None:
    """The model gets its own beginning back and goes on. What it repeats stands once, and the usage counts both."""
    cut, rest = _said(make, "the first half of ", cut=True), _said(make, "first half of the truth.")
    async with chat_with(make, cut, rest) as (chat, provider):
        reply = await chat.complete(ChatRequest("s", "tell me all", 100, prompts=("p@1",)))
    assert (reply.value.text, reply.value.truncated) == ("the first half of the truth.", False)
    assert reply.usage.output_tokens == 2 * (7 if make is anthropic else 5)
    assert reply.usage.prompts == ("p@1", "continuation@1")
    first, second = (each.body["messages"] for each in provider.received)
    begun, go_on = second[len(first) :]
    assert begun == {"role": "assistant", "content": "the first half of "}
    assert "Go on with it" in go_on["content"]


@both_providers
async def test_a_text_that_does_not_end_is_marked(make: Make) -> None:
    """A text that is still truncated after the last continuation, or whose continuation is refused, is not lost."""
    cut = _said(make, "and so on ", cut=True)
    async with chat_with(make, cut) as (chat, provider):
        endless = await chat.complete(ChatRequest("", "tell me all", 100))
    assert len(provider.received) == 1 + CONTINUATIONS
    assert (endless.value.text, endless.value.truncated) == ("and so on " * 4 + "and so on", True)
    async with chat_with(make, cut, ScriptedReply({"error": {"message": "no"}}, 400)) as (chat, _):
        refused = await chat.complete(ChatRequest("", "tell me all", 100))
    assert (refused.value.text, refused.value.truncated) == ("and so on", True)


@both_providers
async def test_a_truncated_structured_reply_is_requested_with_more_tokens(make: Make) -> None:
    """A truncated reply to a request with a schema is requested again with more tokens, and refused after that."""
    request = ChatRequest("", "how many?", 100, schema=closed("size", size=INTEGER))
    cut, whole = _said(make, '{"size"', cut=True), _said(make, '{"size": 3}')
    async with chat_with(make, cut, whole, cut) as (chat, provider):
        reply = await chat.complete(request)
        with pytest.raises(ModelRefused, match="the reply exceeds 400 tokens") as refused:
            await chat.complete(request)
    assert reply.value.structured == {"size": 3}
    first, second, *_ = (each.body["max_tokens"] for each in provider.received)
    assert second == first + 300
    assert len(provider.received) == 4
    assert refused.value.usage is not None
    assert refused.value.usage.output_tokens == reply.usage.output_tokens == 2 * (7 if make is anthropic else 5)


def _said(make: Make, text: str, *, cut: bool = False) -> ScriptedReply:
    """Return a reply with this text, truncated or whole."""
    if make is anthropic:
        return ScriptedReply(anthropic_reply(text, stop_reason="max_tokens" if cut else "end_turn"))
    return ScriptedReply(openai_reply(text, "length" if cut else "stop"))
