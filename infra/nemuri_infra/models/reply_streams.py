"""Replies that arrive in pieces: they are put together to the body that the provider sends without streaming."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from nemuri_infra.models.chat import ChatRequest
from nemuri_infra.models.failures import ModelUnusable


class _TextForwarder:
    """The forwarding of a reply's text to the request's `on_text`, without leading white space.

    The text of a reply that goes on with a truncated one follows the beginning in the request.
    """

    def __init__(self, request: ChatRequest) -> None:
        self._on_text = request.on_text
        self._written = len(request.begun.lstrip())

    async def add(self, piece: str) -> None:
        """Forward a piece of text."""
        piece = piece if self._written else piece.lstrip()
        if piece and self._on_text:
            start, self._written = self._written, self._written + len(piece)
            await self._on_text(start, piece)


async def anthropic_body(name: str, events: AsyncIterator[BaseModel], request: ChatRequest) -> bytes:
    """Return the body of a message whose events arrive one by one. Its text is forwarded to the request's `on_text`.

    Raises `ModelUnusable` if an event cannot be read.
    """
    blocks: dict[int, dict[str, Any]] = {}
    usage: dict[str, Any] = {}
    stop: dict[str, Any] = {}
    forwarder = _TextForwarder(request)
    try:
        async for piece in events:
            match event := piece.model_dump():
                case {"type": "message_start"}:
                    usage |= event["message"]["usage"] or {}
                case {"type": "content_block_start"}:
                    blocks[event["index"]] = event["content_block"] | {"json": ""}
                    await forwarder.add(event["content_block"].get("text") or "")
                case {"type": "content_block_delta", "delta": {"type": "text_delta", "text": str(text)}}:
                    blocks[event["index"]]["text"] += text
                    await forwarder.add(text)
                case {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": str(text)}}:
                    blocks[event["index"]]["json"] += text
                case {"type": "message_delta"}:
                    stop = {"stop_reason": event["delta"]["stop_reason"]}
                    usage |= {key: value for key, value in (event["usage"] or {}).items() if value is not None}
        content = [_with_input(block) for _, block in sorted(blocks.items())]
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnusable(f"{name}: unreadable stream, {type(error).__name__}") from None
    return json.dumps({"content": content, "usage": usage, **stop}).encode()


def _with_input(block: dict[str, Any]) -> dict[str, Any]:
    """Return a block of a message. The arguments of a call stay a text if they are no JSON."""
    written = block.pop("json")
    if block["type"] != "tool_use" or not written:
        return block
    try:
        return block | {"input": json.loads(written, strict=False)}
    except ValueError:
        return block | {"input": written}


@dataclass(slots=True)
class _Choice:
    """The first choice of a completion as far as its pieces have arrived."""

    content: str = ""
    refusal: str = ""
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    finish_reason: str | None = None

    def add_call(self, piece: dict[str, Any]) -> None:
        """Add a piece of a call of a tool."""
        call = self.calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
        function = piece.get("function") or {}
        for key, text in (("id", piece.get("id")), ("name", function.get("name"))):
            call[key] = call[key] or text or ""
        call["arguments"] += function.get("arguments") or ""

    @property
    def body(self) -> dict[str, Any]:
        """The choice in the form of a completion."""
        calls = [
            {"id": call["id"], "function": {"name": call["name"], "arguments": call["arguments"]}}
            for _, call in sorted(self.calls.items())
        ]
        message = {"content": self.content, "refusal": self.refusal or None, "tool_calls": calls or None}
        return {"message": message, "finish_reason": self.finish_reason}


async def openai_body(name: str, chunks: AsyncIterator[BaseModel], request: ChatRequest) -> bytes:
    """Return the body of a completion whose chunks arrive one by one. The text of its first choice is forwarded to
    the request's `on_text`.

    Raises `ModelUnusable` if a chunk cannot be read.
    """
    choice, usage, forwarder = _Choice(), None, _TextForwarder(request)
    try:
        async for part in chunks:
            chunk = part.model_dump()
            usage = chunk.get("usage") or usage
            for piece in chunk.get("choices") or ():
                delta = piece.get("delta") or {}
                choice.content += delta.get("content") or ""
                choice.refusal += delta.get("refusal") or ""
                choice.finish_reason = piece.get("finish_reason") or choice.finish_reason
                for call in delta.get("tool_calls") or ():
                    choice.add_call(call)
                await forwarder.add(delta.get("content") or "")
    except (ValueError, KeyError, TypeError) as error:
        raise ModelUnusable(f"{name}: unreadable stream, {type(error).__name__}") from None
    return json.dumps({"choices": [choice.body], "usage": usage}).encode()
