"""An operator retries dead letters: a failed task gets a new attempt, and any other event is handled again by its
service.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from nemuri.admin import dead_letters as dead
from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.tasks import ReactionFailed, TaskReopened
from nemuri_domain.tasks.task_attempts import reopened
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.answer import AnswerJob
from nemuri_infra.models.jobs.key_point import KeyPointJob
from nemuri_infra.models.jobs.learnings import LearningsJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.dead_letters import DeadLetters
from nemuri_infra.stores.delivery_attempts import MAX_FAULTS
from tests.integration.harness import (
    ALL_SERVICES,
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    dead_letters,
    effective_events,
    messages,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.connected
QUESTION = "What is truth?"


@dataclass
class SwitchableModel(CountingModel):
    """A model with switches for answers, learnings and key points. A job that is switched off raises `ValueError`."""

    answers: bool = True
    learns: bool = True
    reads: bool = True

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the value, or fail if the job is switched off."""
        switches = {AnswerJob: self.answers, KeyPointJob: self.reads, LearningsJob: self.learns}
        if not switches.get(type(job), True):
            raise ValueError("the model broke")
        return await super().do(job)


@asynccontextmanager
async def platform(settings: Settings, model: SwitchableModel) -> AsyncIterator[tuple[Resources, Client]]:
    """Run all services with the model and one agent, and yield the resources and a client."""
    async with (
        running_services(settings, models=Models(main=model, light=model)) as resources,
        connected_client(settings) as client,
    ):
        await resources.log.append(agent_defined())
        await client.settle()
        yield resources, client


async def test_a_failed_task_is_retried_as_a_new_attempt(settings: Settings) -> None:
    """The retry of a failed task begins a second attempt under the same id, and removes the dead letter."""
    model = SwitchableModel(answers=False)
    async with platform(settings, model) as (resources, client):
        failed = await client.ask(QUESTION)
        assert (failed.status, failed.attempt) == ("failed", 1)
        assert failed.reason == "specialist could not handle memories_retrieved: the model broke"
        await until_idle(resources)
        [stored_letter] = await dead_letters(resources.log)
        letter = stored_letter.letter
        assert (letter.service, letter.kind, letter.task_id) == ("specialist", "memories_retrieved", failed.task_id)
        assert (letter.reason, letter.error, letter.faults) == ("the model broke", "ValueError", MAX_FAULTS)
        assert (letter.attempt, letter.agent_id) == (1, "python")
        assert await dead.original(client, stored_letter) == (await messages(resources.log))[letter.sequence - 1].data
        model.answers = True
        assert await dead.retry(client, letter.name) == f"task {failed.task_id} is open again, attempt 2"
        again = await client.result(failed.task_id, settled=True)
        assert (again.status, again.attempt, again.reason) == ("done", 2, None)
        assert await dead_letters(resources.log) == []
        with pytest.raises(ClientError, match="has its answer"):
            await dead.reopen(client, failed.task_id)
        await until_idle(resources)
    await assert_verified(settings)


async def test_a_second_failure_has_its_own_dead_letter(settings: Settings) -> None:
    """A second failure has a dead letter for the second attempt. A dead letter of the first attempt then reopens
    nothing.
    """
    model = SwitchableModel(answers=False)
    async with platform(settings, model) as (resources, client):
        failed = await client.ask(QUESTION)
        await until_idle(resources)
        [first] = await dead_letters(resources.log)
        await dead.retry(client, first.letter.name)
        await until_idle(resources)
        assert (await client.progress(failed.task_id)).status == "failed"
        [second] = await dead_letters(resources.log)
        assert (first.letter.attempt, second.letter.attempt) == (1, 2)
        await DeadLetters(resources.log).store(first.letter, first.original)
        assert await dead.retry(client, first.letter.name) == f"task {failed.task_id} is at attempt 2 already"
        opened = [event for event in await effective_events(resources.log) if isinstance(event, TaskReopened)]
        assert len(opened) == 1
    await assert_verified(settings)


async def test_a_late_failure_of_an_attempt_does_not_end_the_next(settings: Settings) -> None:
    """A failure of the first attempt that arrives late does not end the second attempt."""
    names = [service for service in ALL_SERVICES if service != "specialist"]
    async with running_services(settings, names) as resources, connected_client(settings) as client:
        log = resources.log
        await log.append(agent_defined())
        task_id = await client.submit(QUESTION)
        fault = {"correlation_id": task_id, "service": "specialist", "cause_kind": "task_assigned", "error": "a fault"}

        async def give_up(attempt: int) -> tuple[str, int]:
            """Append a failure of an attempt, wait, and return the task's status and present attempt."""
            await log.append(ReactionFailed.model_validate({"event_id": uuid4(), "attempt": attempt} | fault))
            await until_idle(resources, names)
            progress = await client.progress(task_id)
            return progress.status, progress.attempt

        await until_idle(resources, names)
        with pytest.raises(ClientError, match="has not failed, it is in progress: 0 of 1 parts answered"):
            await dead.reopen(client, task_id)
        assert await give_up(1) == ("failed", 1)
        await log.append(reopened(task_id, 1, None))
        assert await give_up(1) == ("open", 2)
        assert await give_up(2) == ("failed", 2)
    await assert_verified(settings)


async def test_a_step_after_the_answer_is_retried_by_its_service(settings: Settings) -> None:
    """A step that failed after the answer is handled again by its service, and the task stays done."""
    model = SwitchableModel(learns=False, learnings_by_question={QUESTION: {"semantics": "What is so is true."}})
    async with platform(settings, model) as (resources, client):
        done = await client.ask(QUESTION, settled=True)
        assert (done.status, done.learned) == ("done", ())
        await until_idle(resources)
        [stored_letter] = await dead_letters(resources.log)
        with pytest.raises(ClientError, match="attribution failed: the model broke"):
            await dead.retry(client, stored_letter.letter.name)
        assert await dead_letters(resources.log) == [stored_letter]
        model.learns = True
        assert await dead.retry(client, stored_letter.letter.name) == "attribution has handled memories_used"
        assert await dead_letters(resources.log) == []
        await until_idle(resources)
        learned = await client.progress(done.task_id)
        assert (learned.status, learned.attempt) == ("done", 1)
        assert learned.learned != ()
    await assert_verified(settings)


async def test_a_task_without_an_agent_is_reopened_by_its_id(settings: Settings) -> None:
    """A task that failed because there was no agent has no dead letter, and is reopened by its id."""
    async with platform(settings, SwitchableModel()) as (resources, client):
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION, agent="later")
        await resources.log.append(task)
        await client.settle()
        assert (await client.result(task.event_id)).status == "failed"
        assert await dead_letters(resources.log) == []
        await resources.log.append(agent_defined("later"))
        assert await dead.reopen(client, task.event_id) == f"task {task.event_id} is open again, attempt 2"
        assert (await client.result(task.event_id)).status == "done"


class PairedModel(SwitchableModel):
    """A model that processes two chunks at a time: a first one waits until a second one comes."""

    def __init__(self) -> None:
        super().__init__(reads=False)
        self.both = asyncio.Barrier(2)

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return the value, or fail if the job is switched off. Key points come both times together."""
        if isinstance(job, KeyPointJob):
            async with asyncio.timeout(30):
                await self.both.wait()
        return await super().do(job)


async def test_several_dead_letters_of_a_task_reopen_it_once(settings: Settings) -> None:
    """The first retried dead letter of a task reopens it. Other dead letters of the task begin no further attempt."""
    model = PairedModel()  # else the first dead letter may fail the task before the second chunk's last try
    async with platform(settings, model) as (resources, client):
        pages = "\f".join(f"Page {number} says that {number} is true." for number in range(1, 16))
        failed = await client.ask(QUESTION, documents=[("pages", pages)])
        assert failed.status == "failed"
        await until_idle(resources)
        first, second = await dead.all_names(client)
        model.reads = True
        assert await dead.retry(client, first) == f"task {failed.task_id} is open again, attempt 2"
        assert (await client.result(failed.task_id, settled=True)).status == "done"
        assert await dead.retry(client, second) == f"task {failed.task_id} is at attempt 2 already"
        await until_idle(resources)
        assert await dead_letters(resources.log) == []
    await assert_verified(settings)
