"""Structured replies and calls of tools over the wire, by the means of each provider or as text."""

import json
from typing import Any

import pytest

from nemuri_infra.models.chat import ChatRequest, Tool, ToolCall, ToolTurn
from nemuri_infra.models.failures import ModelRefused
from nemuri_infra.models.json_schema import INTEGER, TEXT, closed
from tests.integration.providers.provider import ScriptedReply, anthropic_reply, openai_reply
from tests.integration.providers.test_chats import Make, anthropic, both_providers, chat_with

pytestmark = pytest.mark.connected

SCHEMA = closed("size", size=INTEGER)
SIZED = ChatRequest("s", "how big?", 10, schema=SCHEMA)
TOOL = Tool("recall", "Searches your memory.", closed("recall", query=TEXT))
LOOP = ChatRequest("s", "how big?", 10, tools=(TOOL,))
CALL = ToolCall("c1", "recall", {"query": "size"})


def said(make: Make, text: str) -> ScriptedReply:
    """Return a reply with a text in the provider's format."""
    return ScriptedReply(anthropic_reply(text) if make is anthropic else openai_reply(text))


def called(make: Make, name: str, arguments: Any) -> ScriptedReply:
    """Return a reply that calls a tool in the provider's format. OpenAI's arguments are JSON as text."""
    if make is anthropic:
        block = {"type": "tool_use", "id": "c1", "name": name, "input": arguments}
        return ScriptedReply(anthropic_reply("", content=[block], stop_reason="tool_use"))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": "c1", "type": "function", "function": {"name": name, "arguments": text}}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    return ScriptedReply(openai_reply(None, choices=[{"index": 0, "message": message, "finish_reason": "tool_calls"}]))


def refused(reason: str) -> ScriptedReply:
    """Return a refusal with a reason."""
    return ScriptedReply({"error": {"type": "invalid_request_error", "message": reason}}, 400)


@both_providers
async def test_a_schema_is_sent_and_the_value_is_read(make: Make) -> None:
    """The schema is sent in the provider's own parameter, and a reply that fits it is a structured value."""
    async with chat_with(make, said(make, '{"size": 3}'), said(make, '{"size": "big"}')) as (chat, provider):
        fits, does_not = await chat.complete(SIZED), await chat.complete(SIZED)
    assert fits.value.structured == {"size": 3}
    assert does_not.value.structured is None
    assert list(does_not.value.objects()) == [{"size": "big"}]
    body = provider.received[0].body
    if make is anthropic:
        assert body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA.value}}
    else:
        strict = {"name": "size", "strict": True, "schema": SCHEMA.value}
        assert body["response_format"] == {"type": "json_schema", "json_schema": strict}


@both_providers
async def test_a_refused_schema_is_left_out(make: Make) -> None:
    """A server that refuses the schema by name is asked without it, then and later, and prose around JSON is read."""
    name = "output_config.format" if make is anthropic else "response_format"
    replies = (refused(f"{name}: unsupported"), said(make, 'Here: {"size": 3}.'))
    async with chat_with(make, *replies) as (chat, provider):
        first, second = await chat.complete(SIZED), await chat.complete(SIZED)
    assert first.value.structured == second.value.structured == {"size": 3}
    assert [name.split(".", maxsplit=1)[0] in each.body for each in provider.received] == [True, False, False]


@both_providers
async def test_tools_are_sent_and_calls_are_read(make: Make) -> None:
    """Tools are sent in the provider's format, a call is read, and the next request has the call and its result."""
    loop = ChatRequest("s", "how big?", 10, tools=(TOOL,), turns=(ToolTurn(CALL, "It is 3."),), may_call=False)
    async with chat_with(make, called(make, "recall", {"query": "size"}), said(make, "3")) as (chat, provider):
        first, second = await chat.complete(LOOP), await chat.complete(loop)
    assert first.value.tool_calls == (CALL,)
    assert first.value.text == ""
    assert (second.value.text, second.value.tool_calls) == ("3", ())
    one, two = (each.body for each in provider.received)
    if make is anthropic:
        cached = {"cache_control": {"type": "ephemeral"}}
        assert one["tools"] == [
            {"name": "recall", "description": TOOL.description, "input_schema": TOOL.arguments.value}
        ]
        assert (one["tool_choice"], two["tool_choice"]) == ({"type": "auto"}, {"type": "none"})
        assert one["messages"][0]["content"] == [{"type": "text", "text": "how big?", **cached}]
        assert two["messages"] == [
            {"role": "user", "content": [{"type": "text", "text": "how big?"}]},
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "c1", "name": "recall", "input": CALL.arguments}],
            },
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "It is 3.", **cached}],
            },
        ]
    else:
        function = {"name": "recall", "description": TOOL.description, "parameters": TOOL.arguments.value}
        assert one["tools"] == [{"type": "function", "function": function}]
        assert (one["tool_choice"], two["tool_choice"]) == ("auto", "none")
        call = {"id": "c1", "type": "function", "function": {"name": "recall", "arguments": '{"query": "size"}'}}
        assert two["messages"][2:] == [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "It is 3."},
        ]


@both_providers
@pytest.mark.parametrize(
    ("name", "arguments", "problem"),
    [
        ("recall", {"query": 3}, "query must be of type string"),
        ("recall", {}, "query is missing"),
        ("recall", "{broken", "the arguments are no JSON object"),
        ("forget", {"query": "x"}, "there is no tool 'forget'; there are recall"),
    ],
)
async def test_an_invalid_call_tells_its_problem(make: Make, name: str, arguments: Any, problem: str) -> None:
    """A call of an unknown tool, or with arguments that do not fit, is returned with its problem in one line."""
    async with chat_with(make, called(make, name, arguments)) as (chat, _):
        [call] = (await chat.complete(LOOP)).value.tool_calls
    assert (call.call_id, call.name, call.problem) == ("c1", name, problem)


@both_providers
async def test_refused_tools_are_described_as_text(make: Make) -> None:
    """A server that refuses tools gets them in the system message, and earlier calls in the user message.

    Calls are then read from the text.
    """
    text = 'I look it up. {"tool": "recall", "arguments": {"query": "size"}}'
    turned = ChatRequest("s", "how big?", 10, tools=(TOOL,), turns=(ToolTurn(CALL, "It is 3."),), may_call=False)
    replies = (refused("this model does not support tools"), said(make, text), said(make, '{"tool": "recall"}'))
    async with chat_with(make, *replies) as (chat, provider):
        first, second = await chat.complete(LOOP), await chat.complete(turned)
    assert [(call.name, call.arguments, call.problem) for call in first.value.tool_calls] == [
        ("recall", {"query": "size"}, "")
    ]
    assert first.usage.prompts == ("tools_as_text@1",)
    assert second.value.tool_calls == ()
    without, last = (each.body for each in provider.received[1:])
    assert "tools" not in without
    assert "- recall: Searches your memory." in json.dumps(without)
    assert "It is 3." in json.dumps(last["messages"])
    assert "Searches your memory" not in json.dumps(last)


@both_providers
async def test_another_refusal_changes_nothing(make: Make) -> None:
    """A refusal that names no optional parameter is raised, and the parameters are sent again."""
    async with chat_with(make, refused("the prompt is too long"), said(make, '{"size": 3}')) as (chat, provider):
        with pytest.raises(ModelRefused, match="too long"):
            await chat.complete(SIZED)
        await chat.complete(SIZED)
    assert len({frozenset(each.body) for each in provider.received}) == 1
