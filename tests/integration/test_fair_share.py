"""No client can delay others, neither by missing inputs nor by slow tasks nor by many queries."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import orjson
import pytest

from nemuri.client.exchange import ClientError, Exchange
from nemuri_contracts.client_events import Document, TaskSubmitted
from nemuri_contracts.event import derive
from nemuri_contracts.memory_views import RememberedView, StatusView
from nemuri_contracts.queries import RememberedQuery, StatusQuery
from nemuri_contracts.strength import MemoryRefused
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_services.query_api import handlers as query_handlers
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    append_all,
    assert_verified,
    connected_client,
    dead_letters,
    eventually,
    opened_log,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
MANY = 400
"""More events than a consumer delivers before earlier ones are acknowledged."""
MISSING_REF = "1" * 64


async def publish_description(log: Log, ref: str) -> None:
    """Publish the description of an input whose pieces are never written."""
    bucket = blob_bucket(log.subjects.namespace)
    await log.stream.publish(f"$O.{bucket}.M.mallory.{ref}", orjson.dumps({"pieces": 1, "digest": ref}))


def tasks_with_input(ref: str, number: int) -> list[TaskSubmitted]:
    """Return `number` tasks of the client `mallory` that have this input as document."""
    document = Document(name="lost.txt", ref=ref, characters=7)
    return [
        TaskSubmitted(event_id=uuid4(), client_id="mallory", text=f"Is {each} lost?", documents=(document,))
        for each in range(number)
    ]


async def test_incomplete_inputs_do_not_hold_up_others(settings: Settings) -> None:
    """A client gets its answer while 400 tasks of another client wait for missing pieces of their input."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await publish_description(resources.log, MISSING_REF)
        await append_all(resources.log, tasks_with_input(MISSING_REF, MANY))
        assert (await client.ask("What is truth?")).status == "done"


async def test_an_incomplete_input_fails_its_task(settings: Settings) -> None:
    """A task whose input stays incomplete fails after `input_patience` seconds, with a reason and a dead letter."""
    settings = settings.model_copy(update={"input_patience": 0.5})
    async with running_services(settings) as resources, connected_client(settings, "mallory") as client:
        await publish_description(resources.log, MISSING_REF)
        [task] = tasks_with_input(MISSING_REF, 1)
        await resources.log.append(task)
        await client.settle()
        result = await client.result(task.event_id)
        assert result.status == "failed"
        assert "intake could not handle task_submitted" in str(result.reason)
        assert "is missing" in str(result.reason)
        await until_idle(resources)
        [stored_letter] = await dead_letters(resources.log)
        assert stored_letter.letter.error == "IncompleteObjectError"
        assert stored_letter.letter.deliveries > 2
    await assert_verified(settings)


async def test_an_input_completed_late_is_used(settings: Settings) -> None:
    """A task is answered although its input is completed only after the task was submitted."""
    async with running_services(settings) as resources, connected_client(settings, "mallory") as client:
        await resources.log.append(agent_defined())
        text = "Nothing is lost."
        ref = await resources.blobs.put(text)
        await resources.blobs.erase(ref)
        await publish_description(resources.log, ref)
        [task] = tasks_with_input(ref, 1)
        await resources.log.append(task)
        await client.settle()

        async def redelivered() -> bool:
            """Return True once the event was delivered again."""
            known = await resources.log.stream.consumer_info(settings.namespace, "intake")
            return bool(known.num_redelivered)

        await eventually(redelivered)
        await resources.blobs.store.put(f"mallory.{ref}", text.encode())
        assert (await client.result(task.event_id, settled=True)).status == "done"


async def test_a_delayed_event_counts_as_pending_acknowledgement(settings: Settings) -> None:
    """Delayed events count towards the consumer's `max_ack_pending`, which must therefore be large."""
    async with opened_log(settings) as log:
        known = await log.stream.consumer_info(settings.namespace, "intake")
        assert (known.config.max_ack_pending or 0) > 10_000
        await log.stream.add_consumer(settings.namespace, known.config.evolve(max_ack_pending=2))
        await append_all(log, tasks_with_input(MISSING_REF, 4))
        pulling = await log.stream.pull_subscribe_bind(durable="intake", stream=settings.namespace)
        for message in await pulling.fetch(2, timeout=5):
            await message.nak(delay=60)
        await log.connection.flush()
        with pytest.raises(TimeoutError):
            await pulling.fetch(1, timeout=1)
        await log.stream.add_consumer(settings.namespace, known.config.evolve(max_ack_pending=4))
        assert len(await pulling.fetch(2, timeout=5)) == 2


@dataclass
class SlowModel(CountingModel):
    """A model that delays texts with the word "slow" until the test releases them."""

    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the key point. For a slow text, wait until it is released."""
        if isinstance(job, KeyPointJob) and "slow" in job.text:
            await self.release.wait()
        return await super().do(job)


async def test_slow_work_of_one_client_does_not_hold_up_others(settings: Settings) -> None:
    """A client's task is answered while many slow tasks of another client are being handled."""
    model = SlowModel()
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        slow, quick = "This page is slow.", "An empty list is false."
        held = Document(name="slow.txt", ref=await resources.blobs.put(slow), characters=len(slow))
        tasks = [task.model_copy(update={"documents": (held,)}) for task in tasks_with_input(MISSING_REF, 24)]
        await append_all(resources.log, tasks)

        async def all_busy() -> bool:
            """Return True once as many slow tasks are being handled as allowed."""
            known = await resources.log.stream.consumer_info(settings.namespace, "intake")
            return (known.num_ack_pending or 0) >= 16

        await eventually(all_busy)
        await client.settle()
        document = Document(name="quick.txt", ref=await resources.blobs.put(quick), characters=len(quick))
        own = TaskSubmitted(event_id=uuid4(), client_id="ann", text="Is a list false?", documents=(document,))
        await resources.log.append(own)
        await client.settle()
        assert (await client.result(own.event_id, settled=True)).status == "done"
        model.release.set()
        async with connected_client(settings, "mallory") as mallory:
            for task in tasks:
                assert (await mallory.result(task.event_id, settled=True)).status == "done"


@asynccontextmanager
async def exchange_of(settings: Settings, client_id: str) -> AsyncIterator[Exchange]:
    """Yield an exchange that sends queries as a client."""
    async with opened_log(settings) as log:
        yield Exchange(log, client_id)


async def test_a_query_beyond_the_end_of_the_log_is_refused(settings: Settings) -> None:
    """Queries that wait for a position beyond the end of the log are refused in one line, and do not wait for it.

    Other queries are answered meanwhile.
    """
    async with (
        running_services(settings) as resources,
        exchange_of(settings, "mallory") as mallory,
        exchange_of(settings, "ann") as ann,
    ):
        await resources.log.append(agent_defined())
        end = await resources.log.last_sequence()
        beyond = [mallory.ask(StatusQuery, StatusView, after=end + 1_000) for _ in range(40)]
        asked = asyncio.gather(*beyond, return_exceptions=True)
        await ann.ask(StatusQuery, StatusView)
        refused = await asked
    for each in refused:
        assert isinstance(each, ClientError)
        assert str(each).startswith(f"after is {end + 1_000}, but the log ends at ")


async def test_waiting_queries_do_not_hold_up_other_clients(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client's query is answered while 40 queries of another client wait. They are answered when the offer that they
    wait for is decided.
    """
    monkeypatch.setattr(query_handlers, "LONGEST_WAIT", 3_600.0)
    names, offer = ["query-api", "projector"], uuid4()
    async with (
        running_services(settings, names) as resources,
        exchange_of(settings, "mallory") as mallory,
        exchange_of(settings, "ann") as ann,
    ):
        await resources.log.append(agent_defined())
        ann.newest_sequence = mallory.newest_sequence = await resources.log.last_sequence()
        waiting = [
            asyncio.ensure_future(mallory.ask(RememberedQuery, RememberedView, agent_id="python", offers=(offer,)))
            for _ in range(40)
        ]
        await asyncio.sleep(0)
        own = await ann.ask(RememberedQuery, RememberedView, agent_id="python", offers=())
        assert own.pending == ()
        assert not any(each.done() for each in waiting)
        refused = derive(offer, MemoryRefused.kind_of())
        await resources.log.append(MemoryRefused(event_id=refused, agent_id="python", reason="it is too late"))
        answers = await asyncio.gather(*waiting)
    assert {(answer.pending, answer.refused[0].offer) for answer in answers} == {((), offer)}
