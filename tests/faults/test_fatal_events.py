"""An event that kills every worker that handles it is dead-lettered, and other events are still handled."""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from nemuri.admin import dead_letters as dead
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.delivery_attempts import MAX_MISSING_OUTCOMES
from tests.e2e.conftest import environment
from tests.faults.fatal_specialist import FATAL_WORD
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    assert_verified,
    connected_client,
    dead_letters,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected

ALL_BUT_SPECIALIST = [name for name in ALL_SERVICES if name != "specialist"]
ACK_WAIT = 1.0
"""Seconds until redelivery, which each death of the worker costs."""


@asynccontextmanager
async def _restarting_specialist(settings: Settings) -> AsyncIterator[Process]:
    """Run a specialist that is restarted after each death, and yield its process."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.faults.fatal_specialist"),
        stdout=PIPE,
        start_new_session=True,
        env=environment(
            NATS_URL=str(settings.nats_url),
            DATABASE_URL=str(settings.database_url),
            NEMURI_NAMESPACE=settings.namespace,
            NEMURI_ACK_WAIT=str(ACK_WAIT),
        ),
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


async def test_an_event_that_kills_its_worker_is_dead_lettered(settings: Settings) -> None:
    """An event that kills its worker is dead-lettered after ten deliveries without an outcome, and its task fails.

    Tasks in work beside it are answered. A retry of the dead letter succeeds once the cause is removed.
    """
    async with running_services(settings, ALL_BUT_SPECIALIST) as resources, connected_client(settings) as client:
        log = resources.log
        await log.append(agent_defined())
        known = await log.stream.consumer_info(log.subjects.stream, "specialist")
        await log.stream.add_consumer(log.subjects.stream, known.config.evolve(ack_wait=ACK_WAIT))
        await client.settle()
        questions = [f"Is a {FATAL_WORD} value true?", *(f"Is value {number} true?" for number in range(3))]
        fatal, *others = [await client.submit(question) for question in questions]
        await until_idle(resources, ALL_BUT_SPECIALIST)
        async with _restarting_specialist(settings) as worker:
            for task in others:
                assert (await client.result(task, settled=True)).status == "done"
            result = await client.result(fatal)
            await until_idle(resources)
        assert result.status == "failed"
        ended = f"{MAX_MISSING_OUTCOMES} deliveries ended without an outcome"
        assert f"specialist could not handle memories_retrieved: {ended}" in str(result.reason)
        [buried] = await dead_letters(log)
        letter = buried.letter
        assert (letter.service, letter.task_id) == ("specialist", fatal)
        assert (letter.error, letter.faults) == ("Silence", 0)
        # The server also redelivers an event whose worker was slower than its acknowledgement timeout.
        assert letter.deliveries >= MAX_MISSING_OUTCOMES + 2
        assert worker.stdout is not None
        told = (await worker.stdout.read()).splitlines()
        assert MAX_MISSING_OUTCOMES <= told.count(b"died") <= MAX_MISSING_OUTCOMES + 1
        async with running_services(settings, ["specialist"]):
            await dead.retry(client, letter.name)
            assert (await client.result(fatal, settled=True)).status == "done"
            await until_idle(resources)
            assert await dead_letters(log) == []
    await assert_verified(settings)
