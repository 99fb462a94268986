"""Throughput and cost of tasks, from submission to sleep, on a platform with one process per service.

    python -m bench.throughput

Runs embedded servers, the built-in embedder, and a stub model in a separate process (`bench/instant.py`), once without
delay and once with two seconds per reply. The two services that wait for the model, specialist and attribution, have
one, two or four workers each. The rounds with different numbers of workers alternate on one platform, by starting and
stopping extra workers. Five clients submit concurrently. Before each round its workers are warmed up. A round lasts
from the first submission until the agents have slept over every session. A round is valid if every task is done, and
the rounds are valid together if `verify` finds no difference at the end.

The script reports tasks per second, CPU milliseconds per task by process, and the memory of each process.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil

from bench.backpressure import TOPICS, agents
from bench.measuring import cpu_seconds, save_figures, table
from bench.servers import servers
from nemuri.client.client import Client
from nemuri.operations.views import verify
from nemuri.platform.worker_fork_server import worker_fork_server
from nemuri.platform.workers import Worker, environment_of
from nemuri_contracts.strength import AgentSlept, SessionEnded
from nemuri_contracts.tasks import TaskAssigned, TaskCompleted, TaskFailed
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.embedded.forked_processes import ForkServerProcess
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from nemuri_services.service_registry import SERVICES

MODELS = {"instant": 0, "slow": 2_000}
"""Milliseconds that a model takes for a reply, by name of the model."""
WORKERS = (1, 2, 4)
SCALED = ("specialist", "attribution")
CLIENTS, ROUNDS, TIMEOUT_SECONDS = 5, 3, 600.0
WARM_SHARE = 5
"""Before each round, one task for this number of its tasks is not measured. For it new workers import a provider's
library, open connections and read indexes.
"""


@dataclass(slots=True)
class Round:
    """Results of a round of tasks, from the first submission until the agents have slept over every session."""

    seconds: float
    tasks: int
    cpu: dict[str, float]
    """CPU seconds by name of the process."""


@dataclass(slots=True)
class Ground:
    """A platform to which workers can be added."""

    settings: Settings
    told: Mapping[str, str]
    """Environment variables of the workers."""
    resources: Resources
    directory: Path
    fork_server: ForkServerProcess | None
    workers: list[Worker]
    clients: Sequence[Client]
    extra: list[Worker] = field(default_factory=list)
    asked: int = 0

    @asynccontextmanager
    async def with_workers(self, number: int) -> AsyncIterator[None]:
        """Run `number` workers of each service that waits for the model, during the context."""
        homes = [_home(self.directory / f"home-{each}") for each in range(1, number)]
        self.extra = [Worker(home, name, self.told, self.fork_server) for home in homes for name in SCALED]
        try:
            await asyncio.gather(*(worker.start() for worker in self.extra))
            yield
        finally:
            await asyncio.gather(*(worker.stop() for worker in self.extra))
            self.extra = []

    def processes(self) -> dict[str, list[psutil.Process]]:
        """Return the processes that work on the tasks, by name, without this process and the model."""
        found = defaultdict(list)
        for worker in (*self.workers, *self.extra):
            if worker.pid is not None:
                found[worker.name].append(psutil.Process(worker.pid))
        for child in psutil.Process().children(recursive=True):
            if child.name() in {"postgres", "nats-server"}:
                found[child.name()].append(child)
        return dict(found)

    async def round(self, tasks: int) -> Round:
        """Submit `tasks` tasks and wait until the agents have slept over all their sessions.

        Raises RuntimeError if a task fails, and TimeoutError after `TIMEOUT_SECONDS` seconds.
        """
        before, came = spent(self.processes()), time.monotonic()
        start = await self.resources.log.last_sequence()
        watching = asyncio.ensure_future(self._slept(start, tasks))
        numbers = range(self.asked, self.asked + tasks)
        self.asked += tasks
        await asyncio.gather(*(self._submit(client, numbers[nth::CLIENTS]) for nth, client in enumerate(self.clients)))
        async with asyncio.timeout(TIMEOUT_SECONDS):
            await watching
        seconds, after = time.monotonic() - came, spent(self.processes())
        return Round(seconds, tasks, {name: after[name] - before.get(name, 0.0) for name in after})

    async def _submit(self, client: Client, numbers: Sequence[int]) -> None:
        for number in numbers:
            await client.submit(f"What is worth knowing about {TOPICS[number % len(TOPICS)]} in case {number}?")

    async def _slept(self, after: int, tasks: int) -> None:
        """Wait until `tasks` tasks are completed and the agents have slept over all their sessions.

        Reads the log after the sequence `after`.
        """
        assigned: set[UUID] = set()
        ended: set[UUID] = set()
        slept: set[UUID] = set()
        completed = 0
        async for batch in self.resources.log.read(after):
            for event in batch.events:
                match event:
                    case TaskAssigned():
                        assigned.add(event.event_id)
                    case SessionEnded():
                        ended.add(event.assignment_id)
                    case AgentSlept():
                        slept |= set(event.sessions)
                    case TaskCompleted():
                        completed += 1
                    case TaskFailed():
                        raise RuntimeError(f"a task failed: {event}")
                    case _:
                        pass
            if completed >= tasks and assigned <= ended & slept:
                return


@asynccontextmanager
async def model(milliseconds: int) -> AsyncIterator[str]:
    """Run the stub model in a separate process during the context, and yield its base URL."""
    command = (sys.executable, "-m", "bench.instant", "--milliseconds", str(milliseconds))
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.terminate()
        await process.wait()


@asynccontextmanager
async def ground(milliseconds: int) -> AsyncIterator[Ground]:
    """Run a platform during the context. Its model replies after `milliseconds` milliseconds."""
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(model(milliseconds))
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="nemuri-bench-")))
        chosen = {"NEMURI_PROVIDERS": "openai", "NEMURI_EMBEDDER": "built-in", "OPENAI_BASE_URL": url}
        settings = await stack.enter_async_context(servers())
        told = environment_of(settings) | chosen | {"OPENAI_API_KEY": "none"}
        resources = await stack.enter_async_context(open_resources(settings))
        home = _home(directory / "home")
        fork_server = await stack.enter_async_context(worker_fork_server(home))
        workers = [Worker(home, name, told, fork_server) for name in SERVICES]
        for worker in workers:
            stack.push_async_callback(worker.stop)
        await asyncio.gather(*(worker.start() for worker in workers))
        await agents(resources)
        clients = [
            await stack.enter_async_context(Client.connect(str(settings.nats_url), client_id=f"client-{nth}"))
            for nth in range(CLIENTS)
        ]
        yield Ground(settings, told, resources, directory, fork_server, workers, clients)


async def measure(models: Sequence[str], tasks: int, rounds: int) -> dict[str, Any]:
    """Return the figures for each model, with every number of workers."""
    at = {name: {"model_ms": MODELS[name]} | await _measured(MODELS[name], tasks, rounds) for name in models}
    return {"tasks_in_a_round": tasks, "rounds": rounds, "clients": CLIENTS, "at": at}


async def _measured(milliseconds: int, tasks: int, rounds: int) -> dict[str, Any]:
    async with ground(milliseconds) as here:
        await here.round(tasks // 2)  # Not measured. It opens connections and gives the agents memories.
        arms: dict[int, list[Round]] = {number: [] for number in WORKERS}
        for turn in range(rounds):
            for number in WORKERS if turn % 2 else reversed(WORKERS):
                async with here.with_workers(number):
                    await here.round(tasks // WARM_SHARE)
                    arms[number].append(await here.round(tasks))
        verified = await verify(here.settings)
        if verified.differences:
            raise RuntimeError(f"{len(verified.differences)} differences in {verified.rows} rows")
    found = {str(number): _figures(done) for number, done in arms.items()}
    one = found["1"]["tasks_per_second"]
    growth = {number: round(each["tasks_per_second"] / one, 2) for number, each in found.items()}
    checked = {"rows": verified.rows, "differences": 0}
    return {"workers": found, "growth": growth, "verified": checked}


def _figures(done: Sequence[Round]) -> dict[str, Any]:
    names = done[0].cpu
    each = {name: statistics.median(one.cpu[name] * 1e3 / one.tasks for one in done) for name in names}
    return {
        "tasks_per_second": round(statistics.median(one.tasks / one.seconds for one in done), 2),
        "cpu_ms_per_task": round(statistics.median(sum(one.cpu.values()) * 1e3 / one.tasks for one in done), 1),
        "cpu_ms_per_task_by_process": {name: round(value, 2) for name, value in each.items()},
    }


def _home(path: Path) -> Home:
    home = Home(path)
    home.workers.mkdir(parents=True, exist_ok=True)
    return home


def spent(processes: Mapping[str, Sequence[psutil.Process]]) -> dict[str, float]:
    """Return the CPU seconds that the processes have used, by name."""
    return {name: sum(map(cpu_seconds, each)) for name, each in processes.items()}


def main() -> None:
    """Measure, print and save the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=300, help="in a round")
    parser.add_argument("--model", action="append", default=[], choices=list(MODELS), help="both by default")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--quick", action="store_true", help="a smoke test: few tasks, not the sizes that are quoted")
    chosen = parser.parse_args()
    tasks, rounds = (20, 1) if chosen.quick else (chosen.tasks, chosen.rounds)
    figures = asyncio.run(measure(chosen.model or tuple(MODELS), tasks, rounds))
    rows: list[tuple[object, ...]] = [("model", "workers", "tasks/s", "growth", "CPU ms/task")]
    for name, one in figures["at"].items():
        for number, arm in one["workers"].items():
            rows.append((name, number, arm["tasks_per_second"], one["growth"][number], arm["cpu_ms_per_task"]))
        print(f"{name}: CPU ms per task with one worker", one["workers"]["1"]["cpu_ms_per_task_by_process"])
    print(table(rows))
    save_figures("throughput", figures)


if __name__ == "__main__":
    main()
