"""No client can keep the platform from the others: not by what is missing, not by what is slow, not by asking much."""

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
from nemuri_contracts.memory_views import RememberedView, StatusView
from nemuri_contracts.queries import RememberedQuery, StatusQuery
from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.factory import Models
from nemuri_infra.models.protocol import KeyPointJob, Reply
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import blob_bucket
from tests.integration.scene import (
    CountingModel,
    agent_defined,
    append_all,
    assert_verified,
    at_work,
    dead_letters,
    eventually,
    logged,
    quiet,
    visiting,
)

pytestmark = pytest.mark.connected
MANY = 400
"""More events than the log handed out at once to a service whose every event had to wait."""
LOST = "1" * 64


async def name_without_pieces(log: Log, ref: str) -> None:
    """What a client leaves behind that dies while it writes an input in another order than ours, or means ill."""
    bucket = blob_bucket(log.subjects.namespace)
    await log.stream.publish(f"$O.{bucket}.M.mallory.{ref}", orjson.dumps({"pieces": 1, "digest": ref}))


def asking_for(ref: str, number: int) -> list[TaskSubmitted]:
    """Tasks with that input."""
    document = Document(name="lost.txt", ref=ref, characters=7)
    return [
        TaskSubmitted(event_id=uuid4(), client_id="mallory", text=f"Is {each} lost?", documents=(document,))
        for each in range(number)
    ]


async def test_inputs_whose_pieces_never_come_hold_up_nobody(settings: Settings) -> None:
    """Another client is answered at once, however many of them wait."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        await name_without_pieces(resources.log, LOST)
        await append_all(resources.log, asking_for(LOST, MANY))
        assert (await client.ask("What is truth?", timeout=20)).status == "done"


async def test_an_input_whose_pieces_never_come_ends_its_task(settings: Settings) -> None:
    """Once it has waited for them for as long as is set: with a reason, and a dead letter."""
    settings = settings.model_copy(update={"input_patience": 0.5})
    async with at_work(settings) as resources, visiting(settings, "mallory") as client:
        await name_without_pieces(resources.log, LOST)
        [task] = asking_for(LOST, 1)
        await resources.log.append(task)
        await client.settle()
        result = await client.result(task.event_id, timeout=30)
        assert result.status == "failed"
        assert "intake could not handle task_submitted" in str(result.reason)
        assert "is missing" in str(result.reason)
        await quiet(resources)
        [buried] = await dead_letters(resources.log)
        assert buried.letter.error == "IncompleteObjectError"
        assert buried.letter.deliveries > 2
    await assert_verified(settings)


async def test_pieces_that_come_a_little_late_are_waited_for(settings: Settings) -> None:
    """As a replica may be behind for a moment."""
    async with at_work(settings) as resources, visiting(settings, "mallory") as client:
        await resources.log.append(agent_defined())
        text = "Nothing is lost."
        ref = await resources.blobs.put(text)
        await resources.blobs.erase(ref)
        await name_without_pieces(resources.log, ref)
        [task] = asking_for(ref, 1)
        await resources.log.append(task)
        await client.settle()

        async def put_off() -> bool:
            """It was tried and put off."""
            known = await resources.log.stream.consumer_info(settings.namespace, "intake")
            return bool(known.num_redelivered)

        await eventually(put_off)
        await resources.blobs.store.put(f"mallory.{ref}", text.encode())
        assert (await client.result(task.event_id, settled=True, timeout=30)).status == "done"


async def test_an_event_that_is_put_off_counts_as_handed_out(settings: Settings) -> None:
    """The server hands out no more than is allowed, those included that come again only later: hence the room."""
    async with logged(settings) as log:
        known = await log.stream.consumer_info(settings.namespace, "intake")
        assert (known.config.max_ack_pending or 0) > 10_000
        await log.stream.add_consumer(settings.namespace, known.config.evolve(max_ack_pending=2))
        await append_all(log, asking_for(LOST, 4))
        pulling = await log.stream.pull_subscribe_bind(durable="intake", stream=settings.namespace)
        for message in await pulling.fetch(2, timeout=5):
            await message.nak(delay=60)
        await log.connection.flush()
        with pytest.raises(TimeoutError):
            await pulling.fetch(1, timeout=1)
        await log.stream.add_consumer(settings.namespace, known.config.evolve(max_ack_pending=4))
        assert len(await pulling.fetch(2, timeout=5)) == 2


@dataclass
class Slow(CountingModel):
    """A model that takes its time with some texts."""

    let_go: asyncio.Event = field(default_factory=asyncio.Event)

    async def key_point(self, job: KeyPointJob) -> Reply[Any]:
        """Once it may."""
        if "slow" in job.text:
            await self.let_go.wait()
        return await super().key_point(job)


async def test_the_slow_work_of_one_client_holds_up_no_other(settings: Settings) -> None:
    """Many tasks whose every step takes long: the next client's is read beside them."""
    model = Slow()
    async with at_work(settings, models=Models(main=model, light=model)) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        slow, quick = "This page is slow.", "An empty list is false."
        held = Document(name="slow.txt", ref=await resources.blobs.put(slow), characters=len(slow))
        tasks = [task.model_copy(update={"documents": (held,)}) for task in asking_for(LOST, 24)]
        await append_all(resources.log, tasks)

        async def at_it() -> bool:
            """As many of them are in work as may be."""
            known = await resources.log.stream.consumer_info(settings.namespace, "intake")
            return (known.num_ack_pending or 0) >= 16

        await eventually(at_it)
        await client.settle()
        document = Document(name="quick.txt", ref=await resources.blobs.put(quick), characters=len(quick))
        own = TaskSubmitted(event_id=uuid4(), client_id="ann", text="Is a list false?", documents=(document,))
        await resources.log.append(own)
        await client.settle()
        assert (await client.result(own.event_id, settled=True, timeout=30)).status == "done"
        model.let_go.set()
        async with visiting(settings, "mallory") as mallory:
            for task in tasks:
                assert (await mallory.result(task.event_id, settled=True, timeout=60)).status == "done"


@asynccontextmanager
async def asking(settings: Settings, client_id: str) -> AsyncIterator[Exchange]:
    """A client that asks whatever it likes."""
    async with logged(settings) as log:
        yield Exchange(log, client_id)


async def test_a_question_beyond_the_end_of_the_log_is_refused_at_once(settings: Settings) -> None:
    """In one line; and however many are asked, others have their answers meanwhile."""
    async with (
        at_work(settings) as resources,
        asking(settings, "mallory") as mallory,
        asking(settings, "ann") as ann,
    ):
        await resources.log.append(agent_defined())
        end = await resources.log.last_sequence()
        began = asyncio.get_running_loop().time()
        beyond = [mallory.ask(StatusQuery, StatusView, after=end + 1_000) for _ in range(40)]
        asked = asyncio.gather(*beyond, return_exceptions=True)
        await ann.ask(StatusQuery, StatusView)
        refused = await asked
        assert asyncio.get_running_loop().time() - began < 5
    for each in refused:
        assert isinstance(each, ClientError)
        assert str(each).startswith(f"after is {end + 1_000}, but the log ends at ")


async def test_questions_that_wait_for_what_is_on_its_way_hold_up_nobody(settings: Settings) -> None:
    """Be it the views or what becomes of an offer: the next question of another client does not stand behind them."""
    names = ["query-api", "projector"]
    async with (
        at_work(settings, names) as resources,
        asking(settings, "mallory") as mallory,
        asking(settings, "ann") as ann,
    ):
        await resources.log.append(agent_defined())
        ann.seen = mallory.seen = await resources.log.last_sequence()
        unknown = (uuid4(),)
        waiting = [
            asyncio.ensure_future(mallory.ask(RememberedQuery, RememberedView, agent_id="python", offers=unknown))
            for _ in range(40)
        ]
        await asyncio.sleep(0)
        began = asyncio.get_running_loop().time()
        own = await ann.ask(RememberedQuery, RememberedView, agent_id="python", offers=())
        assert own.pending == ()
        assert asyncio.get_running_loop().time() - began < 2
        answers = await asyncio.gather(*waiting)
        assert asyncio.get_running_loop().time() - began < 12
    assert {each.pending for each in answers} == {unknown}
