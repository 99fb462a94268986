"""The connection of an adapter to the platform, for blocking and for asynchronous code."""

import asyncio
import atexit
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import wait as wait_for_futures
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Final, TypeVar

from nemuri.client.client import Client
from nemuri.client.connection import connect
from nemuri.client.exchange import CallTimeoutError, ClientError, NotConnectedError
from nemuri.client.sync import EventLoopThread, SyncClient

R = TypeVar("R")
Work = Callable[[Client], Coroutine[Any, Any, R]]
"""A function that uses the client in the client's event loop."""
CLOSING_SECONDS: Final = 5.0
"""Maximum seconds for which the end of the program waits for work in the background."""
RETRY_SECONDS: Final = 30.0
"""Seconds after a failed attempt to connect in which no other one is made, so that an absent platform costs no time."""


class Connection:
    """A client and its event loop. Blocking and asynchronous code of any thread can use it.

    A connection of its own opens at the first use, and closes at the end of the program.
    """

    def __init__(
        self,
        client: Client | SyncClient | None = None,
        *,
        data: str | Path | None = None,
        namespace: str | None = None,
        client_id: str | None = None,
    ) -> None:
        """Use a client, or connect as `nemuri.connect` does.

        Args:
            client: A client that is open: of `nemuri.connect`, which must be passed in its own event loop, or of
                `nemuri.connect_sync`. None for a connection of its own.
            data: Data directory of the platform, for a connection of its own.
            namespace: Namespace of the platform, for a connection of its own.
            client_id: Name of the client, for a connection of its own.

        Raises:
            ClientError: A client of `nemuri.connect` is passed outside of an event loop.
        """
        self._options: dict[str, Any] = {"data": data, "namespace": namespace, "client_id": client_id}
        self._client: Client | None = client.client if isinstance(client, SyncClient) else client
        self._loop = _loop_of(client)
        self._starting, self._opening = threading.Lock(), asyncio.Lock()
        self._thread: EventLoopThread | None = None
        self._failure, self._failed_at = "", float("-inf")
        self._background: set[Future[Any]] = set()

    def run(self, work: Work[R], seconds: float | None = None) -> R:
        """Do some work with the client, wait for it, and return its result.

        Raises the errors of the work, `NotConnectedError` without a platform, `CallTimeoutError` after `seconds`, and
        `ClientError` in the event loop of the client, which would wait for itself.
        """
        if self._in_its_loop():
            raise ClientError("a blocking call in the event loop of its client; use the asynchronous method")
        future = self._begin(work)
        try:
            return future.result(seconds)
        except ClientError:
            raise
        except TimeoutError as error:
            raise CallTimeoutError(f"the memory did not answer within {seconds:g} s") from error
        finally:
            future.cancel()

    async def arun(self, work: Work[R], seconds: float | None = None) -> R:
        """Do some work with the client without blocking the caller's event loop, and return its result.

        Raises the errors of `run`.
        """
        try:
            async with asyncio.timeout(seconds):
                if self._in_its_loop():
                    return await self._with_client(work)
                return await asyncio.wrap_future(self._begin(work))
        except ClientError:
            raise
        except TimeoutError as error:
            raise CallTimeoutError(f"the memory did not answer within {seconds:g} s") from error

    def start(self, work: Work[R]) -> Future[R]:
        """Begin some work in the background, and return its future. The end of the program waits for it a little.

        Raises `NotConnectedError` if the event loop of the client is closed.
        """
        future = self._begin(work)
        self._background.add(future)
        future.add_done_callback(self._background.discard)
        return future

    def drain(self, seconds: float | None = None) -> bool:
        """Wait until the work in the background is done, at most `seconds`. Return False if some is left.

        It blocks, so call it outside of the event loop of the client.
        """
        return not wait_for_futures([*self._background], seconds).not_done

    def close(self) -> None:
        """Wait at most `CLOSING_SECONDS` for work in the background, and close a connection of its own."""
        self.drain(CLOSING_SECONDS)
        with self._starting:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._loop = None
        if thread is not None:
            atexit.unregister(self.close)
            thread.run(self._stack.aclose())
            thread.close()
            self._client = None

    def _begin(self, work: Work[R]) -> Future[R]:
        with self._starting:
            if self._loop is None:
                self._thread, self._opening, self._stack = EventLoopThread(), asyncio.Lock(), AsyncExitStack()
                self._loop = self._thread.run(_running_loop())
                atexit.register(self.close)
            if self._loop.is_closed():
                raise NotConnectedError("the event loop of the client is closed; connect again")
            return asyncio.run_coroutine_threadsafe(self._with_client(work), self._loop)

    def _in_its_loop(self) -> bool:
        try:
            return asyncio.get_running_loop() is self._loop
        except RuntimeError:
            return False

    async def _with_client(self, work: Work[R]) -> R:
        async with self._opening:
            client = self._client = self._client or await self._opened()
        return await work(client)

    async def _opened(self) -> Client:
        """Return an open client. Raises `NotConnectedError` at once for some time after an attempt that failed."""
        now = asyncio.get_running_loop().time()
        if now - self._failed_at < RETRY_SECONDS:
            raise NotConnectedError(self._failure)
        try:
            return await self._stack.enter_async_context(connect(**self._options))
        except ClientError as error:
            self._failure, self._failed_at = str(error), now
            raise


def connection_of(client: Connection | Client | SyncClient | None) -> Connection:
    """Return the connection that an adapter uses: the given one, or one with the given client, or one of its own."""
    return client if isinstance(client, Connection) else Connection(client)


def _loop_of(client: Client | SyncClient | None) -> asyncio.AbstractEventLoop | None:
    if isinstance(client, SyncClient):
        loop: asyncio.AbstractEventLoop = client.run(_running_loop())
        return loop
    if client is None:
        return None
    try:
        return asyncio.get_running_loop()
    except RuntimeError as error:
        raise ClientError("pass a client of nemuri.connect in its event loop, or use nemuri.connect_sync") from error


async def _running_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()
