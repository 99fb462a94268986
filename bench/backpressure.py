"""Throughput with many waiting tasks, and the memory use of each process meanwhile.

    python -m bench.backpressure --tasks 100000 --seconds 600

There is one process per service, as with `nemuri up --processes`, on embedded servers. There are ten agents, the
built-in embedder and no model. All tasks are published as fast as the log accepts them. Then the platform works for the
given seconds, or until no task is left. The resident memory of each process is sampled every second from the first task
on.

Prints JSON: the first, median, last and maximum memory of each process in MB, and last / first; the tasks submitted,
routed and done per second; and the CPU time of each process.
"""

import argparse
import asyncio
import json
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
from sqlalchemy import func, select

from nemuri.platform.serving import prepare
from nemuri.platform.workers import Worker, environment_of
from nemuri_contracts.agents import AgentDefined, Definition, Embedding, Perspective
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.embedded.postgres import EmbeddedPostgres
from nemuri_infra.projections import tables
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

CONCURRENT_TASKS = 256
"""Maximum number of concurrent submissions."""
TOPICS = ("python", "cooking", "chess", "gardens", "sailing", "bread", "birds", "maps", "clocks", "paper")


def main() -> None:
    """Measure and print the result."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tasks", type=int, default=100_000)
    arguments.add_argument("--seconds", type=float, default=300.0, help="how long to work after the last submission")
    given = arguments.parse_args()
    print(json.dumps(asyncio.run(measured(given.tasks, given.seconds)), indent=2))


async def measured(tasks: int, seconds: float) -> dict[str, Any]:
    """Submit the tasks, let the platform work for `seconds` seconds, and return all figures."""
    async with _platform() as (settings, workers), open_resources(settings) as resources:
        await agents(resources)
        samples: dict[str, list[float]] = defaultdict(list)
        sampling = asyncio.ensure_future(_sample(workers, samples))
        began = time.monotonic()
        await _submit(resources, tasks)
        submitted = time.monotonic() - began
        progress = await _work(resources, tasks, seconds)
        sampling.cancel()
        await asyncio.gather(sampling, return_exceptions=True)
        spent = time.monotonic() - began
        return {
            "tasks": tasks,
            "submitted_per_second": round(tasks / submitted, 1),
            "seconds": round(spent, 1),
            **{f"{name}_per_second": round(number / spent, 2) for name, number in progress.items()},
            **progress,
            "memory": {name: _summary(found) for name, found in samples.items()},
            "cpu_seconds": {worker.name: _computed(worker) for worker in workers},
        }


@asynccontextmanager
async def _platform() -> AsyncIterator[tuple[Settings, list[Worker]]]:
    directory = Path(tempfile.mkdtemp(prefix="nemuri-bench-"))
    nats, postgres = EmbeddedNats(directory / "nats"), EmbeddedPostgres(directory / "postgres")
    try:
        await nats.start()
        await postgres.start()
        chosen = Settings(namespace="bench", providers="extractive", embedder="built-in")
        settings = chosen.addressed(nats.url, postgres.url)
        told = {"NEMURI_NAMESPACE": "bench", "NEMURI_PROVIDERS": "extractive", "NEMURI_EMBEDDER": "built-in"}
        await prepare(settings)
        home = Home(directory / "home")
        home.workers.mkdir(parents=True, exist_ok=True)
        workers = [Worker(home, name, environment_of(settings) | told) for name in SERVICES]
        await asyncio.gather(*(worker.start() for worker in workers))
        try:
            yield settings, workers
        finally:
            await asyncio.gather(*(worker.stop() for worker in workers))
    finally:
        await nats.stop()
        await postgres.stop()
        shutil.rmtree(directory)


async def agents(resources: Resources) -> None:
    """Define an expert agent for each topic."""
    for topic in TOPICS:
        definition = Definition(
            role=f"an expert of {topic}",
            description=f"{topic}: questions about {topic}",
            perspectives=(Perspective(name="facts"), Perspective(name="pitfalls")),
        )
        embedding = Embedding(model="nemuri-words-3", dimension=256)
        event = AgentDefined(event_id=uuid4(), agent_id=topic, definition=definition, embedding=embedding)
        await resources.views.progress.wait(await resources.log.append(event))


async def _submit(resources: Resources, tasks: int) -> None:
    room = asyncio.Semaphore(CONCURRENT_TASKS)

    async def submit(number: int) -> None:
        async with room:
            text = f"What is worth knowing about {TOPICS[number % len(TOPICS)]} in case {number}?"
            await resources.log.append(TaskSubmitted(event_id=uuid4(), text=text, client_id="bench"))

    for start in range(0, tasks, 10 * CONCURRENT_TASKS):
        numbers = range(start, min(tasks, start + 10 * CONCURRENT_TASKS))
        await asyncio.gather(*(submit(number) for number in numbers))


async def _work(resources: Resources, tasks: int, seconds: float) -> dict[str, int]:
    until = time.monotonic() + seconds
    while (found := await _counted(resources))["done"] < tasks and time.monotonic() < until:  # noqa: ASYNC110
        await asyncio.sleep(1.0)  # polled, because no message is sent for it
    return found


async def _counted(resources: Resources) -> dict[str, int]:
    task = tables.task.c
    query = select(func.count(), func.count().filter(task.routed > 0), func.count().filter(task.status == "done"))
    async with resources.database.reading() as connection:
        known, routed, done = (await connection.execute(query.select_from(tables.task))).one()
    return {"known": known, "routed": routed, "done": done}


async def _sample(workers: list[Worker], samples: dict[str, list[float]]) -> None:
    while True:
        for worker in workers:
            if worker.pid is not None:
                samples[worker.name].append(psutil.Process(worker.pid).memory_info().rss / 2**20)
        await asyncio.sleep(1.0)


def _computed(worker: Worker) -> float:
    times = psutil.Process(worker.pid).cpu_times()
    return round(times.user + times.system, 1)


def _summary(found: list[float]) -> dict[str, float]:
    figures = {"first": found[0], "median": statistics.median(found), "last": found[-1], "most": max(found)}
    return {name: round(value, 1) for name, value in figures.items()} | {"ratio": round(found[-1] / found[0], 2)}


if __name__ == "__main__":
    main()
