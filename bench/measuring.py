"""What the scripts that measure have in common: a long log, the processor time of every process, and results."""

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
from nemuri_infra.bus.event_log import MESSAGE_ID, Log

RESULTS = Path(__file__).parent / "results"
ELSEWHERE = "NEMURI_BENCH_RESULTS"
"""The variable that names another folder for results: those of a smoke test are no figures."""
ON_THEIR_WAY = 512
"""Events that are published and not yet acknowledged, at most."""
LOAD = os.getloadavg()[0]
"""Of the machine before anything is measured: by others than us."""


@dataclass(slots=True)
class Spent:
    """What doing something took, each time that it was done, in seconds."""

    alone: bool = False
    """Whether only this process is at work, so that its own clock says it all."""
    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """Of this process and, unless it is alone, of all that it started, servers included."""

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Add what the context takes."""
        theirs, mine, started = self._theirs(), time.process_time(), time.perf_counter()
        yield
        ended, done = time.perf_counter(), time.process_time()
        self.wall.append(ended - started)
        self.cpu.append(done - mine + self._theirs() - theirs)

    def _theirs(self) -> float:
        """Seconds of processor time that all the others have had so far."""
        return 0.0 if self.alone else sum(map(had, psutil.Process().children(recursive=True)))

    def medians(self) -> dict[str, float]:
        """The median of both, in milliseconds."""
        return {
            "wall_ms": round(statistics.median(self.wall) * 1e3, 3),
            "cpu_ms": round(statistics.median(self.cpu) * 1e3, 3),
        }

    def figures(self) -> dict[str, float]:
        """The medians, and what one in twenty takes longer than."""
        slow = statistics.quantiles(self.wall, n=20)[-1] if len(self.wall) > 1 else self.wall[0]
        return self.medians() | {"wall_p95_ms": round(slow * 1e3, 3)}


def had(process: psutil.Process) -> float:
    """Seconds of processor time of a process and of those that it started and that have ended since.

    The former to the nanosecond where the kernel says so, to a hundredth of a second elsewhere.
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
    """Put the events into the log in their order, many on their way at once, and return how many there were.

    Raises `RuntimeError` where the server does not take one. Each is acknowledged before this returns.
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
        raise RuntimeError(f"{len(refused)} of {number} events were not taken: {refused[0]!r}")
    return number


def kept(name: str, figures: Mapping[str, Any]) -> None:
    """Write a script's figures down as JSON, with the machine that they were measured on."""
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
    """Rows as text, the first of them the heading, in columns as wide as they have to be."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in cells)
