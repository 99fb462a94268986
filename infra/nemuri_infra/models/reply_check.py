"""Check of a provider's reply: completion of truncated replies, structured values, and calls of tools."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply, ToolCall
from nemuri_infra.models.failures import ModelRefused, ModelUnusable
from nemuri_infra.models.json_objects import find_objects
from nemuri_infra.models.json_schema import mismatch
from nemuri_infra.models.prompt_fences import without_fences
from nemuri_infra.models.prompt_library import prompt
from nemuri_infra.models.provider_calls import sendable, storable

TOKEN_FACTOR: Final = 4
"""Factor by which the maximum number of tokens grows when a truncated reply is requested again."""


CONTINUATIONS: Final = 4
"""Maximum number of times that a model is asked to go on with a text that stopped at its token limit."""
CONTINUATION: Final = "continuation"
"""Name of the prompt that asks a model to go on."""
_OVERLAP: Final = 200
"""Maximum number of characters of a text that its continuation may repeat."""
_LEAST_OVERLAP: Final = 12
"""Minimum number of characters of a repetition. Shorter ones may be chance."""

Ask = Callable[[ChatRequest], Awaitable[Reply[ChatReply]]]
"""A call of a provider. The text of the reply is not stripped, so that its continuation fits."""


def continuation_turns(request: ChatRequest) -> list[dict[str, str]]:
    """Return the messages that ask the model to go on with a reply that it has begun; empty if it has begun none.

    Both providers have the same form for them. What was begun is sent as the model's own message.
    """
    if not request.begun:
        return []
    return [
        {"role": "assistant", "content": sendable(request.begun)},
        {"role": "user", "content": prompt(CONTINUATION).system},
    ]


async def complete_reply(name: str, request: ChatRequest, ask: Ask) -> Reply[ChatReply]:
    """Return a complete reply without delimiters of the prompt, with the usage of all calls that it needed.

    A truncated text is continued; if it does not end, what came is returned as truncated. A truncated reply to a
    request with a schema, and truncated calls of tools, are requested again with `TOKEN_FACTOR` times the tokens.
    Raises `ModelRefused` if they are truncated again, and `ModelUnusable` if nothing but delimiters is left.
    """
    reply = await ask(request)
    if reply.value.truncated and (request.schema or reply.value.tool_calls):
        reply = await _repeated(name, request, reply, ask)
    elif reply.value.truncated:
        reply = await _continued(request, reply, ask)
    text = storable(without_fences(reply.value.text))
    if not text.strip() and not reply.value.tool_calls:
        raise ModelUnusable(f"{name}: nothing but delimiters of the prompt in the reply", usage=reply.usage)
    return Reply(replace(reply.value, text=text), reply.usage)


async def _repeated(name: str, request: ChatRequest, reply: Reply[ChatReply], ask: Ask) -> Reply[ChatReply]:
    limit = TOKEN_FACTOR * request.max_tokens
    longer = await ask(replace(request, max_tokens=limit))
    spent = Usage.together((reply.usage, longer.usage))
    if longer.value.truncated:
        raise ModelRefused(f"{name}: the reply exceeds {limit} tokens", usage=spent)
    return Reply(longer.value, spent)


async def _continued(request: ChatRequest, reply: Reply[ChatReply], ask: Ask) -> Reply[ChatReply]:
    """Return the text with its continuations. A refused continuation ends it, and its usage counts."""
    text, spent = reply.value.text, [reply.usage]
    prompts = (*request.prompts, prompt(CONTINUATION).label)
    for _ in range(CONTINUATIONS):
        try:
            more = await ask(replace(request, begun=text, may_call=False, prompts=prompts))
        except ModelRefused as error:
            spent += [error.usage] if error.usage else []
            break
        text = joined(text, more.value.text)
        spent.append(more.usage)
        if not more.value.truncated:
            return Reply(ChatReply(text), Usage.together(spent))
    return Reply(ChatReply(text, truncated=True), Usage.together(spent))


def joined(text: str, more: str) -> str:
    """Return a text with its continuation. What the continuation repeats of the end of the text stands once."""
    longest = min(_OVERLAP, len(text), len(more))
    for length in range(longest, _LEAST_OVERLAP - 1, -1):
        if text.endswith(more[:length]):
            return text + more[length:]
    return text + more


def structured_value(text: str, request: ChatRequest) -> Mapping[str, object] | None:
    """Return the first JSON object in a text that fits the schema of the request; None without such an object or a
    schema.
    """
    if request.schema is None:
        return None
    kind = request.schema.value
    return next((value for value in find_objects(text) if not mismatch(value, kind)), None)


def tool_call(call_id: str, name: str, arguments: object, request: ChatRequest) -> ToolCall:
    """Return a call of a tool, with what is wrong with it. `arguments` is a JSON object, or its text."""
    known = {tool.name: tool for tool in request.tools}
    value = _parsed(arguments) if isinstance(arguments, str) else arguments
    name = storable(name)
    if not isinstance(value, dict):
        return ToolCall(call_id, name, {}, problem="the arguments are no JSON object")
    if name not in known:
        return ToolCall(call_id, name, value, problem=f"there is no tool {name!r}; there are {', '.join(known)}")
    return ToolCall(call_id, name, value, problem=mismatch(value, known[name].arguments.value))


def _parsed(text: str) -> object:
    if not text.strip():
        return {}
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
