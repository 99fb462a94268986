"""Shared code of the benchmarks: appending events to the log, CPU time of all processes, and saved results."""

import asyncio
import json
import os
import platform
import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil
from nats.aio.msg import Msg

from nemuri_contracts.codec import encode
from nemuri_contracts.event import Event
from nemuri_infra.bus.consumer_listing import consumers_of
from nemuri_infra.bus.event_log import MESSAGE_ID, Log

RESULTS = Path(__file__).parent / "results"
ELSEWHERE = "NEMURI_BENCH_RESULTS"
"""Environment variable with the folder to which results are saved instead of the default one.

Smoke tests set it, so that they do not replace measured results.
"""
ON_THEIR_WAY = 512
"""Maximum number of published events that are not acknowledged yet."""
QUIET_SECONDS = 300.0
"""Maximum number of seconds until all services have handled what is in the log."""
LOAD = os.getloadavg()[0]
"""Load average of the machine at the start of the script. Other programs cause it."""


@dataclass(slots=True)
class Spent:
    """Wall-clock and CPU times of repeated runs of an action, in seconds."""

    alone: bool = False
    """True if only this process works. Then only its own CPU time is measured."""
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """CPU seconds of each run. Unless `alone` is set, they include all child processes, also the servers."""

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the body of the `with` statement, and add its wall-clock and CPU time to the times of this object."""
        theirs, mine, started = self._theirs(), time.process_time(), time.perf_counter()
        yield
        ended, done = time.perf_counter(), time.process_time()
        self.wall.append(ended - started)
        self.cpu.append(done - mine + self._theirs() - theirs)

    def _theirs(self) -> float:
        """Return the CPU seconds of all child processes so far."""
        return 0.0 if self.alone else sum(map(cpu_seconds, psutil.Process().children(recursive=True)))

    def medians(self) -> dict[str, float]:
        """Return the medians of wall-clock and CPU time in milliseconds."""
        return {
            "wall_ms": round(statistics.median(self.wall) * 1e3, 3),
            "cpu_ms": round(statistics.median(self.cpu) * 1e3, 3),
        }

    def figures(self) -> dict[str, float]:
        """Return the medians of wall-clock and CPU time and the 95th percentile of wall-clock time, in milliseconds."""
        slow = statistics.quantiles(self.wall, n=20)[-1] if len(self.wall) > 1 else self.wall[0]
        return self.medians() | {"wall_p95_ms": round(slow * 1e3, 3)}


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU seconds that a process and its ended children used; 0 if the process no longer exists.

    The resolution of the process's own time is a nanosecond if the kernel reports it, else a hundredth of a second.
    """
    try:
        used = process.cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    ended = float(used.children_user + used.children_system)
    try:
        tasks = list(Path(f"/proc/{process.pid}/task").iterdir())
        return ended + sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
    except (OSError, ValueError, IndexError):
        return ended + float(used.user + used.system)


async def record(log: Log, events: Iterable[Event]) -> int:
    """Append the events to the log in order. Return their number when all are acknowledged.

    At most `ON_THEIR_WAY` events are unacknowledged at a time. Raises RuntimeError if the server refuses an event.
    """
    inbox, room = log.connection.new_inbox(), asyncio.Semaphore(ON_THEIR_WAY)
    refused: list[bytes] = []

    async def acknowledged(message: Msg) -> None:
        if b'"seq"' not in message.data:
            refused.append(message.data)
        room.release()

    subscription = await log.connection.subscribe(inbox, cb=acknowledged)
    number = 0
    for number, event in enumerate(events, 1):  # noqa: B007 - how many there were
        await room.acquire()
        known = {MESSAGE_ID: str(event.event_id)}
        await log.connection.publish(log.subjects.of(event), encode(event), reply=inbox, headers=known)
    async with asyncio.timeout(60):
        for _ in range(ON_THEIR_WAY):
            await room.acquire()
    await subscription.unsubscribe()
    if refused:
        raise RuntimeError(f"{len(refused)} of {number} events were refused: {refused[0]!r}")
    return number


def save_figures(name: str, figures: Mapping[str, Any]) -> None:
    """Save a script's figures as JSON under `name`, with the time and a description of the machine."""
    folder = Path(os.environ.get(ELSEWHERE, RESULTS))
    folder.mkdir(exist_ok=True)
    machine = {
        "cores": os.cpu_count(),
        "processor": platform.machine(),
        "python": platform.python_version(),
        "load": round(LOAD, 2),
    }
    measured = {"measured_at": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine, **figures}
    (folder / f"{name}.json").write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return rows as text with aligned columns. The first row is the heading."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells)


async def until_quiet(log: Log) -> None:
    """Wait until no durable consumer has pending or unacknowledged messages."""
    held = True
    async with asyncio.timeout(QUIET_SECONDS):
        while held:
            await asyncio.sleep(0.05)
            consumers = await consumers_of(log.stream, log.subjects.stream)
            durable = [consumer for consumer in consumers if consumer.config.durable_name]
            held = any(consumer.num_pending or consumer.num_ack_pending for consumer in durable)
