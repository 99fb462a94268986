"""A provider on the loopback: the HTTP formats of Anthropic and OpenAI with scripted replies."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.integration.providers.loopback import Loopback


@dataclass(frozen=True)
class ScriptedReply:
    """One scripted reply."""

    body: object = None
    """Bytes are sent as they are, anything else as JSON."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: asyncio.Event | None = None
    """The reply is held back until this event is set."""

    def encoded(self) -> bytes:
        """Return the reply as sent over the wire; the connection closes after it."""
        raw = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        headers = {"content-type": "application/json", **self.headers}
        lines = [f"HTTP/1.1 {self.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, f"content-length: {len(raw)}", "connection: close", "", ""]).encode() + raw


@dataclass(frozen=True)
class ReceivedRequest:
    """One received request."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    """Seconds of the event loop's clock."""


class Provider(Loopback):
    """A server that sends the replies in order, and repeats the last one."""

    def __init__(self, replies: Sequence[ScriptedReply]) -> None:
        super().__init__("http://127.0.0.1:{port}")
        self._replies = list(replies)
        self._open = 0
        self.received: list[ReceivedRequest] = []
        self.max_concurrent = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send the next reply."""
        try:
            reply = self._next(await read_request(reader))
            self._open += 1
            self.max_concurrent = max(self.max_concurrent, self._open)
            if reply.after:
                await reply.after.wait()
            self._open -= 1
            writer.write(reply.encoded())
            await writer.drain()
        finally:
            writer.close()

    def _next(self, request: ReceivedRequest) -> ScriptedReply:
        self.received.append(request)
        return self._replies[min(len(self.received), len(self._replies)) - 1]


async def read_request(reader: asyncio.StreamReader) -> ReceivedRequest:
    """Return the request read from a connection."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in head[1:] if line)
    headers = {name.lower(): value for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(head[0].split()[1], headers, json.loads(body), asyncio.get_running_loop().time())


def anthropic_reply(text: str, **more: object) -> dict[str, object]:
    """Return a message in Anthropic's format: a thought, then the text; 12 input and 7 output tokens."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-test",
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 12, "output_tokens": 7},
        **more,
    }


def openai_reply(text: str | None, finish_reason: str = "stop", **more: object) -> dict[str, object]:
    """Return a completion in OpenAI's format; 11 input and 5 output tokens."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test",
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
        **more,
    }


def openai_embeddings(*vectors: Sequence[float]) -> dict[str, object]:
    """Return embeddings in OpenAI's format, the last vector first; their index gives the order."""
    data = [{"object": "embedding", "index": place, "embedding": list(row)} for place, row in enumerate(vectors)]
    return {"object": "list", "model": "e", "data": data[::-1], "usage": {"prompt_tokens": 3, "total_tokens": 3}}
