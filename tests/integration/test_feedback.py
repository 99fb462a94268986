"""Feedback counts exactly once, whether it is given before, during or after the answer."""

from uuid import UUID, uuid4

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.agents import PolicyAdopted
from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.event import Event
from nemuri_contracts.strength import AgentSlept, ImpactCredited, MemoryEncoded, SessionEnded
from nemuri_contracts.tasks import FeedbackParked
from nemuri_domain.strength.policy import Policy
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import ConditionalAppend
from nemuri_infra.runtime.settings import Settings
from nemuri_services.strength_sleep import handlers as sleep
from tests.integration.harness import (
    ALL_SERVICES,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    running_services,
    until_idle,
)

pytestmark = pytest.mark.in_memory

QUESTION = "What is the truth value of an empty list?"
IMPACT_POINTS = Policy().impact_user_positive + Policy().impact_task_success


async def define_agent(resources: Resources, client: Client) -> UUID:
    """Define an agent with one memory, which answers the question, and return the memory's id."""
    await resources.log.append(agent_defined())
    await client.settle()
    return await client.remember("python", "The truth value of an empty list is false.", tags=["list"])


def helpful_feedback(task_id: UUID, event_id: UUID | None = None) -> FeedbackGiven:
    """Return feedback that the answer was helpful and led to success."""
    return FeedbackGiven(
        event_id=event_id or uuid4(), client_id="ann", correlation_id=task_id, verdict="helpful", result="success"
    )


async def assert_credited_once(resources: Resources, client: Client, memory_id: UUID) -> None:
    """Assert that the memory was credited once for the verdict and once for the result, and not more."""
    await until_idle(resources)
    credited = [event for event in await effective_events(resources.log) if isinstance(event, ImpactCredited)]
    assert sorted(event.reason for event in credited) == ["helpful", "success"]
    assert all(event.memory_ids == (memory_id,) for event in credited)
    assert (await client.memory(memory_id)).impact_score == pytest.approx(IMPACT_POINTS)


async def test_feedback_before_the_task_is_credited_after_the_answer(settings: Settings) -> None:
    """Feedback given before its task is submitted is credited after the answer."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        task_id = uuid4()
        await resources.log.append(helpful_feedback(task_id))
        await until_idle(resources)
        await client.submit(QUESTION, key=task_id)
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_repeated_feedback_during_the_task_counts_once(settings: Settings) -> None:
    """Feedback repeated after each step of the task, while it is being done, is credited once."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION)
        await resources.log.append(helpful_feedback(task.event_id))
        await resources.log.append(task)
        await client.settle()
        steps = set[str]()

        async def repeated() -> bool:
            """Repeat the feedback if the task has got on by a step. Return True once the task has settled."""
            kinds = {event.kind for event in await effective_events(resources.log)}
            if not kinds <= steps:
                steps.update(kinds)
                await resources.log.append(helpful_feedback(task.event_id))
            return (await client.progress(task.event_id)).settled

        await eventually(repeated)
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_repeated_feedback_after_the_answer_counts_once(settings: Settings) -> None:
    """Feedback repeated after the answer, under the same or another id, is credited once."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        result = await client.ask(QUESTION, settled=True)
        assert result.used == (memory_id,)
        feedback = helpful_feedback(result.task_id)
        for each in (feedback, feedback, helpful_feedback(result.task_id)):
            await resources.log.append(each)
            await until_idle(resources)
        await assert_credited_once(resources, client, memory_id)
    await assert_verified(settings)


async def test_feedback_before_the_task_is_parked_and_then_applied(settings: Settings) -> None:
    """Feedback without a task is parked, and applied once the task is answered."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        task_id = uuid4()
        feedback = helpful_feedback(task_id)
        await resources.log.append(feedback)
        await until_idle(resources)
        [parked] = [event for event in await effective_events(resources.log) if isinstance(event, FeedbackParked)]
        assert (parked.feedback_id, parked.reason) == (feedback.event_id, "the task does not exist yet")
        assert not await all_credits(resources)
        await client.submit(QUESTION, key=task_id)
        await until_idle(resources)
        [standing] = (await client.progress(task_id)).feedback
        assert (standing.standing, standing.reason, standing.memories) == ("applied", None, (memory_id,))
    await assert_verified(settings)


async def test_the_client_learns_the_outcome_of_its_feedback(settings: Settings) -> None:
    """The client learns if its feedback was applied or refused. Feedback on an unknown task or memory is not
    recorded.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        first = await client.feedback(task_id, "helpful")
        assert (first.standing, first.memories) == ("applied", (memory_id,))
        again = await client.feedback(task_id, "helpful")
        assert (again.standing, again.memories) == ("refused", ())
        assert "given before" in (again.reason or "")
        more = await client.feedback(task_id, prevented_error=memory_id)
        assert (more.standing, more.memories) == ("applied", (memory_id,))
        end = await resources.log.last_sequence()
        for wrong in ({"task_id": uuid4(), "verdict": "helpful"}, {"task_id": task_id, "prevented_error": uuid4()}):
            with pytest.raises(ClientError, match="there is no"):
                await client.feedback(**wrong)
        with pytest.raises(ClientError, match="give at least one of verdict"):
            await client.feedback(task_id)
        assert await resources.log.last_sequence() == end
    await assert_verified(settings)


async def test_feedback_on_an_unused_memory_is_refused(settings: Settings) -> None:
    """The part of feedback about an unused or unknown memory is refused, and the rest is applied."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        other = await client.remember("python", "Bread needs flour.")
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        applied = await client.feedback(task_id, "helpful", prevented_error=other)
        assert (applied.standing, applied.memories) == ("applied", (memory_id,))
        assert "did not use" in (applied.reason or "")
        unknown = FeedbackGiven(event_id=uuid4(), client_id="ann", correlation_id=task_id, prevented_error=uuid4())
        await resources.log.append(unknown)
        await until_idle(resources)
        known = {each.feedback_id: each for each in (await client.progress(task_id)).feedback}
        assert "did not use" in (known[applied.feedback_id].reason or "")
        assert known[unknown.event_id].standing == "refused"
        assert (await client.memory(memory_id)).impact_score == pytest.approx(Policy().impact_user_positive)
    await assert_verified(settings)


async def test_feedback_on_a_failed_task_is_refused(settings: Settings) -> None:
    """Feedback on a failed task is refused, before and after the failure."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        task = TaskSubmitted(event_id=uuid4(), client_id="ann", text=QUESTION, agent="nobody")
        await resources.log.append(helpful_feedback(task.event_id))
        await until_idle(resources)
        await resources.log.append(task)
        await until_idle(resources)
        late = await client.feedback(task.event_id, "unhelpful")
        [early] = [each for each in (await client.progress(task.event_id)).feedback if each.verdict == "helpful"]
        assert [early.standing, late.standing] == ["refused", "refused"]
        assert "failed" in (early.reason or "")
        assert not await all_credits(resources)
    await assert_verified(settings)


async def test_feedback_after_many_sleeps_is_credited_in_full(settings: Settings) -> None:
    """Feedback after 30 sleeps adds the full credit to the strength that is left of the memory."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        for _ in range(30):
            await sleep_once(resources)
        before = await client.memory(memory_id)
        assert (await client.agents("python"))[0].sessions_slept >= 31
        assert (await client.feedback(task_id, "helpful", result="success")).memories == (memory_id,)
        await assert_credited_once(resources, client, memory_id)
        gained = (await client.memory(memory_id)).strength - before.strength
        assert gained == pytest.approx(IMPACT_POINTS * Policy().impact_to_strength_ratio)
    await assert_verified(settings)


async def test_feedback_after_archiving_is_credited_in_the_archive(settings: Settings) -> None:
    """Feedback on an archived memory adds to its strength, and the memory stays archived."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL_POLICY))
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        for _ in range(2):
            await sleep_once(resources)
        before = await client.memory(memory_id)
        assert before.status == "archived"
        assert (await client.feedback(task_id, "helpful", result="success")).standing == "applied"
        await assert_credited_once(resources, client, memory_id)
        after = await client.memory(memory_id)
        assert after.status == "archived"
        assert after.strength - before.strength == pytest.approx(IMPACT_POINTS * Policy().impact_to_strength_ratio)
    await assert_verified(settings)


async def test_feedback_during_a_sleep_prevents_the_archiving(settings: Settings) -> None:
    """A sleep that was decided before a credit and recorded after it is valid, but does not archive the credited
    memory.
    """
    others = [name for name in ALL_SERVICES if name != "strength-sleep"]
    async with running_services(settings, others) as resources, connected_client(settings) as client:
        memory_id = await define_agent(resources, client)
        await resources.log.append(PolicyAdopted(event_id=uuid4(), agent_id="python", parameters=FORGETFUL_POLICY))
        task_id = (await client.ask(QUESTION, settled=True)).task_id
        await until_idle(resources, others)
        first = await decide_sleep(resources)
        await resources.log.append(first.event, expected=first.last)
        await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
        midway = await decide_sleep(resources)
        assert isinstance(midway.event, AgentSlept)
        assert [each.memory_id for each in midway.event.archived] == [memory_id]
        assert (await client.feedback(task_id, "helpful", result="success")).standing == "applied"
        await resources.log.append(midway.event, expected=midway.last)
        await client.settle()
        awake = await client.memory(memory_id)
        assert awake.status == "active"
        assert awake.impact_score == pytest.approx(IMPACT_POINTS)
        assert (await client.agents("python"))[0].sessions_slept == 2
    await assert_verified(settings)


FORGETFUL_POLICY = {"archive_threshold": 3.0}
"""A policy that archives rarely used memories at the next sleep."""


async def all_credits(resources: Resources) -> list[ImpactCredited]:
    """Return every credit on the log."""
    return [event for event in await effective_events(resources.log) if isinstance(event, ImpactCredited)]


async def decide_sleep(resources: Resources) -> ConditionalAppend[Event]:
    """Return the sleep that the sleep service would append in the present state. Nothing is appended."""
    ended = [event for event in await effective_events(resources.log) if isinstance(event, SessionEnded)][-1]
    await resources.views.wait_for(ended)
    decided = await sleep.service.handlers[SessionEnded](ended, resources)
    assert isinstance(decided, ConditionalAppend)
    return decided


async def sleep_once(resources: Resources) -> None:
    """End one more session of the agent, and wait for the sleep that follows."""
    await resources.log.append(SessionEnded(event_id=uuid4(), agent_id="python", assignment_id=uuid4()))
    await until_idle(resources)


TRUTH = "The truth value of an empty list is true."
QUESTIONED = "What is the truth value of an empty list?"


async def test_a_corrected_memory_yields_to_its_correction(settings: Settings) -> None:
    """A correction becomes a memory. The memory that led to the wrong answer is ranked after it, and the next answer
    quotes the correction alone.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        wrong = await client.remember("python", TRUTH, tags=["list"])
        task = await client.ask(QUESTIONED, settled=True)
        assert wrong in task.used
        told = await client.feedback(
            task.task_id, correction="The truth value of an empty list is false.", words="See the manual."
        )
        assert (told.verdict, told.correction) == ("unhelpful", "The truth value of an empty list is false.")
        await until_idle(resources)
        await client.settle()
        [lesson] = [
            event
            for event in await effective_events(resources.log)
            if isinstance(event, MemoryEncoded) and event.source == "feedback"
        ]
        assert lesson.memory.content == "The truth value of an empty list is false.\nSee the manual."
        assert [relation.older for relation in lesson.relations] == [wrong]
        assert wrong in lesson.links
        assert "is true" in str(lesson.origin.believed)
        assert (lesson.origin.client_id, lesson.origin.task_id) == ("ann", task.task_id)
        assert (await client.memory(wrong)).yields_to == (lesson.memory_id,)
        recalled = [memory.candidate.memory_id for memory in (await client.recall("python", QUESTIONED)).memories]
        assert recalled.index(lesson.memory_id) < recalled.index(wrong)
        again = await client.ask(QUESTIONED, settled=True)
        assert "is false." in str(again.answer)
        assert "is true." not in str(again.answer)
        with pytest.raises(ClientError, match="helpful"):
            await client.feedback(task.task_id, "helpful", correction="No.")
    await assert_verified(settings)


async def test_a_lesson_is_learned_once_even_if_the_feedback_comes_first(settings: Settings) -> None:
    """Feedback with a correction that is given before the answer teaches after it, once."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await define_agent(resources, client)
        task_id = await client.submit(QUESTIONED)
        await client.feedback(task_id, "unhelpful", correction="An empty list counts as zebra.")
        await client.result(task_id, settled=True)
        await until_idle(resources)
        lessons = [
            event
            for event in await effective_events(resources.log)
            if isinstance(event, MemoryEncoded) and event.source == "feedback"
        ]
        assert len(lessons) == 1
        standing = (await client.progress(task_id)).feedback
        assert [each.standing for each in standing] == ["applied"]
    await assert_verified(settings)
