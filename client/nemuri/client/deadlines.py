"""The deadline of one call of the client, shared by everything that the call does."""

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID


class Expired(TimeoutError):  # noqa: N818 - never leaves the client
    """The time of a call is up. It never leaves the client: its methods raise a `ClientError` instead."""


@dataclass(slots=True)
class TimedCall:
    """A call with a deadline."""

    end: float
    """The deadline, by the clock of the event loop."""
    enclosing: "TimedCall | None"
    sent: UUID | None = None
    """Id of the last event that was sent in this call, acknowledged or not."""

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; 0 or less after it."""
        return self.end - asyncio.get_running_loop().time()


_call: ContextVar[TimedCall | None] = ContextVar("call", default=None)


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[TimedCall]:
    """Limit the block to `seconds`, and to the time that an enclosing `within` has left.

    With None only the enclosing limit holds. At the deadline the pending work is cancelled and `Expired` is raised. The
    NATS driver can lose the cancellation (before Python 3.12), so the block calls `time_left` before it starts
    something new.
    """
    around = _call.get()
    now = asyncio.get_running_loop().time()
    end = min(math.inf if seconds is None else now + seconds, around.end if around else math.inf)
    call = TimedCall(end, around)
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
    """Return the seconds that the current call has left, at most `limit`. Raises `Expired` if there are none."""
    call = _call.get()
    if call is None:
        return limit
    if call.seconds_left <= 0:
        raise Expired
    return min(limit, call.seconds_left)


def is_over() -> bool:
    """Return true if the current call has no time left."""
    call = _call.get()
    return call is not None and call.seconds_left <= 0


def note_sent(event_id: UUID) -> None:
    """Record in the current call and in all outer calls that an event is being sent."""
    call = _call.get()
    while call is not None:
        call.sent = event_id
        call = call.enclosing
