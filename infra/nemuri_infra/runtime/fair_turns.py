"""Fair scheduling of a limited number of slots among clients.

A party (a client) asks for a turn: the use of one slot for one event or query.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

FAST_TURNS_PER_SECOND = 50
"""Number of a party's turns that must have ended in the last second for its queue to be allowed to exceed the limit."""
WARM_UP_SECONDS = 1.0
"""Seconds after a party's first request in which its queue may exceed the limit at any speed."""
CHECK_SECONDS = 0.25
"""Seconds between two checks whether a request beyond the queue's limit may stay in the queue."""
MAX_DELAY_SECONDS = 30.0
"""Maximum number of seconds after which a rejected request should be retried."""
SPEED_WINDOW_SECONDS = 10.0
"""Length in seconds of the window in which the ended turns of a party are counted."""
MAX_PUT_OFF = 32
"""Maximum number of a party's events that wait for redelivery because a dependency is missing.

At this number the other events of the party are rejected without being handled, and are redelivered later.
"""
FORGET_SECONDS = 60.0
"""Seconds after the due time of a redelivery, after which the event is forgotten.

By then another worker has handled the event, or none will.
"""

MAX_KNOWN_PARTIES = 1_000
"""Number of remembered parties above which idle ones are removed."""


class CrowdedError(Exception):
    """The party has too many requests in work and in its queue. Retry after `delay` seconds."""

    def __init__(self, delay: float) -> None:
        super().__init__("too many concurrent requests")
        self.delay = delay


@dataclass(slots=True)
class _Party:
    """One party that asks for turns: a client, or a task whose client is not known."""

    since: float
    running: int = 0
    line: deque["asyncio.Future[None]"] = field(default_factory=deque)
    ended: deque[float] = field(default_factory=lambda: deque(maxlen=10 * FAST_TURNS_PER_SECOND))
    due: float = 0.0
    """Monotonic time in seconds at which the last rejected request may retry."""
    postponed: dict[int, float] = field(default_factory=dict)
    """Sequences of the events that wait for redelivery, with the monotonic time in seconds at which each is due."""
    delay: float = 0.0
    """Seconds until the redelivery of the event that was put off last."""

    def moves_fast(self, now: float) -> bool:
        """Return whether the party's queue may exceed its limit, because its turns end quickly or because the party is
        new.
        """
        recent = len(self.ended) >= FAST_TURNS_PER_SECOND and self.ended[-FAST_TURNS_PER_SECOND] > now - 1.0
        return recent or now - self.since < WARM_UP_SECONDS

    def retry_delay(self, now: float) -> float:
        """Schedule the retry of one more rejected request and return the seconds until then, 1 to `MAX_DELAY_SECONDS`.

        The retries of a party are spaced like its ended turns, and at most one second apart.
        """
        pace = sum(1 for moment in self.ended if moment > now - SPEED_WINDOW_SECONDS) / SPEED_WINDOW_SECONDS
        self.due = max(now + 1.0, self.due + 1.0 / max(1.0, pace))
        return min(MAX_DELAY_SECONDS, self.due - now)

    @property
    def idle(self) -> bool:
        return not (self.running or self.line or self.postponed)


@dataclass(slots=True)
class _Held:
    """A turn that a coroutine holds."""

    turns: "FairSlots"
    name: str
    given_back: bool = False


_held: ContextVar[_Held | None] = ContextVar("held", default=None)


@dataclass(slots=True)
class FairSlots:
    """A fair semaphore: at most `capacity` turns are held at a time, and at most `share` of them by one party.

    A free turn goes to the waiting party that holds the fewest turns. One party can never block the others, because
    `capacity - share` turns stay free for them. At most `max_queue` requests of a party wait in its queue; more may
    wait while the queue moves fast. A further request raises `CrowdedError`, so it does not block the messages behind
    it.
    """

    capacity: int
    share: int
    max_queue: int
    patient: bool = True
    """True if a fast-moving queue may exceed `max_queue`."""
    running: int = 0
    closed: bool = False
    _parties: dict[str, _Party] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Return whether so many turns are held that a party may have to wait for its next one."""
        return self.running >= self.share

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of the party and hold it during the context.

        Raises `CrowdedError` if too many requests of the party wait, or if the semaphore is closed.
        """
        await self._take(name)
        held = _Held(self, name)
        token = _held.set(held)
        try:
            yield
        finally:
            _held.reset(token)
            if not held.given_back:
                self._give(name)

    def admit(self, name: str, sequence: int) -> None:
        """Raise `CrowdedError` if `MAX_PUT_OFF` other events of the party wait for redelivery."""
        party = self._parties.get(name)
        if party is None or sequence in party.postponed:
            return
        now = monotonic()
        party.postponed = {
            postponed_name: due for postponed_name, due in party.postponed.items() if due + FORGET_SECONDS > now
        }
        if len(party.postponed) >= MAX_PUT_OFF:
            raise CrowdedError(max(1.0, min(MAX_DELAY_SECONDS, party.delay)))

    def put_off(self, name: str, sequence: int, delay: float) -> None:
        """Record that an event of the party lacks a dependency and is redelivered after `delay` seconds."""
        party = self._party(name)
        party.delay = delay
        if sequence in party.postponed or len(party.postponed) < MAX_PUT_OFF:
            party.postponed[sequence] = monotonic() + delay

    def forget_event(self, name: str, sequence: int) -> None:
        """Record that an event of the party was handled or given up, so that it is not waited for any more."""
        if (party := self._parties.get(name)) is not None:
            party.postponed.pop(sequence, None)
            self._forget(name)

    def close(self) -> None:
        """Reject all waiting and all later requests with a `CrowdedError`."""
        self.closed = True
        for party in self._parties.values():
            for waiter in party.line:
                if not waiter.done():
                    waiter.set_exception(CrowdedError(0.0))

    async def _take(self, name: str, *, again: bool = False) -> None:
        if self.closed and not again:
            raise CrowdedError(0.0)
        party = self._party(name)
        if self.running < self.capacity and party.running < self.share and not party.line:
            self._begin(party)
            return
        waiter = asyncio.get_running_loop().create_future()
        party.line.append(waiter)
        try:
            if not again:
                await self._near(party, waiter)
            await waiter
        except BaseException as error:
            if waiter.done() and not waiter.cancelled() and not isinstance(error, CrowdedError):
                self._give(name)  # the turn was granted while the waiter was being cancelled
            elif waiter in party.line:
                party.line.remove(waiter)
            self._forget(name)
            raise

    async def _near(self, party: _Party, waiter: "asyncio.Future[None]") -> None:
        """Wait until the request `waiter` is among the first `max_queue` requests in the party's queue.

        Raises `CrowdedError` if the queue moves too slowly. If `patient` is false, raises it at once.
        """
        while not waiter.done() and party.line.index(waiter) >= self.max_queue:
            now = monotonic()
            if not (self.patient and party.moves_fast(now)):
                raise CrowdedError(party.retry_delay(now))
            await asyncio.wait({waiter}, timeout=CHECK_SECONDS)

    def _begin(self, party: _Party) -> None:
        self.running += 1
        party.running += 1

    def _give(self, name: str) -> None:
        party = self._parties[name]
        self.running -= 1
        party.running -= 1
        party.ended.append(monotonic())
        self._next()
        self._forget(name)

    def _next(self) -> None:
        """Grant the free turns to waiting requests, each to the party that holds the fewest turns."""
        while self.running < self.capacity:
            waiting = [entry for entry in self._parties.items() if entry[1].line and entry[1].running < self.share]
            if not waiting:
                return
            name, party = min(waiting, key=lambda entry: entry[1].running)
            self._parties[name] = self._parties.pop(name)  # parties with equally many turns alternate
            waiter = party.line.popleft()
            if not waiter.done():
                self._begin(party)
                waiter.set_result(None)

    def _party(self, name: str) -> _Party:
        if name not in self._parties:
            self._parties[name] = _Party(monotonic())
            if len(self._parties) > MAX_KNOWN_PARTIES:
                self._clean()
        return self._parties[name]

    def _clean(self) -> None:
        """Forget the events whose redelivery was due long ago, and remove the parties that are idle then."""
        now = monotonic()
        for party in self._parties.values():
            party.postponed = {
                postponed_name: due for postponed_name, due in party.postponed.items() if due + FORGET_SECONDS > now
            }
        for name in [*self._parties]:
            if name != next(reversed(self._parties)):
                self._forget(name)

    def _forget(self, name: str) -> None:
        if (party := self._parties.get(name)) is not None and party.idle:
            del self._parties[name]


@asynccontextmanager
async def slot_released() -> AsyncIterator[None]:
    """Release the caller's turn during the context, then wait until the caller has a turn again.

    Does nothing if the caller holds no turn.
    """
    held = _held.get()
    if held is None:
        yield
        return
    held.turns._give(held.name)  # noqa: SLF001 - same module
    held.given_back = True
    try:
        yield
    finally:
        await held.turns._take(held.name, again=True)  # noqa: SLF001
        held.given_back = False
