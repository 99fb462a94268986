"""The time that one call of the client has in total, whatever it does in it."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


class Expired(TimeoutError):  # noqa: N818 - never leaves the client
    """The time of a call is up. The client's methods raise a `ClientError` instead of it."""


@dataclass(slots=True)
class Call:
    """A call with a deadline."""

    end: float
    """By the clock of the event loop."""
    around: "Call | None"
    sent: UUID | None = None
    """The id of the last event that was sent in it, acknowledged or not."""

    @property
    def seconds_left(self) -> float:
        """The seconds until its deadline; 0 or less once it is over."""
        return self.end - asyncio.get_running_loop().time()


_call: ContextVar[Call | None] = ContextVar("call", default=None)


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[Call]:
    """Let everything inside end within so many seconds, or within what an outer call has left; None adds no deadline.

    Raises `Expired`. What waits is cancelled. A cancellation can be lost in a driver (before Python 3.12), so whoever
    begins something inside asks `time_left` first.
    """
    around = _call.get()
    now = asyncio.get_running_loop().time()
    end = min(math.inf if seconds is None else now + seconds, around.end if around else math.inf)
    call = Call(end, around)
    token = _call.set(call)
    try:
        async with asyncio.timeout_at(None if end == math.inf else end):
            yield call
    except Expired:
        raise
    except TimeoutError as error:
        if call.seconds_left > 0:
            raise
        raise Expired from error
    finally:
        _call.reset(token)


def time_left(limit: float) -> float:
    """Return the seconds that the present call has left, at most `limit`. Raises `Expired` if there are none."""
    call = _call.get()
    if call is None:
        return limit
    if call.seconds_left <= 0:
        raise Expired
    return min(limit, call.seconds_left)


def is_over() -> bool:
    """Return whether the present call has no time left."""
    call = _call.get()
    return call is not None and call.seconds_left <= 0


def note_sent(event_id: UUID) -> None:
    """Note that an event is on its way, in the present call and in those around it."""
    call = _call.get()
    while call is not None:
        call.sent = event_id
        call = call.around
