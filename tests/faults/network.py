"""A network between a machine and the nats-server that can delay, cut or withhold data."""

import asyncio
import contextlib
from urllib.parse import urlsplit

from tests.integration.providers.loopback import Loopback


class Network(Loopback):
    """A TCP proxy on the loopback whose connections can be delayed, cut in the middle of a message, or held still."""

    def __init__(self, target: str) -> None:
        super().__init__(f"nats://{urlsplit(target).netloc.rpartition('@')[0]}@127.0.0.1:{{port}}")
        self._host, self._port = str(urlsplit(target).hostname), int(urlsplit(target).port or 0)
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self.delay = 0.0
        """Seconds by which each piece of data is delayed, in both directions."""
        self._cutting = False

    def cut(self) -> None:
        """Cut every connection in the middle of its next piece of data."""
        self._cutting = True
        for writer in self._writers:
            asyncio.get_running_loop().call_later(0.2, writer.transport.abort)
        asyncio.get_running_loop().call_later(0.2, setattr, self, "_cutting", False)

    def hold(self) -> None:
        """Stop forwarding data without closing connections."""
        self._flowing.clear()

    def release(self) -> None:
        """Forward data again, beginning with the data withheld since `hold`."""
        self._flowing.set()

    async def reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection to the server. Raises `OSError` if the server does not listen."""
        return await asyncio.open_connection(self._host, self._port)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward data in both directions until either end closes."""
        try:
            server_end = await self.reach()
        except OSError:
            writer.transport.abort()
            return
        ends = {writer, server_end[1]}
        self._writers |= ends
        try:
            ways = [
                asyncio.ensure_future(self._carry(*way)) for way in ((reader, server_end[1]), (server_end[0], writer))
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
        finally:
            self._writers -= ends
            for end in ends:
                end.transport.abort()

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while piece := await reader.read(65_536):
                await self._flowing.wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self._cutting:
                    writer.write(piece[: len(piece) // 2])
                    await writer.drain()
                    return
                writer.write(piece)
                await writer.drain()
