"""Thousands of waiting tasks do not increase the memory of any process."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import psutil
import pytest

from nemuri.platform.worker_fork_server import worker_fork_server
from nemuri.platform.workers import Worker
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_infra.embedded.data_directory import Home
from nemuri_infra.runtime.resources import Resources, open_resources
from nemuri_infra.runtime.settings import Settings
from tests.faults.processes import worker
from tests.integration.harness import agent_defined, append_all

pytestmark = [pytest.mark.connected, pytest.mark.long]

RUNNING = ("projector", "intake", "orchestrator", "query-api")
WARM, ROUNDS, TASKS = 10_000, 4, 1_250
"""Numbers of tasks: first some that fill what a process may hold at most, then rounds of as many."""
GROWTH = 8.0
"""Megabytes by which a process may grow in every round. As many tasks kept in a process would take more."""


@asynccontextmanager
async def _workers(settings: Settings) -> AsyncIterator[list[Worker]]:
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    try:
        async with worker_fork_server(Home(directory)) as fork_server:
            workers = [worker(Home(directory), name, settings, fork_server) for name in RUNNING]
            try:
                await asyncio.gather(*(each.start() for each in workers))
                yield workers
            finally:
                await asyncio.gather(*(each.stop() for each in workers))
    finally:
        shutil.rmtree(directory)


def _megabytes(workers: list[Worker]) -> dict[str, float]:
    return {each.name: psutil.Process(each.pid).memory_info().rss / 2**20 for each in workers}


async def _submitted(resources: Resources, number: int) -> None:
    """Submit `number` tasks, and wait until the views hold them."""
    tasks = (TaskSubmitted(event_id=uuid4(), text=f"Is value {place} true? " * 20) for place in range(number))
    await append_all(resources.log, tasks)
    await resources.views.progress.wait(await resources.log.last_sequence(), seconds=120.0)


async def test_waiting_tasks_do_not_make_processes_grow(settings: Settings) -> None:
    """No process grows by more than `GROWTH` again and again while thousands of tasks wait for a specialist that is not
    running. It may grow once, when its allocator takes more memory from the system.
    """
    async with open_resources(settings) as resources, _workers(settings) as workers:
        await resources.log.append(agent_defined())
        await _submitted(resources, WARM)
        sizes = [_megabytes(workers)]
        for _ in range(ROUNDS):
            await _submitted(resources, TASKS)
            sizes.append(_megabytes(workers))
    growth = {name: [after[name] - before[name] for before, after in pairwise(sizes)] for name in RUNNING}
    assert {name: each for name, each in growth.items() if min(each) > GROWTH} == {}
