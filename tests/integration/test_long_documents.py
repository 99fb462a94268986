"""Long documents: the cost of reading them, their effect on other tasks, and the answers from them."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from sqlalchemy import event

from nemuri.admin import dead_letters as dead
from nemuri.client.exchange import ClientError
from nemuri_contracts.task_views import TaskResult
from nemuri_contracts.tasks import ChunkReady, ChunkSummarised, TaskChunked
from nemuri_domain.tasks.chunk_order import CHUNKS_IN_FLIGHT
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import Blobs
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

SELECT_STATEMENT = re.compile(r"^SELECT.*\bFROM (?:task|chunk)\b", re.DOTALL)
QUESTION = "What is truth value testing?"
MAX_ROWS = 8
"""Largest permitted number of rows of tasks and chunks that intake and projector together read for one chunk."""


def book(chunks: int) -> str:
    """Return a text that is divided into `chunks` chunks of ten pages each."""
    return "\f".join(f"Page {page}: a value is true unless its class says otherwise." for page in range(chunks * 10))


@dataclass
class BlockedModel(CountingModel):
    """A model that returns a key point only after the test allows it."""

    release: asyncio.Event = field(default_factory=asyncio.Event)
    waiting: int = 0

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Wait until key points are allowed, and return the key point."""
        if isinstance(job, KeyPointJob):
            self.waiting += 1
            await self.release.wait()
        return await super().do(job)


@dataclass
class Reads:
    """Number of rows and of documents (blobs) read during a task."""

    rows: int = 0
    blobs: int = 0


@contextmanager
def counting_reads(resources: Resources, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reads]:
    """Yield counters of the task rows, chunk rows and documents that are read while the context is open."""
    counted, get, engine = Reads(), Blobs.get, resources.database.engine.sync_engine

    async def counted_get(blobs: Blobs, ref: str) -> str:
        counted.blobs += 1
        return await get(blobs, ref)

    def executed(_connection: Any, cursor: Any, statement: str, *_: Any) -> None:
        if SELECT_STATEMENT.search(statement):
            counted.rows += cursor.rowcount

    event.listen(engine, "after_cursor_execute", executed)
    with monkeypatch.context() as patch:
        patch.setattr(Blobs, "get", counted_get)
        yield counted
    event.remove(engine, "after_cursor_execute", executed)


@pytest.mark.connected
async def test_the_cost_per_chunk_does_not_grow_with_the_document(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows and documents read per chunk do not grow with the document's length."""
    model, found = CountingModel(), {}
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        for chunks in (16, 64):
            with counting_reads(resources, monkeypatch) as counted:
                await client.ask(QUESTION, documents=[("book.txt", f"{chunks}\f" + book(chunks)[:-1])])
                await until_idle(resources)
            found[chunks] = counted
        await assert_verified(settings)
    few, many = found[16], found[64]
    assert (many.rows - few.rows) / 48 <= MAX_ROWS, found
    assert (many.blobs - few.blobs) / 48 <= 1.5, found


@pytest.mark.connected
async def test_a_long_document_does_not_hold_up_other_tasks(settings: Settings) -> None:
    """A question is answered while chunks of another client's document wait for the model. Their number is limited."""
    model = BlockedModel()
    async with running_services(settings, models=Models(model, model)) as resources, connected_client(settings) as ann:
        await resources.log.append(agent_defined())
        await ann.settle()
        long = await ann.submit(QUESTION, documents=[("book.txt", book(40))])

        async def stuck() -> bool:
            """Return True once chunks of the document wait for the model."""
            return model.waiting >= CHUNKS_IN_FLIGHT and str((await ann.progress(long)).progress).startswith("0 of 40")

        await eventually(stuck)
        async with connected_client(settings, "bob") as bob:
            answered = await bob.ask("Is an empty list true?")
        standing = await ann.progress(long)
        model.release.set()
        whole = await ann.result(long)
        happened = await effective_events(resources.log)
    assert answered.status == whole.status == "done"
    assert (standing.status, standing.progress) == ("open", "0 of 40 parts read")
    turns = [each for each in happened if isinstance(each, TaskChunked | ChunkReady | ChunkSummarised)]
    waiting = [
        sum(isinstance(turn, ChunkReady) for turn in turns[:end])
        - sum(isinstance(turn, ChunkSummarised) for turn in turns[:end])
        for end in range(len(turns) + 1)
    ]
    assert max(waiting) == CHUNKS_IN_FLIGHT, "the number of chunks in work is limited"
    assert sum(isinstance(turn, ChunkSummarised) for turn in turns) == 40


@dataclass
class FailingModel(CountingModel):
    """A model that fails at some chunks while the test sets it to be broken."""

    broken: bool = True

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the key point. Fail at chunks with page 130 or 200 while the model is broken."""
        reads = isinstance(job, KeyPointJob) and any(f"Page {page}:" in job.text for page in (130, 200))
        if self.broken and reads:
            raise ValueError("the model broke")
        return await super().do(job)


async def test_a_reopened_task_reads_only_the_remaining_chunks(settings: Settings) -> None:
    """A reopened task reads only the chunks that have no key point yet."""
    model = FailingModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        failed = await client.ask(QUESTION, documents=[("book.txt", book(30))])
        await until_idle(resources)
        asked = dict(model.calls)
        model.broken = False
        await dead.reopen(client, failed.task_id)
        done = await client.result(failed.task_id)
        await until_idle(resources)
        points = [each for each in await effective_events(resources.log) if isinstance(each, ChunkSummarised)]
    assert (failed.status, done.status) == ("failed", "done")
    assert 0 < sum(name.startswith("point") for name in asked) < 30, "chunks of a failed task are not read"
    assert {point.ordinal for point in points} == {*range(30)}
    assert {count for name, count in model.calls.items() if name.startswith("point")} == {1}


SECRET = "The boiler in Tromsø was built by Ann in May."


def long_text(characters: int, middle: str = "") -> str:
    """Return a text of `characters` characters about classes, with the sentence `middle` in its middle."""
    filler = "A value is true unless its class says otherwise, which the pages on classes explain at length. "
    half = filler * (characters // 2 // len(filler))
    return f"{half}\n\n{middle}\n\n{half}"


async def test_a_sentence_in_the_middle_of_a_long_text_is_found(settings: Settings) -> None:
    """A sentence in the middle of a long text is found, and the answer states the share of the text read."""
    seen: list[TaskResult] = []
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        found = await client.ask(
            "Who built the boiler in Tromsø?",
            documents=[("long.txt", long_text(300_000, SECRET))],
            on_progress=seen.append,
        )
    assert SECRET in str(found.answer)
    assert found.chunks == 16
    assert found.chunks_read is not None
    assert found.share_read is not None
    assert 0 < found.share_read < 0.1
    assert "(Read: " in str(found.answer)
    assert f"from {found.chunks_read} of 16 parts" in str(found.answer)
    points = [task_result.points for task_result in seen if task_result.chunks == 16]
    assert points == sorted(points)
    assert {task_result.status for task_result in seen} == {"open"}, (
        "progress is reported until the end, which the call returns"
    )


async def test_an_answer_without_relevant_passages_speaks_of_those_read(settings: Settings) -> None:
    """An answer without relevant passages says which passages were read, and nothing is learned from it."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        found = await client.ask(
            "Who built the boiler in Tromsø?",
            documents=[("long.txt", long_text(300_000))],
            settled=True,
        )
    assert "nothing relevant" not in str(found.answer)
    assert "the passages of the documents that were read hold nothing" in str(found.answer)
    assert "(Read: " in str(found.answer)
    assert (found.learned, found.dropped) == ((), ())


async def test_documents_that_are_too_long_are_refused_at_once(settings: Settings) -> None:
    """Documents with too many parts are refused in one line, and nothing is submitted."""
    pages = "\f".join("A page." for _ in range(20_000))
    async with running_services(settings, ["projector"]) as resources, connected_client(settings) as client:
        with pytest.raises(ClientError, match=r"the documents have 2000 parts of ten pages, and a task can have"):
            await client.submit(QUESTION, documents=[("book.txt", pages)])
        assert await effective_events(resources.log) == []
