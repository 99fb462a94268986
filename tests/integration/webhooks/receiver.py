"""A receiver of webhooks on the loopback: it verifies messages with the standard library of Standard Webhooks."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from standardwebhooks.webhooks import Webhook

from nemuri.admin.webhooks import add_webhook
from nemuri_contracts.event import OPERATOR
from nemuri_contracts.webhooks import NewWebhook, NewWebhookView
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import connected_client, eventually


@dataclass(slots=True)
class Receiver:
    """A receiver with a port of its own. It can be stopped and started again at the same port."""

    answer: Callable[[], bytes] = lambda: b"204 No Content"
    """Returns the status line of the next answer."""
    pause: float = 0.0
    """Seconds before each answer."""
    requests: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    """The headers and the body of each request."""
    port: int = 0
    extra: bytes = b""
    """Further header lines of each answer."""
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Return the address of the receiver."""
        return f"http://127.0.0.1:{self.port}/events"

    @property
    def ids(self) -> list[UUID]:
        """Return the id of each message, in the order of arrival."""
        return [UUID(headers["webhook-id"]) for headers, _ in self.requests]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """Return each message's body, in the order of arrival."""
        return [json.loads(body) for _, body in self.requests]

    def verified(self, secret: str) -> list[Any]:
        """Return the bodies after the standard verifier has accepted their signatures."""
        return [Webhook(secret).verify(body, headers) for headers, body in self.requests]

    async def got(self, number: int) -> list[UUID]:
        """Wait until the receiver has at least so many messages, and return their ids."""

        async def enough() -> bool:
            """The receiver has the messages."""
            return len(self.requests) >= number

        await eventually(enough)
        return self.ids

    async def start(self) -> None:
        """Listen at the port, or at a free one for the first time."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()
            self._server = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            body = await reader.readexactly(int(headers["content-length"]))
            self.requests.append((headers, body))
            await asyncio.sleep(self.pause)
            writer.write(b"HTTP/1.1 " + self.answer() + b"\r\nContent-Length: 0\r\nConnection: close\r\n" + self.extra)
            writer.write(b"\r\n")
            await writer.drain()
        writer.close()


@asynccontextmanager
async def receiving(**options: Any) -> AsyncIterator[Receiver]:
    """Yield a receiver that listens, and stop it at the end."""
    receiver = Receiver(**options)
    await receiver.start()
    try:
        yield receiver
    finally:
        await receiver.stop()


async def subscribed(
    settings: Settings, url: str, *kinds: str, owner: str = OPERATOR, agent_id: str | None = None
) -> NewWebhookView:
    """Add a webhook of a client with a receiver on the loopback, as the operator may, and return it."""
    wanted = NewWebhook(url=url, kinds=kinds, agent_id=agent_id, allow_private=True)
    async with connected_client(settings, OPERATOR) as client:
        return await add_webhook(client, owner, wanted, by_operator=True)
