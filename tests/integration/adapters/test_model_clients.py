"""The wrapper around clients of OpenAI and Anthropic: recall before, converse after, in every form of call."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
import pytest
from pydantic import BaseModel

from nemuri.adapters import anthropic as anthropic_adapter
from nemuri.adapters import openai as openai_adapter
from nemuri.adapters.connection import Connection
from nemuri.adapters.memory_text import CLOSING, OPENING
from nemuri.client.client import Client
from nemuri.platform.in_memory import InMemoryPlatform
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.streams import anthropic_stream, openai_stream, sse

KNOWN = "Ann is allergic to peanuts."
ASKED = "Which snack suits me, given what I am allergic to?"
REPLY = "Take dried apricots, which grow in Malatya."


class Snack(BaseModel):
    """A structured reply."""

    name: str


def response_reply(text: str) -> dict[str, Any]:
    """Return a reply of the Responses API."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "content": content}
    head = {"id": "resp_1", "object": "response", "created_at": 1, "model": "gpt-test", "output": [message]}
    return head | {"parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "status": "completed"}


def response_stream(text: str) -> ScriptedReply:
    """Return the same reply in two pieces."""
    whole, place = response_reply(text), {"item_id": "msg_1", "output_index": 0}
    item = whole["output"][0]
    empty = {**whole, "output": [], "status": "in_progress"}
    part = {"type": "output_text", "text": "", "annotations": []}
    done = {"content_index": 0, "logprobs": []}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": empty},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "content_index": 0, "part": part},
        *({"type": "response.output_text.delta", **place, **done, "delta": piece} for piece in (text[:9], text[9:])),
        {"type": "response.completed", "response": whole},
    ]
    return sse((event["type"], event | {"sequence_number": number}) for number, event in enumerate(events))


@dataclass(frozen=True)
class Form:
    """One form of a call: what the provider replies, and how the call is made with the user's words."""

    reply: ScriptedReply
    call: Callable[[Any, str], Awaitable[str]]


def _said(text: str) -> Any:
    return [{"role": "user", "content": text}]


async def chat(client: openai.AsyncOpenAI, text: str) -> str:
    """Call `chat.completions.create`."""
    done = await client.chat.completions.create(model="m", messages=_said(text))
    return done.choices[0].message.content or ""


async def chat_blocking(client: openai.OpenAI, text: str) -> str:
    """Call `chat.completions.create` of the blocking client."""
    done = await asyncio.to_thread(client.chat.completions.create, model="m", messages=_said(text))
    return done.choices[0].message.content or ""


async def chat_streamed(client: openai.AsyncOpenAI, text: str) -> str:
    """Read a stream of chunks."""
    model: Any = client
    stream = await model.chat.completions.create(model="m", messages=_said(text), stream=True)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices])


async def chat_streamed_blocking(client: openai.OpenAI, text: str) -> str:
    """Read a stream of chunks with the blocking client."""

    model: Any = client

    def read() -> str:
        with model.chat.completions.create(model="m", messages=_said(text), stream=True) as stream:
            return "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)

    return await asyncio.to_thread(read)


async def chat_events(client: openai.AsyncOpenAI, text: str) -> str:
    """Read the events of `chat.completions.stream`."""
    async with client.chat.completions.stream(model="m", messages=_said(text)) as stream:
        await stream.until_done()
        return (await stream.get_final_completion()).choices[0].message.content or ""


async def chat_parsed(client: openai.AsyncOpenAI, text: str) -> str:
    """Call `chat.completions.parse`."""
    done = await client.chat.completions.parse(model="m", messages=_said(text), response_format=Snack)
    assert done.choices[0].message.parsed == Snack(name="dried apricots from Malatya")
    return done.choices[0].message.content or ""


async def responses(client: openai.AsyncOpenAI, text: str) -> str:
    """Call `responses.create` with a text."""
    return (await client.responses.create(model="m", input=text)).output_text


async def responses_in_parts(client: openai.AsyncOpenAI, text: str) -> str:
    """Call `responses.create` of a client with other options, with a message in parts."""
    message: Any = {"role": "user", "content": [{"type": "input_text", "text": text}]}
    return (await client.with_options(timeout=9).responses.create(model="m", input=[message])).output_text


async def responses_streamed(client: openai.AsyncOpenAI, text: str) -> str:
    """Read the events of `responses.stream`."""
    async with client.responses.stream(model="m", input=text) as stream:
        return (await stream.get_final_response()).output_text


async def messages(client: anthropic.AsyncAnthropic, text: str) -> str:
    """Call `messages.create`."""
    done = await client.messages.create(model="m", max_tokens=9, messages=_said(text))
    return "".join(block.text for block in done.content if block.type == "text")


async def messages_blocking(client: anthropic.Anthropic, text: str) -> str:
    """Call `beta.messages.create` of the blocking client."""
    done = await asyncio.to_thread(client.beta.messages.create, model="m", max_tokens=9, messages=_said(text))
    return "".join(block.text for block in done.content if block.type == "text")


async def messages_streamed(client: anthropic.AsyncAnthropic, text: str) -> str:
    """Read `messages.stream`."""
    async with client.messages.stream(model="m", max_tokens=9, messages=_said(text)) as stream:
        return await stream.get_final_text()


async def messages_streamed_blocking(client: anthropic.Anthropic, text: str) -> str:
    """Read `messages.stream` of the blocking client."""

    def read() -> str:
        with client.messages.stream(model="m", max_tokens=9, messages=_said(text)) as stream:
            return "".join(stream.text_stream)

    return await asyncio.to_thread(read)


PIECES = (REPLY[:10], REPLY[10:])
PARSED = ScriptedReply(openai_reply('{"name": "dried apricots from Malatya"}'))
FORMS = [
    Form(ScriptedReply(openai_reply(REPLY)), chat),
    Form(ScriptedReply(openai_reply(REPLY)), chat_blocking),
    Form(openai_stream(PIECES), chat_streamed),
    Form(openai_stream(PIECES), chat_streamed_blocking),
    Form(openai_stream(PIECES), chat_events),
    Form(PARSED, chat_parsed),
    Form(ScriptedReply(response_reply(REPLY)), responses),
    Form(ScriptedReply(response_reply(REPLY)), responses_in_parts),
    Form(response_stream(REPLY), responses_streamed),
    Form(ScriptedReply(anthropic_reply(REPLY)), messages),
    Form(ScriptedReply(anthropic_reply(REPLY)), messages_blocking),
    Form(anthropic_stream(PIECES), messages_streamed),
    Form(anthropic_stream(PIECES), messages_streamed_blocking),
]


def model_client(form: Callable[..., Any], url: str) -> Any:
    """Return the client that a form of call is made with, without a memory."""
    if "anthropic" in str(form.__annotations__["client"]):
        kind: Any = form.__annotations__["client"]
        return kind(api_key="none", base_url=url, max_retries=0)
    return form.__annotations__["client"](api_key="none", base_url=url, max_retries=0)


def remembering(plain: Any, **options: Any) -> Any:
    """Return the client with the memory of the agent `assistant` of Ann."""
    adapter: Any = (
        anthropic_adapter if isinstance(plain, anthropic.Anthropic | anthropic.AsyncAnthropic) else openai_adapter
    )
    return adapter.with_memory(plain, agent="assistant", person="Ann", **options)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.call.__name__)
async def test_a_call_recalls_before_and_learns_after(platform: InMemoryPlatform, client: Client, form: Form) -> None:
    """Put what fits into the request, marked as data, and learn what was said, but not what was put in."""
    await client.remember("assistant", KNOWN, person="Ann")
    async with Provider([form.reply]) as provider:
        model = remembering(model_client(form.call, provider.url), connection=client)
        reply = await form.call(model, ASKED)
        assert await openai_adapter.memory_of(model).aflush(10)
    await platform.services.settle()
    sent = str(provider.received[0].body)
    assert sent.count(OPENING) == sent.count(CLOSING) == 1
    assert sent.index(KNOWN) < sent.index(ASKED)
    assert "Malatya" in reply
    learned = [
        memory.memory.content for memory in await client.memories("assistant") if memory.source == "conversation"
    ]
    assert any("Malatya" in content for content in learned)
    assert not any(OPENING in content or KNOWN in content for content in learned)
    assert openai_adapter.memory_of(model).failures == 0


async def test_a_history_that_is_sent_again_is_learned_once(platform: InMemoryPlatform, client: Client) -> None:
    """Learn each turn of a chat once, although each call sends the whole history."""
    said: list[Any] = [{"role": "system", "content": "Be brief."}]
    async with Provider([ScriptedReply(openai_reply(f"It is the city number {n}.")) for n in range(3)]) as provider:
        plain = openai.AsyncOpenAI(api_key="none", base_url=provider.url)
        model = remembering(plain, connection=client)
        for place in ("Bergen", "Turku", "Gdansk"):
            said.append({"role": "user", "content": f"I once lived in {place}."})
            done = await model.chat.completions.create(model="m", messages=said)
            said.append(done.choices[0].message.model_dump(exclude_none=True))
        assert await openai_adapter.memory_of(model).aflush(10)
    await platform.services.settle()
    learned = [memory.memory.content for memory in await client.memories("assistant", status="all")]
    assert sorted(content for content in learned if "lived" in content) == [
        f"I once lived in {place}." for place in ("Bergen", "Gdansk", "Turku")
    ]


async def test_an_unknown_agent_is_made_by_the_first_turn(platform: InMemoryPlatform, client: Client) -> None:
    """Recall nothing of an agent that is unknown, which is no failure, and make it."""
    async with Provider([ScriptedReply(openai_reply(REPLY))]) as provider:
        plain = openai.AsyncOpenAI(api_key="none", base_url=provider.url)
        model = openai_adapter.with_memory(plain, agent="host", connection=client)
        await chat(model, "I row on Tuesdays.")
        memory = openai_adapter.memory_of(model)
        assert await memory.aflush(10)
    await platform.services.settle()
    assert memory.failures == 0
    assert "I row on Tuesdays." in [memory.memory.content for memory in await client.memories("host")]


async def test_a_call_succeeds_without_a_platform(caplog: pytest.LogCaptureFixture, tmp_path: Any) -> None:
    """Answer as without a memory, log one line for each failure and count it."""
    async with Provider([ScriptedReply(openai_reply(REPLY))]) as provider:
        plain = openai.AsyncOpenAI(api_key="none", base_url=provider.url)
        model = remembering(plain, connection=Connection(data=tmp_path))
        with caplog.at_level(logging.WARNING, "nemuri"):
            assert await chat(model, ASKED) == REPLY
            assert await openai_adapter.memory_of(model).aflush(10)
        assert provider.received[0].body["messages"] == _said(ASKED)
        assert openai_adapter.memory_of(model).failures == 2
        assert [record.message.count("\n") for record in caplog.records] == [0, 0]
        assert await chat(plain, ASKED) == REPLY
        with pytest.raises(TypeError, match="with_memory"):
            openai_adapter.memory_of(plain)
    openai_adapter.memory_of(model).connection.close()


async def test_an_error_of_the_provider_is_raised(platform: InMemoryPlatform, client: Client) -> None:
    """Raise what the provider's client raises, and learn nothing from the call."""
    async with Provider([ScriptedReply({"error": {"message": "no"}}, status=400)]) as provider:
        model = remembering(openai.AsyncOpenAI(api_key="none", base_url=provider.url), connection=client)
        with pytest.raises(openai.BadRequestError):
            await chat(model, "I moved to Oslo.")
    await platform.services.settle()
    assert await client.memories("assistant") == ()
