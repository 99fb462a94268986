"""The budget of model replies for one event, and a cache of the event's replies, so that none is paid for twice."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from sys import getsizeof

from nemuri_contracts.event import Event, Usage
from nemuri_domain.tasks.spent_usage import Limit, Spent
from nemuri_infra.models.chat import ChatReply, ChatRequest, Reply
from nemuri_infra.process.byte_cache import ByteCache

CACHE_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of the prompts and replies that a process caches for waiting events.

Above it the least recently used ones are removed, and their replies must be paid for again.
"""
REPLY_BYTES = 1_500
"""Estimated size in bytes of a cached reply without its texts."""


class SpentError(Exception):
    """The event needs more model replies than its budget allows."""


LoadLimits = Callable[[], Awaitable[Sequence[Limit]]]
"""Function that returns the budgets of an event's task and agent, with what was spent of them before the event."""
RequestKey = tuple[str, ChatRequest]
"""Name of the chat, and the request."""


@dataclass(slots=True)
class CallBudget:
    """The model replies that the handling of one event has used, and the maximum."""

    limit: int
    load_limits: LoadLimits | None = None
    """Function that returns the budgets of the event's task and agent; None if there are none."""
    paid: Spent = field(default_factory=Spent)
    """The usage of handling the event so far."""
    calls: int = 0
    """Number of replies so far, usable or not."""
    replies: dict[RequestKey, Reply[ChatReply]] = field(default_factory=dict)
    """Usable replies by request. A later attempt of the event gets them without a call."""
    _limits: Sequence[Limit] | None = None

    async def limits(self) -> Sequence[Limit]:
        """Return the budgets of the event's task and agent. An attempt loads them once, before its first call."""
        if self._limits is None:
            self._limits = await self.load_limits() if self.load_limits else ()
        return self._limits

    def pay(self, usage: Usage | None) -> None:
        """Add the usage of a reply, if it is known."""
        if usage is not None:
            self.paid += Spent.by([usage])

    def check(self) -> None:
        """Raise `SpentError` if the event has used its budget. Called before every call of a model."""
        if self.calls >= self.limit:
            raise SpentError(f"{self.calls} model replies were used for it, the maximum")


@dataclass(slots=True)
class CallBudgets:
    """A cache of the budgets of waiting events, so that the next attempt at an event reuses its replies."""

    limit: int
    _known: ByteCache[tuple[str, int], CallBudget] = field(default_factory=lambda: ByteCache(CACHE_BYTES, _bytes))

    def of(self, service: str, event: Event, calls: int, load_limits: LoadLimits | None = None) -> CallBudget:
        """Return the cached budget of the event, or a new one, for one more attempt.

        `calls` is the number of replies that is stored for the event and includes those of other processes. The budget
        counts at least as many.
        """
        known = self._known.get((service, event.sequence or 0)) or CallBudget(self.limit)
        spent = replace(known, load_limits=load_limits, _limits=None)
        spent.calls = max(spent.calls, calls)
        return spent

    def keep(self, service: str, event: Event, spent: CallBudget, *, waits: bool) -> None:
        """Cache the budget for the next attempt if the event waits (`waits`); otherwise remove it from the cache."""
        if waits and spent.replies:
            self._known.keep((service, event.sequence or 0), spent)
        else:
            self._known.drop((service, event.sequence or 0))


def _bytes(_: tuple[str, int], spent: CallBudget) -> int:
    texts = [text for (_, asked), reply in spent.replies.items() for text in (*asked.texts, reply.value.text)]
    return sum(map(getsizeof, texts)) + REPLY_BYTES * len(spent.replies)


_current: ContextVar[CallBudget | None] = ContextVar("count_replies", default=None)


@contextmanager
def count_replies(spent: CallBudget) -> Iterator[None]:
    """Count all model replies during the context in the budget `spent`."""
    token = _current.set(spent)
    try:
        yield
    finally:
        _current.reset(token)


def current_budget() -> CallBudget | None:
    """Return the budget of the event that is being handled; None if no event is being handled."""
    return _current.get()
