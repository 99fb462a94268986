"""A server on a free port of the loopback."""

import asyncio
from abc import ABC, abstractmethod
from typing import Self


class Loopback(ABC):
    """A server that handles every connection in a task, and ends all tasks when it closes."""

    def __init__(self, form: str) -> None:
        self._form = form
        self._handlers: set[asyncio.Task[None]] = set()
        self.url = ""
        """The server's address: the given form with its port filled in. It is set when the server starts."""

    @abstractmethod
    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.url = self._form.format(port=self._server.sockets[0].getsockname()[1])
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for handler in self._handlers:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handler = asyncio.create_task(self.handle(reader, writer))
        self._handlers.add(handler)
        handler.add_done_callback(self._handlers.discard)
