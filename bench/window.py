"""The cost of the window: the time of each page on a long log, and the throughput of a platform that is being watched.

    python -m bench.window --events 1000000

Pages: two namespaces on the same servers hold a short and a long log of complete synthetic tasks
(`bench/synthetic_log.py`). The same pages of both are asked for in turn, by HTTP as a browser does. The script reports
the median and the 95th percentile of each page, and the median on the long log divided by that on the short one.

Watching: all services of a third namespace run in this process. Rounds of tasks with and without a watcher take turns.
A watcher asks for the figures of the overview every five seconds and reads the live log, as open pages do. The script
reports the CPU time of a round with a watcher divided by that of the round without.
"""

import argparse
import asyncio
import re
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import httpx2
import psutil

from bench.backpressure import TOPICS, agents
from bench.measuring import cpu_seconds, record, save_figures, table
from bench.servers import servers
from bench.synthetic_log import SyntheticLog
from nemuri.client.client import Client
from nemuri.gateway.gateway_server import serving_gateway
from nemuri.operations.views import rebuild
from nemuri.platform.logging import silence
from nemuri.platform.serving import prepare, run_services
from nemuri.web.options import WebOptions
from nemuri_contracts.tasks import TaskCompleted
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.event_loop import run
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

EVENTS_PER_TASK = 17
SHORT_LOG = 1_000
READING_SERVICES = ("projector", "query-api")
REPETITIONS, ROUNDS, TASKS = 30, 8, 40
FIGURES_SECONDS = 5.0
"""Seconds after which an open overview asks for its figures again."""


@dataclass(slots=True)
class WatchedLog:
    """A namespace with a synthetic log and a browser that has entered its window."""

    settings: Settings
    browser: httpx2.AsyncClient
    pages: dict[str, str]
    """Addresses of the pages, by name."""
    events: int
    milliseconds: dict[str, list[float]] = field(default_factory=dict)


@asynccontextmanager
async def browser_of(settings: Settings) -> AsyncIterator[httpx2.AsyncClient]:
    """Serve the window of a namespace, and yield a client that has entered it."""
    async with (
        serving_gateway(settings, WebOptions("127.0.0.1:0")) as served,
        httpx2.AsyncClient(base_url=served.url, timeout=600) as client,
    ):
        await client.get(served.link)
        yield client


async def fill(settings: Settings, events: int) -> tuple[int, dict[str, str]]:
    """Write a synthetic log of about this many events and build its tables. Return their number and the pages."""
    await prepare(settings)
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
    try:
        number = await record(log, SyntheticLog().events(max(1, events // EVENTS_PER_TASK)))
        await rebuild(settings)
        found = [event async for batch in log.read(number - 200, number) for event in batch.events]
    finally:
        await log.close()
    task = next(event.thread for event in reversed(found) if isinstance(event, TaskCompleted))
    async with open_client(settings) as client:
        [memory] = await client.memories("agent-1", limit=1)
    return number, pages_of(task, memory.memory_id)


@asynccontextmanager
async def open_client(settings: Settings) -> AsyncIterator[Client]:
    """Run the services that answer queries, and yield a connected client."""
    async with (
        open_resources(settings) as resources,
        run_services(resources, READING_SERVICES),
        Client.connect(str(settings.nats_url), namespace=settings.namespace) as client,
    ):
        yield client


def pages_of(task: UUID | None, memory: UUID) -> dict[str, str]:
    """Return the addresses of the pages that are measured, by name."""
    return {
        "overview": "/",
        "log": "/log",
        "one event": "/log/500",
        "tasks": "/tasks",
        "task": f"/tasks/{task}",
        "why": f"/tasks/{task}/why",
        "agents": "/agents",
        "agent": "/agents/agent-1",
        "memory": f"/memories/{memory}",
        "sleep": "/sleep",
        "operations": "/operations",
    }


async def measure_pages(servers_of: Settings, directory: Path, events: int, repetitions: int) -> dict[str, object]:
    """Return the times of the pages of a short and a long log, asked for in turn."""
    async with AsyncExitStack() as stack:
        logs = []
        for name, size in (("short", min(SHORT_LOG, events)), ("long", events)):
            settings = servers_of.model_copy(update={"namespace": f"window-{name}", "data": directory / name})
            number, pages = await fill(settings, size)
            resources = await stack.enter_async_context(open_resources(settings))
            await stack.enter_async_context(run_services(resources, READING_SERVICES))
            logs.append(WatchedLog(settings, await stack.enter_async_context(browser_of(settings)), pages, number))
        for _ in range(repetitions):
            for page in logs[0].pages:
                for log in logs:
                    await _measure(log, page)
    short, long = logs
    rows: dict[str, object] = {}
    for page, times in long.milliseconds.items():
        median = statistics.median(times)
        rows[page] = {
            "median_ms": round(median, 1),
            "p95_ms": round(statistics.quantiles(times, n=20)[-1], 1),
            "ratio_to_short_log": round(median / statistics.median(short.milliseconds[page]), 2),
        }
    return {"events": long.events, "events_of_short_log": short.events, "pages": rows}


async def _measure(watched: WatchedLog, page: str) -> None:
    started = time.perf_counter()
    answer = await watched.browser.get(watched.pages[page])
    elapsed = (time.perf_counter() - started) * 1e3
    if answer.status_code != 200:
        raise RuntimeError(f"{watched.pages[page]}: {answer.status_code}")
    watched.milliseconds.setdefault(page, []).append(elapsed)


async def measure_watching(servers_of: Settings, directory: Path, rounds: int, tasks: int) -> dict[str, object]:
    """Return the CPU time of rounds of tasks with a watcher, divided by that of the rounds without."""
    settings = servers_of.model_copy(update={"namespace": "window-watched", "data": directory / "watched"})
    await prepare(settings)
    ratios, alone = list[float](), list[float]()
    async with open_resources(settings, len(SERVICES)) as resources, run_services(resources, SERVICES):
        await agents(resources)
        async with (
            browser_of(settings) as browser,
            Client.connect(str(settings.nats_url), namespace=settings.namespace) as client,
        ):
            await _round(client, tasks)
            for _ in range(rounds):
                alone.append(await _round(client, tasks))
                async with watching(browser):
                    ratios.append(await _round(client, tasks) / alone[-1])
    return {
        "rounds": rounds,
        "tasks": tasks,
        "cpu_ms_per_task": round(statistics.median(alone) / tasks * 1e3, 1),
        "watched_to_alone": round(statistics.median(ratios), 3),
    }


async def _round(client: Client, tasks: int) -> float:
    """Ask this many questions, five at a time, and return the CPU seconds of this process and both servers."""
    before = _cpu()
    room = asyncio.Semaphore(5)

    async def ask(number: int) -> None:
        async with room:
            await client.ask(f"What is {TOPICS[number % len(TOPICS)]}, number {number}?", timeout=120, settled=True)

    await asyncio.gather(*map(ask, range(tasks)))
    return _cpu() - before


def _cpu() -> float:
    own = psutil.Process()
    return sum(map(cpu_seconds, [own, *own.children(recursive=True)]))


@asynccontextmanager
async def watching(browser: httpx2.AsyncClient) -> AsyncIterator[None]:
    """Watch the overview and the live log while the context lasts."""

    async def figures() -> None:
        while True:
            (await browser.get("/", headers={"HX-Request": "true"})).raise_for_status()
            await asyncio.sleep(FIGURES_SECONDS)

    async def live_log() -> None:
        address = re.search(r'hx-sse:connect="([^"]+)"', (await browser.get("/log")).text)
        async with browser.stream("GET", address[1].replace("&amp;", "&") if address else "/log/events") as stream:
            async for _ in stream.aiter_lines():
                pass

    async with asyncio.TaskGroup() as group:
        watchers = [group.create_task(figures()), group.create_task(live_log())]
        try:
            yield
        finally:
            for watcher in watchers:
                watcher.cancel()


async def measure(events: int, repetitions: int, rounds: int, tasks: int) -> dict[str, object]:
    """Return all figures."""
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as temporary:
        async with servers() as settings:
            pages = await measure_pages(settings, Path(temporary), events, repetitions)
            return pages | {"watching": await measure_watching(settings, Path(temporary), rounds, tasks)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print a table and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--tasks", type=int, default=TASKS)
    given = parser.parse_args(arguments)
    silence()
    found = run(measure(given.events, given.repetitions, given.rounds, given.tasks))
    pages: dict[str, dict[str, float]] = found["pages"]  # type: ignore[assignment]
    rows = [(name, *figures.values()) for name, figures in pages.items()]
    sys.stdout.write(table([("page", "median ms", "p95 ms", "times short log"), *rows]))
    sys.stdout.write(f"\n{found['watching']}\n")
    save_figures("window", found)


if __name__ == "__main__":
    main()
