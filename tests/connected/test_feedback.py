"""Feedback counts exactly once, whenever it comes: before the answer, while it is made, or long after it."""

from uuid import UUID, uuid4

import pytest

from nemuri.contracts.clients import FeedbackGiven, TaskSubmitted
from nemuri.contracts.memories import ImpactCredited
from nemuri.domain.memory.policy import Policy
from nemuri.face.client import Client
from nemuri.infra.resources import Resources
from nemuri.infra.settings import Settings
from tests.connected.scene import agent_defined, assert_verified, at_work, effective, quiet, visiting

pytestmark = pytest.mark.connected

QUESTION = "What is the truth value of an empty list?"
WORTH = Policy().impact_user_positive + Policy().impact_task_success


async def knowing(resources: Resources, client: Client) -> UUID:
    """An agent with one memory, which answers the question."""
    await resources.log.append(agent_defined())
    await client.settle()
    return await client.remember("python", "The truth value of an empty list is false.", tags=["list"])


def helpful(task_id: UUID, event_id: UUID | None = None) -> FeedbackGiven:
    """A client found the answer helpful and succeeded with it."""
    return FeedbackGiven(
        event_id=event_id or uuid4(), client_id="ann", correlation_id=task_id, verdict="helpful", result="success"
    )


async def assert_credited_once(resources: Resources, client: Client, memory_id: UUID) -> None:
    """The memory has the points of one helpful success, from one event for each part of it."""
    await quiet(resources)
    credited = [each for each in await effective(resources.log) if isinstance(each, ImpactCredited)]
    assert sorted(each.reason for each in credited) == ["helpful", "success"]
    assert all(each.memory_ids == (memory_id,) for each in credited)
    assert (await client.memory(memory_id)).impact_score == pytest.approx(WORTH)


async def test_feedback_before_the_answer_waits_for_it(settings: Settings) -> None:
    """A client may say what a task is worth before anybody has answered it, even before it was submitted."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        task_id = uuid4()
        await resources.log.append(helpful(task_id))
        await quiet(resources)
        await client.submit(QUESTION, key=task_id)
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_feedback_while_the_answer_is_made_counts_once(settings: Settings) -> None:
    """Said at every moment of a task's way, the same thing counts once."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION)
        await resources.log.append(helpful(task.event_id))
        await resources.log.append(task)
        await client.settle()
        while not (await client.progress(task.event_id)).settled:
            await resources.log.append(helpful(task.event_id))
            await client.settle()
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_feedback_after_the_answer_counts_once_however_often_it_is_said(settings: Settings) -> None:
    """A repetition, under the same id or another one, adds nothing."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        result = await client.ask(QUESTION, settled=True)
        assert result.used == (memory_id,)
        said = helpful(result.task_id)
        for each in (said, said, helpful(result.task_id)):
            await resources.log.append(each)
            await quiet(resources)
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_feedback_on_nothing_credits_nothing(settings: Settings) -> None:
    """Feedback on a task that never comes stays without effect, and without harm."""
    async with at_work(settings) as resources, visiting(settings) as client:
        await knowing(resources, client)
        await resources.log.append(helpful(uuid4()))
        await quiet(resources)
        assert not [each for each in await effective(resources.log) if isinstance(each, ImpactCredited)]
        assert (await client.ask(QUESTION, settled=True)).status == "done"
    await assert_verified(settings)
