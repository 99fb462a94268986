"""Real load: events are appended at a given rate while the projector follows in a process of its own."""

import asyncio
import random
import statistics
import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import orjson
import psutil
from nats.aio.msg import Msg

from bench.measuring import cpu_seconds
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri.platform.workers import Worker, environment_of
from nemuri_contracts.codec import encode
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import MESSAGE_ID, Log
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.runtime.settings import Settings

IN_FLIGHT = 512
"""Maximum number of events that are published and not acknowledged yet."""
FASTEST = 2_500
"""More events than the log and the projector take in a second on two cores."""
DRAIN_SECONDS = 120.0
"""Maximum number of seconds until the projector has folded what was appended."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The outcome of a stretch of load."""

    rate: float | None
    """Events offered a second; None for as many as the log takes."""
    events: int
    seconds: float
    """Seconds from the first event until the last one was appended."""
    appended_per_second: float
    folded_per_second: float
    """Events that reached the tables between the first append and the last one, divided by these seconds."""
    lag_ms: tuple[float, float, float]
    """Milliseconds from the time at which an event was due until the projector said that it is in the tables: median,
    95th percentile and maximum.
    """
    batches: int
    cpu: dict[str, float]
    """CPU seconds from the first event until all are folded, by process."""
    waited: dict[str, float]
    """Seconds that the processes waited meanwhile for a core that something else used."""
    others: float
    """CPU seconds that other programs used meanwhile, for each second."""


@dataclass(slots=True)
class Ground:
    """Both servers, the projector in a process of its own, and an endless synthetic log."""

    settings: Settings
    log: Log
    processes: dict[str, psutil.Process]
    source: Iterable[Event]
    told: list[tuple[float, int]] = field(default_factory=list)
    """Times at which the projector told how far it is, and the sequences that it had reached."""
    _news: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    @asynccontextmanager
    async def running(cls, tasks: int) -> AsyncIterator["Ground"]:
        """Yield a ground whose log has no event yet. `tasks` is the number of tasks in the log to come."""
        async with AsyncExitStack() as stack:
            settings = await stack.enter_async_context(servers())
            log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
            stack.push_async_callback(log.close)
            home = Home(Path(str(settings.database_url).partition("host=")[2].partition("&")[0]).parent / "home")
            home.workers.mkdir(parents=True, exist_ok=True)
            told = {"NEMURI_PROVIDERS": "extractive", "NEMURI_EMBEDDER": "built-in"}
            projector = Worker(home, "projector", environment_of(settings) | told)
            stack.push_async_callback(projector.stop)
            await projector.start()
            found = {child.name(): child for child in psutil.Process().children()}
            assert projector.pid is not None
            processes = {name: found[name] for name in ("nats-server", "postgres")}
            processes |= {"projector": psutil.Process(projector.pid), "client": psutil.Process()}
            ground = cls(settings, log, processes, SyntheticLog().events(tasks))
            await log.connection.subscribe(log.subjects.projected, cb=ground._hear)
            yield ground

    async def _hear(self, message: Msg) -> None:
        self.told.append((time.perf_counter(), int(orjson.loads(message.data)["until"])))
        self._news.set()

    async def load(self, rate: float | None, seconds: float, *, limit: int = 1 << 31, seed: int = 1) -> Observed:
        """Append events of the source, at `rate` a second at random times, or else as fast as the log takes them.

        Ends after `seconds` seconds or `limit` events, and returns when all of them are folded.
        """
        number = min(limit, round((rate or FASTEST) * seconds))
        messages = [
            (self.log.subjects.of(each), encode(each), str(each.event_id)) for each in islice(self.source, number)
        ]
        chance, due, at = random.Random(seed), list[float](), 0.0
        for _ in messages if rate is not None else ():
            at += chance.expovariate(rate or 1.0)
            due.append(at)
        first = await self.log.last_sequence() + 1
        self.told.clear()
        before, all_before, began = self._sums(), _machine_seconds(), time.perf_counter()
        sent = await self._publish(messages, due, began, seconds)
        ended = time.perf_counter()
        last = first + len(sent) - 1
        async with asyncio.timeout(DRAIN_SECONDS):
            while not self.told or self.told[-1][1] < last:
                self._news.clear()
                await self._news.wait()
        wall = time.perf_counter() - began
        cpu, waited = (
            {name: used - earlier[name] for name, used in later.items()}
            for earlier, later in zip(before, self._sums(), strict=True)
        )
        others = (_machine_seconds() - all_before - sum(cpu.values())) / wall
        figures = self._figures(sent, first, (began, ended))
        return Observed(rate, len(sent), ended - began, *figures, len(self.told), cpu, waited, others)

    async def _publish(
        self, messages: Sequence[tuple[str, bytes, str]], due: Sequence[float], began: float, seconds: float
    ) -> list[float]:
        """Publish messages when they are due, and return the times at which they were, when all are acknowledged."""
        connection, room = self.log.connection, asyncio.Semaphore(IN_FLIGHT)
        inbox, refused, sent = connection.new_inbox(), list[bytes](), list[float]()

        async def acknowledged(message: Msg) -> None:
            if b'"seq"' not in message.data:
                refused.append(message.data)
            room.release()

        subscription = await connection.subscribe(inbox, cb=acknowledged)
        for nth, (subject, data, identity) in enumerate(messages):
            now = time.perf_counter() - began
            if due and due[nth] > now:
                await asyncio.sleep(due[nth] - now)
            elif not due and now > seconds:
                break
            await room.acquire()
            sent.append(began + due[nth] if due else time.perf_counter())
            await connection.publish(subject, data, reply=inbox, headers={MESSAGE_ID: identity})
        for _ in range(IN_FLIGHT):
            await room.acquire()
        await subscription.unsubscribe()
        if refused:
            raise RuntimeError(f"{len(refused)} of {len(sent)} events were refused: {refused[0]!r}")
        return sent

    def _figures(
        self, sent: Sequence[float], first: int, span: tuple[float, float]
    ) -> tuple[float, float, tuple[float, float, float]]:
        """Return the events appended and folded a second, and the lag."""
        lags, nth, inside = list[float](), 0, 0
        for at, until in self.told:
            while nth < len(sent) and first + nth <= until:
                lags.append(at - sent[nth])
                inside += at <= span[1]
                nth += 1
        seconds = span[1] - span[0]
        cuts = statistics.quantiles(lags, n=20)
        lag = (statistics.median(lags) * 1e3, cuts[-1] * 1e3, max(lags) * 1e3)
        return len(sent) / seconds, inside / seconds, lag

    def _sums(self) -> tuple[dict[str, float], dict[str, float]]:
        """Return the seconds that each part has used a core, and waited for one."""
        members = {
            name: [each, *(each.children() if name == "postgres" else [])] for name, each in self.processes.items()
        }
        used = {name: sum(map(cpu_seconds, some)) for name, some in members.items()}
        return used, {name: sum(map(waited_seconds, some)) for name, some in members.items()}


def waited_seconds(process: psutil.Process) -> float:
    """Return the seconds that a process wanted to run and had no core; 0 if it has ended or the kernel does not say."""
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def _machine_seconds() -> float:
    """Return the CPU seconds that all programs of the machine have used."""
    times = psutil.cpu_times()
    return float(times.user + times.system + times.nice + times.irq + times.softirq)
