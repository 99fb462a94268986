"""Tests of replies that arrive in pieces, in the wire formats of both providers."""

from collections.abc import Callable, Sequence

import pytest

from nemuri_contracts.event import Usage
from nemuri_infra.models.anthropic import AnthropicChat
from nemuri_infra.models.chat import Chat, ChatRequest, Schema, Tool
from nemuri_infra.models.failures import ModelUnavailable, ModelUnusable
from nemuri_infra.models.openai import OpenAIChat
from tests.integration.providers.provider import Provider, ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.streams import anthropic_stream, openai_stream, sse

Stream = Callable[..., ScriptedReply]
PIECES = (" Truth", " is ", "tested. ")
TOOL = Tool("recall", "Recall.", Schema("recall", '{"type": "object", "properties": {"query": {"type": "string"}}}'))


def anthropic(provider: Provider) -> Chat:
    """Return a chat that uses Anthropic's format."""
    return AnthropicChat(api_key="k", base_url=provider.url, model="m", timeout=10)


def openai(provider: Provider) -> Chat:
    """Return a chat that uses OpenAI's format."""
    return OpenAIChat(api_key="k", base_url=f"{provider.url}/v1", model="m", timeout=10)


both = pytest.mark.parametrize(
    ("chat", "stream", "usage"),
    [
        (anthropic, anthropic_stream, Usage(model="anthropic:m", input_tokens=12, output_tokens=7)),
        (openai, openai_stream, Usage(model="openai:m", input_tokens=11, output_tokens=5)),
    ],
    ids=["anthropic", "openai"],
)


class Pieces:
    """The pieces of text that were forwarded, each with its start."""

    def __init__(self) -> None:
        self.found: list[tuple[int, str]] = []

    async def add(self, start: int, text: str) -> None:
        """Add a piece."""
        self.found.append((start, text))


def request(pieces: Pieces, tools: Sequence[Tool] = ()) -> ChatRequest:
    """Return a request whose text is forwarded."""
    return ChatRequest("system", "user", 100, tools=tuple(tools), on_text=pieces.add)


@both
async def test_text_is_forwarded_while_it_arrives(
    chat: Callable[[Provider], Chat], stream: Stream, usage: Usage
) -> None:
    """Forward each piece of the text with its place, and return the same reply as without streaming."""
    pieces = Pieces()
    async with Provider([stream(PIECES)]) as provider:
        reply = await chat(provider).complete(request(pieces))
    assert pieces.found == [(0, "Truth"), (5, " is "), (9, "tested. ")]
    assert (reply.value.text, reply.value.tool_calls, reply.usage) == ("Truth is tested.", (), usage)


@both
async def test_a_call_of_a_tool_is_put_together(chat: Callable[[Provider], Chat], stream: Stream, usage: Usage) -> None:
    """Put the pieces of a tool's arguments together."""
    pieces = Pieces()
    async with Provider([stream(["I look."], call=("recall", ['{"que', 'ry": "truth"}']))]) as provider:
        reply = await chat(provider).complete(request(pieces, [TOOL]))
    [call] = reply.value.tool_calls
    assert (call.call_id, call.name, call.arguments, call.problem) == ("call_1", "recall", {"query": "truth"}, "")
    assert reply.usage == usage


@both
async def test_arguments_that_are_no_json_are_told(
    chat: Callable[[Provider], Chat], stream: Stream, usage: Usage
) -> None:
    """Return a call whose arguments broke off, with what is wrong with it."""
    async with Provider([stream(["I look."], call=("recall", ['{"que']))]) as provider:
        reply = await chat(provider).complete(request(Pieces(), [TOOL]))
    assert [call.problem for call in reply.value.tool_calls] == ["the arguments are no JSON object"]


@pytest.mark.parametrize(
    ("chat", "event", "data"),
    [
        (anthropic, "error", {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}),
        (openai, None, {"error": {"type": "server_error", "message": "busy"}}),
    ],
    ids=["anthropic", "openai"],
)
async def test_an_error_inside_a_stream_is_an_outage(
    chat: Callable[[Provider], Chat], event: str | None, data: object
) -> None:
    """Treat an error after the status of success as a failure that may pass."""
    async with Provider([sse([(event, data)])]) as provider:
        with pytest.raises(ModelUnavailable, match="busy"):
            await chat(provider).complete(request(Pieces()))


@both
async def test_an_unreadable_stream_is_told(chat: Callable[[Provider], Chat], stream: Stream, usage: Usage) -> None:
    """Raise an error that permits one repetition if an event is no JSON."""
    broken = ScriptedReply(b"event: message_start\ndata: {\n\n", headers={"content-type": "text/event-stream"})
    async with Provider([broken]) as provider:
        with pytest.raises(ModelUnusable, match="unreadable stream"):
            await chat(provider).complete(request(Pieces()))


@pytest.mark.parametrize(
    ("chat", "reply"), [(anthropic, anthropic_reply), (openai, openai_reply)], ids=["anthropic", "openai"]
)
async def test_a_server_that_cannot_stream_is_asked_without(
    chat: Callable[[Provider], Chat], reply: Callable[[str], dict[str, object]]
) -> None:
    """Ask again without streaming if the server refuses it, and never ask it for a stream again."""
    refusal = ScriptedReply({"error": {"type": "invalid_request_error", "message": "stream is not supported"}}, 400)
    pieces = Pieces()
    async with Provider([refusal, ScriptedReply(reply("Truth."))]) as provider:
        talking = chat(provider)
        first = await talking.complete(request(pieces))
        second = await talking.complete(request(pieces))
    assert (first.value.text, second.value.text, pieces.found) == ("Truth.", "Truth.", [])
    assert ["stream" in each.body for each in provider.received] == [True, False, False]
