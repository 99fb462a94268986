"""Check of a provider's reply: repetition of truncated replies, structured values, and calls of tools."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from nemuri_contracts.event import Usage
from nemuri_domain.language.json_objects import find_objects
from nemuri_infra.models.chat import ChatReply, ChatRequest, ToolCall
from nemuri_infra.models.json_schema import mismatch
from nemuri_infra.models.protocol import ModelRefused, Reply
from nemuri_infra.models.provider_calls import storable

TOKEN_FACTOR: Final = 4
"""Factor by which the maximum number of tokens grows when a truncated reply is requested again."""


async def complete_reply(
    name: str, request: ChatRequest, ask: Callable[[int], Awaitable[Reply[ChatReply]]]
) -> Reply[ChatReply]:
    """Return a reply that is not truncated, with the usage of all calls that it needed.

    `ask` is called with a maximum number of tokens. A truncated reply is requested again with `TOKEN_FACTOR` times the
    tokens. Raises `ModelRefused` if the second reply is truncated too.
    """
    reply = await ask(request.max_tokens)
    if not reply.value.truncated:
        return reply
    longer = await ask(TOKEN_FACTOR * request.max_tokens)
    spent = Usage.together((reply.usage, longer.usage))
    if longer.value.truncated:
        raise ModelRefused(f"{name}: the reply exceeds {TOKEN_FACTOR * request.max_tokens} tokens", usage=spent)
    return Reply(longer.value, spent)


def structured_value(text: str, request: ChatRequest) -> Mapping[str, object] | None:
    """Return the first JSON object in a text that fits the schema of the request; None without such an object or a
    schema.
    """
    if request.schema is None:
        return None
    kind = request.schema.value
    return next((each for each in find_objects(text) if not mismatch(each, kind)), None)


def tool_call(call_id: str, name: str, arguments: object, request: ChatRequest) -> ToolCall:
    """Return a call of a tool, with what is wrong with it. `arguments` is a JSON object, or its text."""
    known = {each.name: each for each in request.tools}
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
