"""Memory of a worker process: at its start and after work, as one of all workers of a platform and alone.

    python -m bench.worker_memory                # 100 tasks
    python -m bench.worker_memory --quick

Runs a platform of its own (`nemuri up --processes`, built-in embedder, extractive model) with the agents of
`examples/agents`. The figures of its workers are PSS: private memory, and the process's share of the memory that it has
in common with others. They are measured when the platform is ready, and again after a client's tasks. Then a worker of
each service in `ALONE` is started by itself, as in a container. Nothing shares memory with it there, so its resident
memory (RSS) counts. Goal: 60 MB for each worker of the platform at the start.
"""

import argparse
import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any

import psutil

from bench.cost import TOPICS, defined
from bench.hook import SCRIPT, platform
from bench.measuring import save_figures, table
from nemuri.client.connection import connected
from nemuri_contracts.event import OPERATOR
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.runtime.settings import Settings

ALONE = ("projector", "specialist")
FORK_SERVER = "fork-server"
TIMEOUT_SECONDS = 120.0


def megabytes(size: int) -> float:
    """Return bytes as megabytes with one decimal."""
    return round(size / 2**20, 1)


def workers(home: Home) -> dict[str, float]:
    """Return the megabytes (PSS) of each worker of a platform and of its fork server, by name."""
    pids = {path.stem: json.loads(path.read_text())["pid"] for path in sorted(home.workers.glob("*.pid"))}
    return {name: megabytes(psutil.Process(pid).memory_full_info().pss) for name, pid in pids.items()}


async def work(settings: Settings, tasks: int) -> None:
    """Define the agents, and let the platform do `tasks` tasks."""
    async with connected(settings, OPERATOR) as client:
        await defined(client, settings)
        for number, subject in zip(range(tasks), cycle(TOPICS), strict=False):
            await client.ask(f"What is worth knowing about {subject} in case {number}?")
        await client.settle()


@contextmanager
def worker_alone(data: Path, service: str) -> Iterator[psutil.Process]:
    """Run a worker of a service as a program of its own, and yield its process when it is ready."""
    chosen = {"NEMURI_PROVIDERS": "extractive", "NEMURI_EMBEDDER": "built-in", "NEMURI_PROVISION": "false"}
    ready = data / f"{service}-alone.ready"
    command: list[str | Path] = [SCRIPT, "--data", data, "worker", service, "--ready", ready]
    running = subprocess.Popen(command, env=os.environ | chosen)
    try:
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not ready.exists():
            if running.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the worker {service} did not start")
            time.sleep(0.05)
        yield psutil.Process(running.pid)
    finally:
        running.terminate()
        running.wait(60)


def measure(tasks: int) -> dict[str, Any]:
    """Run a platform and return the figures."""
    with tempfile.TemporaryDirectory(prefix="nemuri-bench-") as directory:
        data = Path(directory, "data")
        with platform(data, "--processes"):
            home = Home(data)
            at_first = workers(home)
            asyncio.run(work(Settings(data=data), tasks))
            at_last = workers(home)
            alone = {}
            for service in ALONE:
                with worker_alone(data, service) as process:
                    alone[service] = megabytes(process.memory_info().rss)
    return {"tasks": tasks, "at_first": at_first, "at_last": at_last, "alone": alone}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=100)
    parser.add_argument("--quick", action="store_true", help="a smoke test: two tasks")
    chosen = parser.parse_args()
    figures = measure(2 if chosen.quick else chosen.tasks)
    rows: list[tuple[object, ...]] = [("MB", "at the start", "after the tasks", "alone")]
    for name, at_first in figures["at_first"].items():
        rows.append((name, at_first, figures["at_last"][name], figures["alone"].get(name, "")))
    rows.append(("all", *(round(sum(figures[when].values()), 1) for when in ("at_first", "at_last")), ""))
    print(table(rows))
    save_figures("worker_memory", figures)


if __name__ == "__main__":
    main()
