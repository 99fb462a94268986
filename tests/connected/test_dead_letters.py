"""What services gave up on is kept with all that is known of it, tried again when an operator says so, or dropped."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from nemuri.contracts.clients import TaskSubmitted
from nemuri.contracts.tasks import ReactionFailed, TaskReopened
from nemuri.domain.tasks.attempts import reopened
from nemuri.face import dead_letters as dead
from nemuri.face.client import Client
from nemuri.face.exchange import ClientError
from nemuri.face.operations import rebuild
from nemuri.infra.log import Log
from nemuri.infra.models.factory import Models
from nemuri.infra.models.protocol import AnswerJob, KeyPointJob, LearningsJob, Reply
from nemuri.infra.resources import Resources
from nemuri.infra.settings import Settings
from nemuri.infra.stores.dead_letters import DeadLetters
from nemuri.infra.stores.tries import FAULTS
from tests.connected.scene import (
    EVERYBODY,
    CountingModel,
    agent_defined,
    assert_verified,
    at_work,
    dead_letters,
    effective,
    eventually,
    messages,
    quiet,
    visiting,
)
from tests.connected.servers import Servers

pytestmark = pytest.mark.connected
QUESTION = "What is truth?"
CANARY = "canary-6f1b2c"


@dataclass
class Breakable(CountingModel):
    """A model that can be broken and mended."""

    answers: bool = True
    learns: bool = True
    reads: bool = True

    async def answer(self, job: AnswerJob) -> Reply[Any]:
        """While it is not broken."""
        if not self.answers:
            raise ValueError("the model broke")
        return await super().answer(job)

    async def key_point(self, job: KeyPointJob) -> Reply[Any]:
        """While it is not broken."""
        if not self.reads:
            raise ValueError("the model broke")
        return await super().key_point(job)

    async def learnings(self, job: LearningsJob) -> Reply[Any]:
        """While it is not broken."""
        if not self.learns:
            raise ValueError("the model broke")
        return await super().learnings(job)


@asynccontextmanager
async def platform(settings: Settings, model: Breakable) -> AsyncIterator[tuple[Resources, Client]]:
    """Everybody at work with the model, one agent and one client."""
    async with at_work(settings, models=Models(main=model, light=model)) as resources, visiting(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        yield resources, client


async def nonsense(log: Log, data: bytes = b"{", kind: str = "nonsense") -> str:
    """Something that nobody understands; the name of its letter, as soon as there is one."""
    ack = await log.stream.publish(f"{log.subjects.namespace}.client.mallory.{kind}", data)
    name = f"intake/{ack.seq}"

    async def there() -> bool:
        """The letter is written."""
        return name in {each.letter.name for each in await dead_letters(log)}

    await eventually(there)
    return name


async def test_a_failed_task_is_opened_again_as_a_new_attempt(settings: Settings) -> None:
    """It says why it failed; tried again it is answered, under the same id, and its letter is gone."""
    model = Breakable(answers=False)
    async with platform(settings, model) as (resources, client):
        failed = await client.ask(QUESTION, timeout=30)
        assert (failed.status, failed.attempt) == ("failed", 1)
        assert failed.reason == "specialist could not handle memories_retrieved: the model broke"
        await quiet(resources)
        [buried] = await dead_letters(resources.log)
        letter = buried.letter
        assert (letter.service, letter.kind, letter.task_id) == ("specialist", "memories_retrieved", failed.task_id)
        assert (letter.reason, letter.error, letter.faults) == ("the model broke", "ValueError", FAULTS)
        assert (letter.attempt, letter.agent_id) == (1, "python")
        assert await dead.original(client, buried) == (await messages(resources.log))[letter.sequence - 1].data
        model.answers = True
        assert await dead.retry(client, letter.name) == f"task {failed.task_id} is open again, attempt 2"
        again = await client.result(failed.task_id, settled=True, timeout=30)
        assert (again.status, again.attempt, again.reason) == ("done", 2, None)
        assert await dead_letters(resources.log) == []
        with pytest.raises(ClientError, match="has its answer"):
            await dead.reopen(client, failed.task_id)
        await quiet(resources)
    await assert_verified(settings)


async def test_what_fails_again_has_a_letter_again(settings: Settings) -> None:
    """Of its new attempt; and a letter of the old one opens nothing a second time."""
    model = Breakable(answers=False)
    async with platform(settings, model) as (resources, client):
        failed = await client.ask(QUESTION, timeout=30)
        await quiet(resources)
        [first] = await dead_letters(resources.log)
        await dead.retry(client, first.letter.name)
        await quiet(resources)
        assert (await client.progress(failed.task_id)).status == "failed"
        [second] = await dead_letters(resources.log)
        assert (first.letter.attempt, second.letter.attempt) == (1, 2)
        await DeadLetters(resources.log).bury(first.letter, first.original)
        assert await dead.retry(client, first.letter.name) == f"task {failed.task_id} is at attempt 2 already"
        opened = [each for each in await effective(resources.log) if isinstance(each, TaskReopened)]
        assert len(opened) == 1
    await assert_verified(settings)


async def test_giving_up_on_an_earlier_attempt_ends_no_later_one(settings: Settings) -> None:
    """What is said late of the first attempt leaves the second as it is; what is said of the second ends it."""
    names = [each for each in EVERYBODY if each != "specialist"]
    async with at_work(settings, names) as resources, visiting(settings) as client:
        log = resources.log
        await log.append(agent_defined())
        task_id = await client.submit(QUESTION)
        fault = {"correlation_id": task_id, "service": "specialist", "cause_kind": "task_assigned", "error": "a fault"}

        async def give_up(attempt: int) -> tuple[str, int]:
            """How the task stands after a service gave up on an attempt."""
            await log.append(ReactionFailed.model_validate({"event_id": uuid4(), "attempt": attempt} | fault))
            await quiet(resources, names)
            told = await client.progress(task_id)
            return told.status, told.attempt

        await quiet(resources, names)
        with pytest.raises(ClientError, match="has not failed, it goes on: 0 of 1 parts answered"):
            await dead.reopen(client, task_id)
        assert await give_up(1) == ("failed", 1)
        await log.append(reopened(task_id, 1, None))
        assert await give_up(1) == ("open", 2)
        assert await give_up(2) == ("failed", 2)
    await assert_verified(settings)


async def test_what_the_answer_did_not_need_is_handed_back_to_its_service(settings: Settings) -> None:
    """The task stays done, no attempt is opened, and what was not learned is learned."""
    model = Breakable(learns=False, teaches={QUESTION: {"semantics": "What is so is true."}})
    async with platform(settings, model) as (resources, client):
        done = await client.ask(QUESTION, settled=True, timeout=30)
        assert (done.status, done.learned) == ("done", ())
        await quiet(resources)
        [buried] = await dead_letters(resources.log)
        with pytest.raises(ClientError, match="attribution failed: the model broke"):
            await dead.retry(client, buried.letter.name)
        assert await dead_letters(resources.log) == [buried]
        model.learns = True
        assert await dead.retry(client, buried.letter.name) == "attribution has handled memories_used"
        assert await dead_letters(resources.log) == []
        await quiet(resources)
        learned = await client.progress(done.task_id)
        assert (learned.status, learned.attempt) == ("done", 1)
        assert learned.learned != ()
    await assert_verified(settings)


async def test_what_is_no_event_is_never_tried_again(settings: Settings) -> None:
    """It has one letter for the whole log, however often and late it is delivered, and is refused in one line."""
    async with platform(settings, Breakable()) as (resources, client):
        name = await nonsense(resources.log, CANARY.encode() + b"\xff")
        [buried] = await dead_letters(resources.log)
        assert (buried.letter.name, buried.letter.readable) == (name, False)
        assert buried.original == CANARY.encode() + b"\xff"
        await DeadLetters(resources.log).bury(buried.letter, b"again")
        assert await dead_letters(resources.log) == [buried]
        with pytest.raises(ClientError, match=f"{name} is no event: no valid JSON"):
            await dead.retry(client, name)
        with pytest.raises(ClientError, match="there is no letter intake/99999"):
            await dead.retry(client, "intake/99999")
        with pytest.raises(ClientError, match="is no letter's name"):
            await dead.drop(client, "../17")
        assert await dead_letters(resources.log) == [buried]


async def test_letters_are_listed_in_pages(settings: Settings) -> None:
    """Oldest first, of one service or all, and one that was dropped is gone."""
    async with platform(settings, Breakable()) as (resources, client):
        names = [await nonsense(resources.log) for _ in range(5)]
        first = await dead.page(client, limit=2)
        assert ([each.letter.name for each in first.letters], first.total, first.more) == (names[:2], 5, True)
        rest = await dead.page(client, "intake", after=names[1], limit=3)
        assert ([each.letter.name for each in rest.letters], rest.more) == (names[2:], False)
        assert (await dead.page(client, "sleep")).letters == []
        for name in await dead.every(client, "intake"):
            await dead.drop(client, name)
        assert (await dead.page(client)).total == 0


async def test_a_dropped_letter_leaves_no_bytes(own_servers: Servers) -> None:
    """Its stream's files hold nothing of it; another letter stays whole."""
    settings = own_servers.settings()
    async with prepared(settings) as resources, visiting(settings) as client:
        name = await nonsense(resources.log, CANARY.encode())
        kept = await nonsense(resources.log, b"something else")
        files = Path(own_servers.nats.directory)
        stream = resources.log.subjects.dead_stream
        assert holding(files, stream, CANARY)
        await dead.drop(client, name)
        assert holding(files, stream, CANARY) == []
        assert holding(files, stream, "something else")
        assert [each.letter.name for each in await dead_letters(resources.log)] == [kept]


async def test_what_is_no_event_can_be_erased_from_the_log(own_servers: Servers) -> None:
    """With every letter about it, and all its bytes; an event, or what is the platform's own, is refused and stays."""
    settings = own_servers.settings()
    async with prepared(settings) as resources, visiting(settings) as client:
        log = resources.log
        name = await nonsense(log, CANARY.encode())
        kept = await nonsense(log, b"something else")
        letter = (await dead.found(client, name)).letter
        letters = DeadLetters(log)
        await letters.bury(letter.model_copy(update={"service": "orchestrator"}), CANARY.encode())
        event = await log.append(agent_defined())
        own, misjudged = letter.model_copy(update={"sequence": event}), f"{log.subjects.namespace}.client.ann.x"
        await letters.bury(own.model_copy(update={"subject": f"{log.subjects.namespace}.task.1.x"}), b"1")
        await letters.bury(own.model_copy(update={"subject": misjudged, "service": "herald"}), b"2")
        for refused, why in ((f"intake/{event}", "the platform's own"), (f"herald/{event}", "is about an event")):
            with pytest.raises(ClientError, match=why):
                await dead.erase(client, refused)
        files = Path(own_servers.nats.directory)
        assert holding(files, log.subjects.stream, CANARY)
        await dead.erase(client, name)
        for stream in (log.subjects.stream, log.subjects.dead_stream):
            assert holding(files, stream, CANARY) == []
            assert holding(files, stream, "something else")
        assert await log.at(event) is not None
        there = [each.letter.name for each in await dead_letters(log)]
        assert there == [kept, f"intake/{event}", f"herald/{event}"]
        await client.settle()
        await rebuild(settings)
    await assert_verified(settings)


@asynccontextmanager
async def prepared(settings: Settings) -> AsyncIterator[Resources]:
    """Those who read and those who bury."""
    from nemuri.face.serving import prepare

    await prepare(settings)
    async with at_work(settings, ["projector", "intake", "herald"]) as resources:
        yield resources


def holding(directory: Path, stream: str, text: str) -> list[Path]:
    """The files of a stream that hold the text."""
    files = [each for each in directory.rglob("*") if each.is_file() and stream in each.parts]
    assert files
    return [each for each in files if text.encode() in each.read_bytes()]


async def test_a_letter_of_what_is_too_large_says_where_it_is(settings: Settings) -> None:
    """It holds as much as fits; the whole is still in the log."""
    async with platform(settings, Breakable()) as (resources, client):
        whole = b"x" * (resources.log.room + 2_000)
        name = await nonsense(resources.log, whole)
        buried = await dead.found(client, name)
        assert (buried.letter.size, len(buried.original)) == (len(whole), resources.log.room)
        assert await dead.original(client, buried) == whole


async def test_a_task_that_nobody_could_take_is_opened_by_its_id(settings: Settings) -> None:
    """There is no letter, because no service failed; once somebody is there it is answered."""
    async with platform(settings, Breakable()) as (resources, client):
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION, wanted_agent="later")
        await resources.log.append(task)
        await client.settle()
        assert (await client.result(task.event_id)).status == "failed"
        assert await dead_letters(resources.log) == []
        await resources.log.append(agent_defined("later"))
        assert await dead.reopen(client, task.event_id) == f"task {task.event_id} is open again, attempt 2"
        assert (await client.result(task.event_id, timeout=30)).status == "done"


async def test_several_letters_of_a_task_open_it_once(settings: Settings) -> None:
    """Each piece that could not be read has its letter; the first opens the next attempt, which reads all of them."""
    model = Breakable(reads=False)
    async with platform(settings, model) as (resources, client):
        pages = "\f".join(f"Page {number} says that {number} is true." for number in range(1, 16))
        failed = await client.ask(QUESTION, documents=[("pages", pages)], timeout=30)
        assert failed.status == "failed"
        await quiet(resources)
        first, second = await dead.every(client)
        model.reads = True
        assert await dead.retry(client, first) == f"task {failed.task_id} is open again, attempt 2"
        assert (await client.result(failed.task_id, settled=True, timeout=30)).status == "done"
        assert await dead.retry(client, second) == f"task {failed.task_id} is at attempt 2 already"
        await quiet(resources)
        assert await dead_letters(resources.log) == []
    await assert_verified(settings)
