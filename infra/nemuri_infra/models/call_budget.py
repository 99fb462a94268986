"""What handling an event costs in replies of models: nothing is paid for twice, and not without end."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from sys import getsizeof

from nemuri_contracts.event import Event
from nemuri_infra.models.protocol import Chat, Reply
from nemuri_infra.process.byte_cache import ByteCache

KEPT_BYTES = 64 * 1024 * 1024
"""Bytes of questions and replies that a process keeps for events that wait; those kept first are paid for again."""
REPLY_BYTES = 1_500
"""What a reply takes beside its texts."""


class SpentError(Exception):
    """As many replies of models were made for the event as may be, and it is not done."""


Asked = tuple[str, str, str, int]
"""The name of a chat, the system's and the user's words, and the most tokens of a reply."""


@dataclass(slots=True)
class Spending:
    """The replies that were made for one event."""

    limit: int
    calls: int = 0
    """Replies that came, usable or not."""
    replies: dict[Asked, Reply[str]] = field(default_factory=dict)
    """The usable ones, by what was asked."""

    def ask(self) -> None:
        """Raise `SpentError` when no further reply may be asked for."""
        if self.calls >= self.limit:
            raise SpentError(f"{self.calls} replies of models were made for it, and no more are allowed")


@dataclass(slots=True)
class Spendings:
    """The spendings on events that were put off, so that their next try begins with what this one was answered."""

    limit: int
    _known: ByteCache[tuple[str, int], Spending] = field(default_factory=lambda: ByteCache(KEPT_BYTES, _bytes))

    def of(self, service: str, event: Event, calls: int) -> Spending:
        """What was spent on the event: here, or by `calls` in other processes."""
        spent = self._known.get((service, event.sequence or 0)) or Spending(self.limit)
        spent.calls = max(spent.calls, calls)
        return spent

    def keep(self, service: str, event: Event, spent: Spending, *, waits: bool) -> None:
        """Keep it for the next try of an event that waits; after a fault, or in the end, replies are forgotten."""
        if waits and spent.replies:
            self._known.keep((service, event.sequence or 0), spent)
        else:
            self._known.drop((service, event.sequence or 0))


def _bytes(_: tuple[str, int], spent: Spending) -> int:
    texts = [each for asked, reply in spent.replies.items() for each in (*asked[:-1], reply.value)]
    return sum(map(getsizeof, texts)) + REPLY_BYTES * len(spent.replies)


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
