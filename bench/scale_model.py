"""A simulation of one shard: arrivals, the log, the services that answer events, and the projector, on a few cores.

It needs no server and no clock. Everything that a part does takes CPU seconds of cores that all parts share in turns,
and some of it waiting that takes no core (a disk, a network). Equal seeds give equal results.
"""

import heapq
import math
import random
import statistics
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

BATCH: Final = 1_000
"""Maximum number of events that the projector folds together, as the real one."""
SLICE: Final = 1e-3
"""CPU seconds after which a core turns to the next part that wants to run."""
Action = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds of one part: of each batch of the projector, of each event, and of each group of events in a batch that
    are worked on together, such as the rows of a statement. The more events a batch has, the fewer groups are new.
    """

    batch: float = 0.0
    event: float = 0.0
    group: float = 0.0
    groups: int = 1
    """Number of groups, all of the same size, to which events belong at random."""

    def of(self, events: int) -> float:
        """Return the seconds of a batch."""
        return self.batch + self.event * events + self.group * groups_among(events, self.groups)

    def stretched(self, factor: float) -> "Cost":
        """Return the cost where each second takes `factor` seconds."""
        return replace(self, batch=self.batch * factor, event=self.event * factor, group=self.group * factor)


def groups_among(events: float, groups: int) -> float:
    """Return to how many of the groups so many events belong on average."""
    return groups * (1 - math.pow(1 - 1 / groups, events))


@dataclass(frozen=True, slots=True)
class Shard:
    """The costs of the parts of a shard. Times are in seconds."""

    projector: Cost
    database: Cost
    log: Cost
    client: Cost
    """CPU of whatever appends events, if it runs on the same machine."""
    append_wait: float = 0.0
    """Seconds without CPU that the log takes for one append after the other: the disk, and with copies the network."""
    batch_wait: Cost = Cost()
    """Seconds without CPU that a batch takes: the disk of the database, and the ways between the processes."""
    cores: int = 2
    in_flight: int = 512
    """Maximum number of events that a client has published without an acknowledgement."""
    step: float = 0.0
    """CPU seconds of the service that answers an event of a task with the next one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a simulated stretch of load."""

    arrived: int
    folded: int
    """Events that reached the tables in the end. Equal to those that arrived and to those that followed from them."""
    folded_per_second: float
    """Events that reached the tables before the last one was appended, divided by the seconds until then."""
    lag_ms: tuple[float, float, float]
    """Milliseconds from the time at which an event was due until it was in the tables: median, 95th percentile,
    maximum.
    """
    batches: int
    seconds: float
    """Simulated seconds until everything is folded."""
    busy: float
    """Share of all cores that was used, 0 to 1."""
    tasks_per_second: float
    """Arrivals of which all steps are in the tables, divided by all seconds."""


@dataclass(slots=True)
class Timeline:
    """Everything that is to happen, in the order of time."""

    now: float = 0.0
    _due: list[tuple[float, int, Action]] = field(default_factory=list)
    _number: int = 0

    def after(self, seconds: float, action: Action) -> None:
        """Call `action` when so many seconds have passed. Actions of the same moment are called in their order."""
        self._number += 1
        heapq.heappush(self._due, (self.now + seconds, self._number, action))

    def run(self) -> None:
        """Let everything happen until nothing is left."""
        while self._due:
            self.now, _, action = heapq.heappop(self._due)
            action()


@dataclass(slots=True)
class Cores:
    """Cores that take turns between all that wants to run."""

    timeline: Timeline
    free: int
    used: float = 0.0
    _waiting: deque[tuple[float, Action]] = field(default_factory=deque)

    def work(self, seconds: float, then: Action) -> None:
        """Use a core for so many seconds, with turns of others in between, and call `then` at the end."""
        self._waiting.append((seconds, then))
        self._turn()

    def _turn(self) -> None:
        while self.free and self._waiting:
            seconds, then = self._waiting.popleft()
            self.free -= 1
            turn = min(SLICE, seconds)
            self.used += turn
            self.timeline.after(turn, lambda rest=seconds - turn, then=then: self._turned(rest, then))  # type: ignore[misc]

    def _turned(self, rest: float, then: Action) -> None:
        self.free += 1
        if rest > 0:
            self._waiting.append((rest, then))
        self._turn()
        if rest <= 0:
            then()


@dataclass(slots=True)
class Simulation:
    """One run. An event is the time at which it was due, and the number of steps that follow it in its task."""

    shard: Shard
    timeline: Timeline = field(default_factory=Timeline)
    cores: Cores = field(init=False)
    _due: Iterator[tuple[float, int]] = field(init=False)
    _published: deque[tuple[float, int]] = field(default_factory=deque)
    """Events that wait until the log takes them."""
    _stored: deque[tuple[float, int]] = field(default_factory=deque)
    """Events in the log that the projector has not taken."""
    _answering: deque[int] = field(default_factory=deque)
    """Events whose next step waits for its service, as numbers of further steps."""
    _appending: bool = False
    _folding: bool = False
    _unacknowledged: int = 0
    _held: tuple[float, int] | None = None
    """An arrival that waits because too many events are not acknowledged."""
    _arrived: int = 0
    _folded: list[tuple[float, float]] = field(default_factory=list)
    """The times at which each folded event was due and was folded."""
    _last_append: float = 0.0
    _batches: int = 0
    _ended: int = 0

    def __post_init__(self) -> None:
        self.cores = Cores(self.timeline, self.shard.cores)

    def run(self, arrivals: Iterator[tuple[float, int]]) -> Outcome:
        """Simulate arrivals, which are times and numbers of further steps, until all that follows is folded."""
        self._due = arrivals
        self._next_arrival()
        self.timeline.run()
        lags = sorted(folded - due for due, folded in self._folded) or [0.0]
        inside = sum(folded <= self._last_append for _, folded in self._folded)
        cuts = statistics.quantiles(lags, n=20)[-1] if len(lags) > 1 else lags[0]
        return Outcome(
            arrived=self._arrived,
            folded=len(self._folded),
            folded_per_second=inside / self._last_append if self._last_append else 0.0,
            lag_ms=(statistics.median(lags) * 1e3, cuts * 1e3, lags[-1] * 1e3),
            batches=self._batches,
            seconds=self.timeline.now,
            busy=self.cores.used / (self.timeline.now * self.shard.cores) if self.timeline.now else 0.0,
            tasks_per_second=self._ended / self.timeline.now if self.timeline.now else 0.0,
        )

    def _next_arrival(self) -> None:
        arrival = next(self._due, None)
        if arrival is not None:
            self.timeline.after(max(0.0, arrival[0] - self.timeline.now), lambda: self._arrive(arrival))

    def _arrive(self, arrival: tuple[float, int]) -> None:
        if self._unacknowledged >= self.shard.in_flight:
            self._held = arrival
            return
        self._arrived += 1
        self._unacknowledged += 1
        self.cores.work(self.shard.client.event, lambda: self._sent(arrival))

    def _sent(self, arrival: tuple[float, int]) -> None:
        self._publish(arrival)
        self._next_arrival()

    def _publish(self, event: tuple[float, int]) -> None:
        self._published.append(event)
        self._append()

    def _append(self) -> None:
        if self._published and not self._appending:
            self._appending = True
            self.cores.work(self.shard.log.event, lambda: self.timeline.after(self.shard.append_wait, self._appended))

    def _appended(self) -> None:
        self._appending = False
        event = self._published.popleft()
        self._stored.append(event)
        self._last_append = self.timeline.now
        self._unacknowledged -= 1
        if self._held is not None and self._unacknowledged < self.shard.in_flight:
            held, self._held = self._held, None
            self._arrive(held)
        self._append()
        self._fold()

    def _fold(self) -> None:
        if not self._stored or self._folding:
            return
        self._folding = True
        batch = [self._stored.popleft() for _ in range(min(BATCH, len(self._stored)))]
        shard, size = self.shard, len(batch)

        def written() -> None:
            self.timeline.after(shard.batch_wait.of(size), lambda: self._written(batch))

        self.cores.work(shard.log.batch + shard.client.batch, lambda: None)  # tells others how far it is
        self.cores.work(shard.projector.of(size), lambda: self.cores.work(shard.database.of(size), written))

    def _written(self, batch: list[tuple[float, int]]) -> None:
        self._folding = False
        self._batches += 1
        for due, steps in batch:
            self._folded.append((due, self.timeline.now))
            if steps:
                self._answering.append(steps)
            else:
                self._ended += 1
        self._serve()
        self._fold()

    def _serve(self) -> None:
        """Let the services answer events that are in the tables, as many at once as there are cores."""
        while self._answering:
            steps = self._answering.popleft()
            self.cores.work(self.shard.step, lambda steps=steps: self._answered(steps))  # type: ignore[misc]

    def _answered(self, steps: int) -> None:
        self._unacknowledged += 1
        self._publish((self.timeline.now, steps - 1))


def at_random(rate: float, seconds: float, seed: int, steps: int = 0) -> Iterator[tuple[float, int]]:
    """Yield arrivals at random times, `rate` a second on average, each followed by so many steps."""
    chance, at = random.Random(seed), 0.0
    while (at := at + chance.expovariate(rate)) < seconds:
        yield at, steps


def at_once(number: int, steps: int = 0) -> Iterator[tuple[float, int]]:
    """Yield arrivals that are all due at the beginning."""
    return ((0.0, steps) for _ in range(number))


def simulate(shard: Shard, arrivals: Iterator[tuple[float, int]]) -> Outcome:
    """Return what comes of arrivals at a shard."""
    return Simulation(shard).run(arrivals)
