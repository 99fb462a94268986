"""Feedback counts exactly once, whenever it comes: before the answer, while it is made, or long after it."""

from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, ImpactCredited, SessionEnded
from nemuri_contracts.tasks import FeedbackParked
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend
from nemuri_infra.runtime.settings import Settings
from nemuri_services.strength_sleep import handlers as sleep
from tests.integration.scene import EVERYBODY, agent_defined, assert_verified, at_work, effective, quiet, visiting

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


async def test_feedback_before_the_task_is_parked_and_applied_when_it_is_answered(settings: Settings) -> None:
    """Each step of it is an event, and the client can see how it stands."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        task_id = uuid4()
        said = helpful(task_id)
        await resources.log.append(said)
        await quiet(resources)
        [parked] = [each for each in await effective(resources.log) if isinstance(each, FeedbackParked)]
        assert (parked.feedback_id, parked.reason) == (said.event_id, "the task does not exist yet")
        assert not await credited(resources)
        await client.submit(QUESTION, key=task_id)
        await quiet(resources)
        [standing] = (await client.progress(task_id)).feedback
        assert (standing.standing, standing.reason, standing.memories) == ("applied", None, (memory_id,))
    await assert_verified(settings)


async def test_the_client_hears_what_became_of_its_feedback(settings: Settings) -> None:
    """Applied with the memories, then refused as said before; unknown tasks and memories are not even recorded."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        first = await client.feedback(task_id, "helpful")
        assert (first.standing, first.memories) == ("applied", (memory_id,))
        again = await client.feedback(task_id, "helpful")
        assert (again.standing, again.memories) == ("refused", ())
        assert "said before" in (again.reason or "")
        more = await client.feedback(task_id, prevented_error=memory_id)
        assert (more.standing, more.memories) == ("applied", (memory_id,))
        end = await resources.log.last_sequence()
        for wrong in ({"task_id": uuid4(), "verdict": "helpful"}, {"task_id": task_id, "prevented_error": uuid4()}):
            with pytest.raises(ClientError, match="there is no"):
                await client.feedback(**wrong)
        with pytest.raises(ClientError, match="feedback says"):
            await client.feedback(task_id)
        assert await resources.log.last_sequence() == end
    await assert_verified(settings)


async def test_what_an_unused_memory_cannot_have_prevented_is_refused(settings: Settings) -> None:
    """Also where nobody knows the memory at all; what else was said is applied."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        other = await client.remember("python", "Bread needs flour.")
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        told = await client.feedback(task_id, "helpful", prevented_error=other)
        assert (told.standing, told.memories) == ("applied", (memory_id,))
        assert "did not use" in (told.reason or "")
        unknown = FeedbackGiven(event_id=uuid4(), client_id="ann", correlation_id=task_id, prevented_error=uuid4())
        await resources.log.append(unknown)
        await quiet(resources)
        known = {each.feedback_id: each for each in (await client.progress(task_id)).feedback}
        assert "did not use" in (known[told.feedback_id].reason or "")
        assert known[unknown.event_id].standing == "refused"
        assert (await client.memory(memory_id)).impact_score == pytest.approx(Policy().impact_user_positive)
    await assert_verified(settings)


async def test_feedback_that_waited_for_a_task_that_fails_is_refused(settings: Settings) -> None:
    """From either side: said before the failure, and said after it."""
    async with at_work(settings) as resources, visiting(settings) as client:
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION, wanted_agent="nobody")
        await resources.log.append(helpful(task.event_id))
        await quiet(resources)
        await resources.log.append(task)
        await quiet(resources)
        late = await client.feedback(task.event_id, "unhelpful")
        [early] = [each for each in (await client.progress(task.event_id)).feedback if each.verdict == "helpful"]
        assert [early.standing, late.standing] == ["refused", "refused"]
        assert "failed" in (early.reason or "")
        assert not await credited(resources)
    await assert_verified(settings)


async def test_feedback_days_later_is_worth_as_much(settings: Settings) -> None:
    """After many sleeps the memory is fainter, and the credit is added to what is left."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        for _ in range(30):
            await sleep_once(resources)
        before = await client.memory(memory_id)
        assert (await client.agents("python"))[0].sessions_slept >= 31
        assert (await client.feedback(task_id, "helpful", result="success")).memories == (memory_id,)
        await assert_credited_once(resources, client, memory_id)
        gained = (await client.memory(memory_id)).strength - before.strength
        assert gained == pytest.approx(WORTH * Policy().impact_to_strength_ratio)
    await assert_verified(settings)


async def test_feedback_after_archiving_is_credited_in_the_archive(settings: Settings) -> None:
    """The memory stays archived, and is stronger when it is brought back."""
    async with at_work(settings) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL))
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        for _ in range(2):
            await sleep_once(resources)
        before = await client.memory(memory_id)
        assert before.status == "archived"
        assert (await client.feedback(task_id, "helpful", result="success")).standing == "applied"
        await assert_credited_once(resources, client, memory_id)
        after = await client.memory(memory_id)
        assert after.status == "archived"
        assert after.strength - before.strength == pytest.approx(WORTH * Policy().impact_to_strength_ratio)
    await assert_verified(settings)


async def test_feedback_during_a_sleep_makes_its_verdict_on_the_memory_void(settings: Settings) -> None:
    """Decided before the credit, recorded after it: the sleep counts, but does not archive what was just credited."""
    others = [name for name in EVERYBODY if name != "strength-sleep"]
    async with at_work(settings, others) as resources, visiting(settings) as client:
        memory_id = await knowing(resources, client)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL))
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        await quiet(resources, others)
        first = await verdict(resources)
        await resources.log.append(first.event, expected=first.last)
        await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
        midway = await verdict(resources)
        assert isinstance(midway.event, AgentSlept)
        assert [each.memory_id for each in midway.event.archived] == [memory_id]
        assert (await client.feedback(task_id, "helpful", result="success")).standing == "applied"
        await resources.log.append(midway.event, expected=midway.last)
        await client.settle()
        awake = await client.memory(memory_id)
        assert awake.status == "active"
        assert awake.impact_score == pytest.approx(WORTH)
        assert (await client.agents("python"))[0].sessions_slept == 2
    await assert_verified(settings)


FORGETFUL = {"archive_threshold": 3.0}
"""Whatever has not been used very often is archived at the next sleep."""


async def credited(resources: Resources) -> list[ImpactCredited]:
    """Every credit."""
    return [each for each in await effective(resources.log) if isinstance(each, ImpactCredited)]


async def verdict(resources: Resources) -> ConditionalAppend[Event]:
    """What the sleep worker decides on what the views hold now, before it is recorded."""
    ended = [each for each in await effective(resources.log) if isinstance(each, SessionEnded)][-1]
    await resources.views.since(ended)
    decided = await sleep.service.handlers[SessionEnded](ended, resources)
    assert isinstance(decided, ConditionalAppend)
    return decided


async def sleep_once(resources: Resources) -> None:
    """One more session of the agent ends, and it sleeps over it."""
    await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
    await quiet(resources)
