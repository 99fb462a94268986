"""Fair turns: work that only so many can do at the same time is shared among those who ask for it."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic

FLOWING = 50
"""Turns of one party that end within a second: its line moves so fast that those behind it may wait."""
WARM_UP = 1.0
"""Seconds until a party that has just begun is judged by how fast its line moves."""
LOOK = 0.25
"""Seconds after which whoever waits at the end of a long line looks again whether it moves."""
LONGEST_DELAY = 30.0
"""Seconds after which whoever was sent away comes again, at most."""
OBSERVED = 10.0
"""Seconds over which it is counted how fast a line moves."""
TROUBLED = 32
"""Events of one party that are put off because something is missing; its other events are not tried meanwhile."""
FORGOTTEN = 60.0
"""Seconds after an event that was put off should have come again: another worker has it, or nobody."""

MANY = 1_000
"""Parties that are known at the same time before those that are not needed are looked for."""


class CrowdedError(Exception):
    """The party has as much in work and in line as it may; `delay` seconds later there may be room."""

    def __init__(self, delay: float) -> None:
        super().__init__("too much at once")
        self.delay = delay


@dataclass(slots=True)
class _Party:
    """One of those who ask: a client, or a task whose client is not known."""

    since: float
    running: int = 0
    line: deque["asyncio.Future[None]"] = field(default_factory=deque)
    ended: deque[float] = field(default_factory=lambda: deque(maxlen=10 * FLOWING))
    due: float = 0.0
    """When the last of those who were sent away comes again."""
    troubled: dict[int, float] = field(default_factory=dict)
    """Events that were put off, and when each comes again."""
    delay: float = 0.0
    """For how long the last of them was put off."""

    def flows(self, now: float) -> bool:
        """Whether the line moves so fast that it needs no limit."""
        recent = len(self.ended) >= FLOWING and self.ended[-FLOWING] > now - 1.0
        return recent or now - self.since < WARM_UP

    def sent_away(self, now: float) -> float:
        """Seconds until one more who is sent away comes again: as far apart as turns end."""
        pace = sum(1 for each in self.ended if each > now - OBSERVED) / OBSERVED
        self.due = max(now + 1.0, self.due + 1.0 / max(1.0, pace))
        return min(LONGEST_DELAY, self.due - now)

    @property
    def idle(self) -> bool:
        return not (self.running or self.line or self.troubled)


@dataclass(slots=True)
class _Held:
    """A turn that somebody has."""

    turns: "Turns"
    name: str
    given_back: bool = False


_held: ContextVar[_Held | None] = ContextVar("held", default=None)


@dataclass(slots=True)
class Turns:
    """Turns at work: at most `at_once` in all and `share` of one party; the party with the fewest is next.

    So whatever one party's work waits for, `at_once - share` turns are there for others. At most `line` of a party
    wait unless they are through soon; the others are sent away with `CrowdedError`, so that nobody stands behind them.
    """

    at_once: int
    share: int
    line: int
    patient: bool = True
    """Whether a line that moves fast may be longer."""
    running: int = 0
    closed: bool = False
    _parties: dict[str, _Party] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Whether somebody has to wait, or will be the next to."""
        return self.running >= self.share

    @asynccontextmanager
    async def turn(self, name: str) -> AsyncIterator[None]:
        """Wait for a turn of the party and have it for as long as the context lasts; raises `CrowdedError`."""
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
        """Raise `CrowdedError` for a further event of a party of which too many are put off already."""
        party = self._parties.get(name)
        if party is None or sequence in party.troubled:
            return
        now = monotonic()
        party.troubled = {each: due for each, due in party.troubled.items() if due + FORGOTTEN > now}
        if len(party.troubled) >= TROUBLED:
            raise CrowdedError(max(1.0, min(LONGEST_DELAY, party.delay)))

    def put_off(self, name: str, sequence: int, delay: float) -> None:
        """Note that an event of the party waits for something that is missing, and comes again after `delay`."""
        party = self._party(name)
        party.delay = delay
        if sequence in party.troubled or len(party.troubled) < TROUBLED:
            party.troubled[sequence] = monotonic() + delay

    def settled(self, name: str, sequence: int) -> None:
        """Note that an event of the party is through."""
        if (party := self._parties.get(name)) is not None:
            party.troubled.pop(sequence, None)
            self._forget(name)

    def close(self) -> None:
        """Send away all who are in line, and whoever comes."""
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
                self._give(name)  # the turn came in the moment in which we were cancelled
            elif place in party.line:
                party.line.remove(place)
            self._forget(name)
            raise

    async def _near(self, party: _Party, place: "asyncio.Future[None]") -> None:
        """Return once the place is among the first `line`; raises `CrowdedError` when that takes too long."""
        while not place.done() and party.line.index(place) >= self.line:
            now = monotonic()
            if not (self.patient and party.flows(now)):
                raise CrowdedError(party.sent_away(now))
            await asyncio.wait({place}, timeout=LOOK)

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
        """Give the turns that are free to those in line: first to the party that has the fewest."""
        while self.running < self.at_once:
            waiting = [each for each in self._parties.items() if each[1].line and each[1].running < self.share]
            if not waiting:
                return
            name, party = min(waiting, key=lambda each: each[1].running)
            self._parties[name] = self._parties.pop(name)  # the last one of equals the next time
            place = party.line.popleft()
            if not place.done():
                self._begin(party)
                place.set_result(None)

    def _party(self, name: str) -> _Party:
        if name not in self._parties:
            self._parties[name] = _Party(monotonic())
            if len(self._parties) > MANY:
                self._clean()
        return self._parties[name]

    def _clean(self) -> None:
        """Forget the parties of which nothing is left but events that others took over long ago."""
        now = monotonic()
        for party in self._parties.values():
            party.troubled = {each: due for each, due in party.troubled.items() if due + FORGOTTEN > now}
        for name in [*self._parties]:
            if name != next(reversed(self._parties)):
                self._forget(name)

    def _forget(self, name: str) -> None:
        if (party := self._parties.get(name)) is not None and party.idle:
            del self._parties[name]


@asynccontextmanager
async def aside() -> AsyncIterator[None]:
    """Let others have the turn of whoever calls for as long as the context lasts; nothing without a turn."""
    held = _held.get()
    if held is None:
        yield
        return
    held.turns._give(held.name)  # noqa: SLF001 - the two are one
    held.given_back = True
    try:
        yield
    finally:
        await held.turns._take(held.name, again=True)  # noqa: SLF001
        held.given_back = False
