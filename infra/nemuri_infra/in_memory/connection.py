"""A connection to a server that is this process: it passes messages from publishers to subscribers in memory."""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from nats.aio.msg import Msg
from nats.errors import ConnectionClosedError, NoRespondersError

from nemuri_infra.errors.not_in_memory import NotInMemoryError

Responder = Callable[[bytes], Awaitable[bytes]]
"""Function that returns the reply to a request."""


class NoServer:
    """The stand-in for a server, or for tables, that do not exist."""

    def __getattr__(self, name: str) -> Any:
        raise NotInMemoryError(f"this needs NATS or PostgreSQL (`{name}`), but the platform is in memory")


@dataclass(slots=True, eq=False)
class Subscription:
    """The messages on a subject since the subscription began."""

    connection: "InMemoryConnection"
    subject: str
    waiting: "asyncio.Queue[Msg]" = field(default_factory=asyncio.Queue)

    async def next_msg(self, timeout: float | None = 1.0) -> Msg:
        """Return the next message. Raises TimeoutError after `timeout` seconds without one."""
        async with asyncio.timeout(timeout):
            return await self.waiting.get()

    async def unsubscribe(self) -> None:
        """End the subscription."""
        self.connection.subscriptions[self.subject].remove(self)


@dataclass(slots=True)
class InMemoryConnection:
    """A connection within the process. Whoever uses the same object is connected."""

    subscriptions: defaultdict[str, list[Subscription]] = field(default_factory=lambda: defaultdict(list))
    responders: dict[str, Responder] = field(default_factory=dict)
    """The function that answers the requests on each subject."""
    is_closed: bool = False

    @property
    def is_connected(self) -> bool:
        """Return True until the connection is closed."""
        return not self.is_closed

    async def close(self) -> None:
        """Close the connection for all who use it."""
        self.is_closed = True

    async def subscribe(self, subject: str) -> Subscription:
        """Return a subscription to one subject."""
        subscription = Subscription(self, subject)
        self.subscriptions[subject].append(subscription)
        return subscription

    async def publish(self, subject: str, payload: bytes = b"") -> None:
        """Pass a message to all subscriptions to its subject."""
        self._check_open()
        message = Msg(_client=NoServer(), subject=subject, data=payload)  # type: ignore[arg-type]
        for subscription in self.subscriptions.get(subject, ()):
            subscription.waiting.put_nowait(message)

    async def request(self, subject: str, payload: bytes = b"", timeout: float = 1.0) -> Msg:
        """Return the reply to a request. Raises `NoRespondersError` if nobody answers on the subject, and TimeoutError
        after `timeout` seconds.
        """
        self._check_open()
        if (responder := self.responders.get(subject)) is None:
            raise NoRespondersError
        async with asyncio.timeout(timeout):
            reply = await responder(payload)
        return Msg(_client=NoServer(), subject=subject, data=reply)  # type: ignore[arg-type]

    def _check_open(self) -> None:
        if self.is_closed:
            raise ConnectionClosedError
