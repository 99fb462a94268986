"""Replies in pieces, in the wire formats of both providers."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tests.integration.providers.provider import ScriptedReply


def anthropic_stream(pieces: Sequence[str], *, call: tuple[str, Sequence[str]] | None = None) -> ScriptedReply:
    """Return a message with a thought, this text in pieces, and the call of a tool if given (name, pieces of its
    arguments). It used 12 input and 7 output tokens.
    """
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": _message()},
        *_block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "hm"}),
        *_block(1, {"type": "text", "text": ""}, *({"type": "text_delta", "text": piece} for piece in pieces)),
    ]
    if call:
        name, arguments = call
        block = {"type": "tool_use", "id": "call_1", "name": name, "input": {}}
        events += _block(2, block, *({"type": "input_json_delta", "partial_json": argument} for argument in arguments))
    stop = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
    events += [{"type": "message_delta", "delta": stop, "usage": {"output_tokens": 7}}, {"type": "message_stop"}]
    return sse((event["type"], event) for event in events)


def openai_stream(pieces: Sequence[str], *, call: tuple[str, Sequence[str]] | None = None) -> ScriptedReply:
    """Return a completion with this text in pieces, and the call of a tool if given (name, pieces of its arguments). It
    used 11 input and 5 output tokens.
    """
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in pieces)]
    if call:
        name, arguments = call
        begun = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}
        deltas.append({"tool_calls": [begun]})
        deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": argument}}]} for argument in arguments]
    choices: list[list[dict[str, Any]]] = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    choices.append([{"index": 0, "delta": {}, "finish_reason": "tool_calls" if call else "stop"}])
    base: dict[str, object] = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "gpt-test"}
    chunks = [base | {"choices": choice} for choice in choices]
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16}
    return sse([*((None, chunk) for chunk in chunks), (None, base | {"choices": [], "usage": usage}), (None, "[DONE]")])


def sse(events: Iterable[tuple[str | None, object]]) -> ScriptedReply:
    """Return a reply of server-sent events, each with its name, if it has one, and its data."""
    parts = []
    for name, data in events:
        text = data if isinstance(data, str) else json.dumps(data)
        parts.append(f"event: {name}\ndata: {text}\n\n" if name else f"data: {text}\n\n")
    return ScriptedReply("".join(parts).encode(), headers={"content-type": "text/event-stream"})


def _message() -> dict[str, Any]:
    usage = {"input_tokens": 12, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test", "content": []}
    return head | {"stop_reason": None, "stop_sequence": None, "usage": usage}


def _block(index: int, block: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    pieces = [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
    begun = {"type": "content_block_start", "index": index, "content_block": block}
    return [begun, *pieces, {"type": "content_block_stop", "index": index}]
