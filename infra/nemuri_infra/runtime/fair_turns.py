"""Fair scheduling of a limited number of concurrent slots among clients."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

FAST_TURNS_PER_SECOND = 50
"""Turns of one party per second from which its queue may exceed the limit."""
WARM_UP_SECONDS = 1.0
"""Seconds during which the speed of a new party's queue is not judged."""
CHECK_SECONDS = 0.25
"""Seconds between two checks of a waiter beyond the queue's limit."""
MAX_DELAY_SECONDS = 30.0
"""Maximum number of seconds until a rejected request is retried."""
SPEED_WINDOW_SECONDS = 10.0
"""Seconds of the window in which the speed of a queue is measured."""
MAX_PUT_OFF = 32
"""Maximum number of events of one party that are put off because something is missing. At the limit its other events
are not tried.
"""
FORGET_SECONDS = 60.0
"""Seconds after the due time of an event that was put off until it is forgotten. Another worker has handled it, or none
will.
"""

MAX_KNOWN_PARTIES = 1_000
"""Number of known parties above which idle ones are removed."""


class CrowdedError(Exception):
    """The party has too much in work and in its queue. Retry after `delay` seconds."""

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
    """Monotonic time at which the last rejected request is retried."""
    troubled: dict[int, float] = field(default_factory=dict)
    """Sequences of events that were put off, with the monotonic time of their redelivery."""
    delay: float = 0.0
    """Seconds by which the last of them was put off."""

    def flows(self, now: float) -> bool:
        """Return whether the queue moves fast enough to need no limit."""
        recent = len(self.ended) >= FAST_TURNS_PER_SECOND and self.ended[-FAST_TURNS_PER_SECOND] > now - 1.0
        return recent or now - self.since < WARM_UP_SECONDS

    def sent_away(self, now: float) -> float:
        """Return the seconds until one more rejected request may retry. Retries are spaced like the ends of turns."""
        pace = sum(1 for each in self.ended if each > now - SPEED_WINDOW_SECONDS) / SPEED_WINDOW_SECONDS
        self.due = max(now + 1.0, self.due + 1.0 / max(1.0, pace))
        return min(MAX_DELAY_SECONDS, self.due - now)

    @property
    def idle(self) -> bool:
        return not (self.running or self.line or self.troubled)


@dataclass(slots=True)
class _Held:
    """A turn that a coroutine holds."""

    turns: "FairSlots"
    name: str
    given_back: bool = False


_held: ContextVar[_Held | None] = ContextVar("held", default=None)


@dataclass(slots=True)
class FairSlots:
    """A fair semaphore: at most `at_once` turns in all and `share` of one party; a free turn goes to the party with the
    fewest.

    One party can never block others, since `at_once - share` turns stay free for them. At most `line` waiters of a
    party queue, except while its queue moves fast. Further ones get a `CrowdedError`, so they do not block messages
    behind them.
    """

    at_once: int
    share: int
    line: int
    patient: bool = True
    """Whether a fast-moving queue may exceed `line`."""
    running: int = 0
    closed: bool = False
    _parties: dict[str, _Party] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Return whether a party may have to wait for its next turn."""
        return self.running >= self.share

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of the party and hold it during the context. Raises `CrowdedError`."""
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
        """Raise `CrowdedError` for a further event of a party that has too many events put off."""
        party = self._parties.get(name)
        if party is None or sequence in party.troubled:
            return
        now = monotonic()
        party.troubled = {each: due for each, due in party.troubled.items() if due + FORGET_SECONDS > now}
        if len(party.troubled) >= MAX_PUT_OFF:
            raise CrowdedError(max(1.0, min(MAX_DELAY_SECONDS, party.delay)))

    def put_off(self, name: str, sequence: int, delay: float) -> None:
        """Record that an event of the party waits for missing data and is redelivered after `delay` seconds."""
        party = self._party(name)
        party.delay = delay
        if sequence in party.troubled or len(party.troubled) < MAX_PUT_OFF:
            party.troubled[sequence] = monotonic() + delay

    def settled(self, name: str, sequence: int) -> None:
        """Record that an event of the party is done."""
        if (party := self._parties.get(name)) is not None:
            party.troubled.pop(sequence, None)
            self._forget(name)

    def close(self) -> None:
        """Reject all waiters and all later requests."""
        self.closed = True
        for party in self._parties.values():
            for place in party.line:
                if not place.done():
                    place.set_exception(CrowdedError(0.0))

    async def _take(self, name: str, *, again: bool = False) -> None:
        if self.closed and not again:
            raise CrowdedError(0.0)
        party = self._party(name)
        if self.running < self.at_once and party.running < self.share and not party.line:
            self._begin(party)
            return
        place = asyncio.get_running_loop().create_future()
        party.line.append(place)
        try:
            if not again:
                await self._near(party, place)
            await place
        except BaseException as error:
            if place.done() and not place.cancelled() and not isinstance(error, CrowdedError):
                self._give(name)  # the turn was granted while the waiter was being cancelled
            elif place in party.line:
                party.line.remove(place)
            self._forget(name)
            raise

    async def _near(self, party: _Party, place: "asyncio.Future[None]") -> None:
        """Wait until the place is among the first `line`. Raises `CrowdedError` if the queue moves too slowly."""
        while not place.done() and party.line.index(place) >= self.line:
            now = monotonic()
            if not (self.patient and party.flows(now)):
                raise CrowdedError(party.sent_away(now))
            await asyncio.wait({place}, timeout=CHECK_SECONDS)

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
        """Grant the free turns to waiters, first to the party that has the fewest turns."""
        while self.running < self.at_once:
            waiting = [each for each in self._parties.items() if each[1].line and each[1].running < self.share]
            if not waiting:
                return
            name, party = min(waiting, key=lambda each: each[1].running)
            self._parties[name] = self._parties.pop(name)  # equal parties take turns
            place = party.line.popleft()
            if not place.done():
                self._begin(party)
                place.set_result(None)

    def _party(self, name: str) -> _Party:
        if name not in self._parties:
            self._parties[name] = _Party(monotonic())
            if len(self._parties) > MAX_KNOWN_PARTIES:
                self._clean()
        return self._parties[name]

    def _clean(self) -> None:
        """Remove the parties whose put-off events were all taken over by others long ago."""
        now = monotonic()
        for party in self._parties.values():
            party.troubled = {each: due for each, due in party.troubled.items() if due + FORGET_SECONDS > now}
        for name in [*self._parties]:
            if name != next(reversed(self._parties)):
                self._forget(name)

    def _forget(self, name: str) -> None:
        if (party := self._parties.get(name)) is not None and party.idle:
            del self._parties[name]


@asynccontextmanager
async def slot_released() -> AsyncIterator[None]:
    """Release the caller's turn during the context and take it again afterwards. Does nothing without a turn."""
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
