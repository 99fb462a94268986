"""A fake provider on the loopback: it speaks the HTTP formats of Anthropic and OpenAI and sends scripted replies."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.integration.providers.loopback import Loopback


@dataclass(frozen=True)
class ScriptedReply:
    """One scripted HTTP reply."""

    body: object = None
    """Body of the reply. Bytes are sent unchanged, any other value as JSON."""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    after: asyncio.Event | None = None
    """If given, the reply is sent only after this event is set."""

    def encoded(self) -> bytes:
        """Return the bytes of the reply as it is sent. The connection closes after it."""
        raw = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        headers = {"content-type": "application/json", **self.headers}
        lines = [f"HTTP/1.1 {self.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, f"content-length: {len(raw)}", "connection: close", "", ""]).encode() + raw


@dataclass(frozen=True)
class ReceivedRequest:
    """A request that the fake provider received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    """Time of arrival in seconds, by the event loop's clock."""


class Provider(Loopback):
    """A server that sends its scripted replies in order and then repeats the last one."""

    def __init__(self, replies: Sequence[ScriptedReply]) -> None:
        super().__init__("http://127.0.0.1:{port}")
        self._replies = list(replies)
        self._open = 0
        self.received: list[ReceivedRequest] = []
        self.max_concurrent = 0

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Record one request and send the next scripted reply."""
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
    """Read one request from a connection and return it."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    pairs = (line.split(": ", 1) for line in head[1:] if line)
    headers = {name.lower(): value for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return ReceivedRequest(head[0].split()[1], headers, json.loads(body), asyncio.get_running_loop().time())


def anthropic_reply(text: str, **more: object) -> dict[str, object]:
    """Return a message in Anthropic's format with a thought before the text, 12 input and 7 output tokens."""
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
    """Return a completion in OpenAI's format with 11 input and 5 output tokens."""
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
    """Return embeddings in OpenAI's format. The last vector is sent first; the `index` field of each gives the true
    order.
    """
    data = [{"object": "embedding", "index": place, "embedding": list(row)} for place, row in enumerate(vectors)]
    return {"object": "list", "model": "e", "data": data[::-1], "usage": {"prompt_tokens": 3, "total_tokens": 3}}
