"""A worker that is told to stop finishes the events that it handles and takes no new ones."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.error import URLError

import pytest

from nemuri_contracts.tasks import TaskAnswered
from nemuri_infra.runtime.settings import Settings
from tests.e2e.conftest import SCRIPT, environment
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)
from tests.integration.probes import ready
from tests.integration.providers.provider import Provider, ScriptedReply, openai_reply

pytestmark = pytest.mark.connected

ALL_BUT_SPECIALIST = [name for name in ALL_SERVICES if name != "specialist"]


@asynccontextmanager
async def _workers(
    settings: Settings, provider: Provider, directory: Path, count: int
) -> AsyncIterator[tuple[asyncio.subprocess.Process, list[str]]]:
    """Run `nemuri worker specialist` with `count` workers, and yield its process and the URLs of the workers' health
    probes.
    """
    process = await asyncio.create_subprocess_exec(
        *(SCRIPT, "--data", directory, "worker", "specialist", "--count", str(count), "--http", "127.0.0.1:0"),
        stdout=asyncio.subprocess.PIPE,
        stderr=sys.stderr,
        env=environment(
            NATS_URL=str(settings.nats_url),
            DATABASE_URL=str(settings.database_url),
            NEMURI_NAMESPACE=settings.namespace,
            NEMURI_PROVIDERS="openai",
            OPENAI_API_KEY="none",
            OPENAI_BASE_URL=provider.url,
        ),
    )
    assert process.stdout is not None
    try:
        told = [(await process.stdout.readline()).decode() for _ in range(count)]
        yield process, [line.split()[-1] for line in told]
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_stopped_workers_finish_slow_answers(settings: Settings, tmp_path: Path) -> None:
    """Workers stopped by SIGTERM append each answer that they are working on once, call the model once per task, and
    exit with code 0.
    """
    go = asyncio.Event()
    async with (
        Provider([ScriptedReply(openai_reply("It is."), after=go)]) as provider,
        running_services(settings, ALL_BUT_SPECIALIST) as resources,
        connected_client(settings) as client,
        _workers(settings, provider, tmp_path, 2) as (process, urls),
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        for url in urls:
            assert await ready(url) == (True, [])
        tasks = [await client.submit(f"Is value {number} true?") for number in range(2)]

        async def begun() -> bool:
            """Return True once the model has got the requests of both tasks."""
            return len(provider.received) == len(tasks)

        await eventually(begun)
        process.send_signal(signal.SIGTERM)

        async def closing() -> bool:
            """Return True once the workers have closed their probes and fetch no more events."""
            faces = await asyncio.gather(*map(ready, urls), return_exceptions=True)
            durable = await resources.log.stream.consumer_info(resources.log.subjects.stream, "specialist")
            return all(isinstance(face, URLError) for face in faces) and not durable.num_waiting

        await eventually(closing)
        late = await client.submit("Is a late value true?")
        await until_idle(resources, ALL_BUT_SPECIALIST)
        go.set()
        assert await asyncio.wait_for(process.wait(), 25) == 0

        await until_idle(resources, ALL_BUT_SPECIALIST)
        answers = [event for event in await effective_events(resources.log) if isinstance(event, TaskAnswered)]
        assert sorted(answer.task_id for answer in answers) == sorted(tasks)
        assert len(provider.received) == len(tasks)
        assert (await client.progress(late)).status == "open"
