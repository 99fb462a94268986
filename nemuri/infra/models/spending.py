"""What handling an event costs in replies of models: nothing is paid for twice, and not without end."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from cachetools import LRUCache

from nemuri.contracts.event import Event
from nemuri.infra.models.protocol import Chat, Reply

EVENTS = 1_000
"""Events that wait for something while this process keeps the replies that were made for them."""


class SpentError(Exception):
    """As many replies of models were made for the event as may be, and it is not done."""


@dataclass(slots=True)
class Spending:
    """The replies that were made for one event."""

    limit: int
    calls: int = 0
    """Replies that came, usable or not."""
    replies: dict[Hashable, Reply[str]] = field(default_factory=dict)
    """The usable ones, by what was asked."""

    def ask(self) -> None:
        """Raise `SpentError` when no further reply may be asked for."""
        if self.calls >= self.limit:
            raise SpentError(f"{self.calls} replies of models were made for it, and no more are allowed")


@dataclass(slots=True)
class Spendings:
    """The spendings on events that were put off, so that their next try begins with what this one was answered."""

    limit: int
    _known: LRUCache[tuple[str, int], Spending] = field(default_factory=lambda: LRUCache(EVENTS))

    def of(self, service: str, event: Event, calls: int) -> Spending:
        """What was spent on the event: here, or by `calls` in other processes."""
        spent = self._known.get((service, event.sequence or 0)) or Spending(self.limit)
        spent.calls = max(spent.calls, calls)
        return spent

    def keep(self, service: str, event: Event, spent: Spending, *, waits: bool) -> None:
        """Keep it for the next try of an event that waits; after a fault, or in the end, replies are forgotten."""
        if waits and spent.replies:
            self._known[service, event.sequence or 0] = spent
        else:
            self._known.pop((service, event.sequence or 0), None)


_current: ContextVar[Spending | None] = ContextVar("spending", default=None)


@contextmanager
def spending(spent: Spending) -> Iterator[None]:
    """What models reply is counted here for as long as the context lasts."""
    token = _current.set(spent)
    try:
        yield
    finally:
        _current.reset(token)


def current() -> Spending | None:
    """The spending on the event that is being handled; None outside of one."""
    return _current.get()


class Remembering:
    """The chat behind it, asked once for the same within the handling of one event, however often that is tried."""

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    @property
    def name(self) -> str:
        """The name of the chat behind it."""
        return self._chat.name

    async def complete(self, system: str, user: str, max_tokens: int, *, steady: bool = False) -> Reply[str]:
        """As the chat behind it, or what it said to the same before."""
        spent, asked = current(), (self.name, system, user, max_tokens)
        if spent is not None and asked in spent.replies:
            return spent.replies[asked]
        reply = await self._chat.complete(system, user, max_tokens, steady=steady)
        if spent is not None:
            spent.replies[asked] = reply
        return reply

    async def aclose(self) -> None:
        """Close the chat behind it."""
        await self._chat.aclose()
