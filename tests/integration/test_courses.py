"""Courses: for each chapter an agent reads, sleeps, is tested and sleeps again. Exercises are repeated when they are
due.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from nemuri.client.client import Client
from nemuri.client.exchange import ClientError
from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.codec import AnyEvent
from nemuri_contracts.education import (
    CHAPTER_BYTES,
    LEARNING_CHARACTERS,
    Chapter,
    ChapterRead,
    CourseBegun,
    ExerciseGraded,
    Section,
    Textbook,
)
from nemuri_contracts.education_views import CourseReport, ExerciseReport
from nemuri_contracts.event import TUTOR, Usage
from nemuri_contracts.strength import AgentSlept, ImpactCredited, MemoryEncoded
from nemuri_domain.education.grading import GradingVerdict
from nemuri_domain.strength.policy import Policy
from nemuri_infra.models.chat import Reply
from nemuri_infra.models.factory import Models
from nemuri_infra.models.jobs.grading import GradeJob
from nemuri_infra.models.jobs.section_note import SectionJob
from nemuri_infra.models.protocol import Job
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.classroom import TEXTBOOK, TRUTH_EXERCISE, UNANSWERABLE_EXERCISE, until_finished_and_idle
from tests.integration.harness import (
    CountingModel,
    agent_defined,
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    recorded_events,
    running_services,
    snapshot,
    until_idle,
)

pytestmark = pytest.mark.connected


LARGEST = Chapter(
    title="Everything",
    sections=tuple(Section(title=f"{number} {'題' * 390}", text="記憶" * 210 + str(number)) for number in range(100)),
)


class VerboseModel(CountingModel):
    """A model with very long learnings."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return a very long learning of a section."""
        return Reply("学" * 20_000, Usage(model="verbose")) if isinstance(job, SectionJob) else await super().do(job)


async def teach(resources: Resources, client: Client, textbook: Textbook = TEXTBOOK, **how: str) -> CourseReport:
    """Teach an agent the whole textbook and return the report."""
    await resources.log.append(agent_defined())
    await client.settle()
    course_id = await client.teach("python", textbook, **how)  # type: ignore[arg-type]
    return await until_finished_and_idle(resources, client, course_id)


async def exercise_report(client: Client, course_id: UUID, number: int) -> ExerciseReport:
    """Return the report of an exercise of the first chapter."""
    return (await client.courses("python", course_id)).courses[0].chapters[0].details[number]


async def test_an_agent_reads_sleeps_is_tested_and_sleeps(settings: Settings) -> None:
    """The agent sleeps before and after the test of each chapter. Right answers are credited, and wrong answers
    reviewed.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        course = await teach(resources, client)
        first, second = course.chapters
        assert (first.read, first.slept, first.memories, first.right, first.wrong) == (True, True, 2, 1, 1)
        assert (second.read, second.slept, second.memories, second.exercises) == (True, True, 1, 0)
        assert first.usage == Usage(model="extractive")
        right, wrong = first.details
        assert [(answer.correct, answer.missing, answer.reviewed) for answer in right.answers] == [(True, (), ())]
        assert [(answer.correct, answer.missing) for answer in wrong.answers] == [(False, ("zebra",))]
        assert wrong.answers[0].reviewed
        events = await effective_events(resources.log)
        read = [event for event in events if isinstance(event, MemoryEncoded) and event.source == "education"]
        assert {event.strength for event in read} == {Policy().initial_strength_education}
        assert read[0].memory.learnings == {"semantics": "The truth value of an empty list is false."}
        assert [(event.reason, event.points) for event in events if isinstance(event, ImpactCredited)] == [
            ("success", Policy().impact_task_success)
        ]
        assert_in_order(events)
    await assert_verified(settings)


def assert_in_order(events: list[AnyEvent]) -> None:
    """Assert that the first chapter is read, followed by a sleep and tested before the second chapter is read."""
    first, second = (event for event in events if isinstance(event, ChapterRead))
    asked = [event for event in events if isinstance(event, TaskSubmitted)]
    graded = [event for event in events if isinstance(event, ExerciseGraded)]
    slept = {
        session: events.index(event) for event in events if isinstance(event, AgentSlept) for session in event.sessions
    }
    assert events.index(first) < slept[first.session_id] < min(events.index(event) for event in asked)
    assert max(events.index(event) for event in graded) < events.index(second)
    assert max(slept[event.assignment_id] for event in graded if event.assignment_id) < events.index(second)
    assert second.session_id in slept


class Examiner(CountingModel):
    """A light model that finds every answer right."""

    async def do(self, job: Job[Any]) -> Reply[Any]:
        """Return that an answer is right."""
        if isinstance(job, GradeJob):
            return Reply(GradingVerdict(note="It means the same."), Usage(model="examiner", input_tokens=3))
        return await super().do(job)


async def test_the_light_model_grades_free_answers(settings: Settings) -> None:
    """An answer without the keyword is right if the light model says so. Its reason and its usage are recorded."""
    models = Models(main=CountingModel(), light=Examiner())
    async with running_services(settings, models=models) as resources, connected_client(settings) as client:
        course = await teach(resources, client)
        [answer] = course.chapters[0].details[1].answers
        assert (answer.correct, answer.missing, answer.note) == (True, (), "It means the same.")
        graded = [event for event in await effective_events(resources.log) if isinstance(event, ExerciseGraded)]
        assert {event.usage for event in graded} == {Usage(model="examiner", input_tokens=3)}
    await assert_verified(settings)


async def test_exercises_are_repeated_at_growing_intervals_when_right(settings: Settings) -> None:
    """A rightly answered exercise is repeated after 1, 3 and 7 days, and a wrong one daily, even if no service ran
    meanwhile.
    """
    async with running_services(settings) as resources, connected_client(settings) as client:
        course = await teach(resources, client)
    for day, right, wrong in ((1, 2, 2), (4, 3, 3), (11, 4, 4)):
        async with running_services(settings) as resources, connected_client(settings) as client:
            before = await client.clock()
            assert all(
                exercise.due_at is not None and exercise.due_at > before
                for exercise in await both_exercises(client, course)
            )
            await client.clock(advance=timedelta(days=day) + course.begun_at - before + timedelta(minutes=5))

            async def again(right: int = right, wrong: int = wrong, client: Client = client) -> bool:
                """Return True once both exercises were repeated."""
                return [len(exercise.answers) for exercise in await both_exercises(client, course)] == [right, wrong]

            await eventually(again)
            await until_idle(resources)
    async with running_services(settings) as resources, connected_client(settings) as client:
        growing, shortest = await both_exercises(client, course)
        assert [answer.correct for answer in growing.answers] == [True] * 4
        assert not any(answer.correct for answer in shortest.answers)
        assert interval_days(growing) == 14
        assert interval_days(shortest) == 1
        asked = Counter(
            event.text for event in await effective_events(resources.log) if isinstance(event, TaskSubmitted)
        )
        assert asked == {TRUTH_EXERCISE.question: 4, UNANSWERABLE_EXERCISE.question: 4}
    await assert_verified(settings)


async def both_exercises(client: Client, course: CourseReport) -> tuple[ExerciseReport, ExerciseReport]:
    """Return two exercises: the one that the agent can answer and the one that it cannot."""
    return await exercise_report(client, course.course_id, 0), await exercise_report(client, course.course_id, 1)


def interval_days(known: ExerciseReport) -> int:
    """Return the present interval of an exercise in days."""
    assert known.due_at is not None
    return (known.due_at - known.answers[-1].graded_at).days


async def test_a_textbook_is_taught_once_at_a_time(settings: Settings) -> None:
    """A second course of a textbook is refused while the first one runs, and does not store its memories twice."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await teach(resources, client, repeating="none")
        before = len(await client.memories("python"))
        with pytest.raises(ClientError, match=r"was taught exactly this 'Truth' in course .*; --again"):
            await client.teach("python", TEXTBOOK, repeating="fsrs")
        second = await client.teach("python", TEXTBOOK, repeating="fsrs", again=True)
        with pytest.raises(ClientError, match="is being taught 'Truth' already"):
            await client.teach("python", TEXTBOOK)
        report = await until_finished_and_idle(resources, client, second)
        read = [memory for memory in await client.memories("python") if memory.source == "education"]
        assert len(read) == 3 <= before
        assert all(detail.due_at is not None for detail in report.chapters[0].details)
        [said] = report.chapters[0].details[0].answers
        assert "empty list" in (said.answer or "")
        assert (await client.progress(said.task_id)).status == "done"
    await assert_verified(settings)


async def test_a_textbook_under_another_perspective_is_read_without_one(settings: Settings) -> None:
    """A textbook under a perspective that the agent does not have, as that of document 000, is taught without one."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        course_id = await client.teach("python", TEXTBOOK.model_copy(update={"perspective": "調達"}))
        [begun] = [event for event in await recorded_events(resources.log) if isinstance(event, CourseBegun)]
        assert (begun.course_id, begun.textbook.perspective) == (course_id, None)


async def test_invalid_courses_are_refused(settings: Settings) -> None:
    """An unknown agent, a too large textbook, or a clock set back is refused and appends nothing."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        end = await resources.log.last_sequence()
        with pytest.raises(ClientError, match="there is no agent 'nobody'"):
            await client.teach("nobody", TEXTBOOK)
        await resources.log.append(agent_defined("villager", memory="tiered", perspectives=()))
        await client.settle()
        with pytest.raises(ClientError, match=r"villager has tiered memory.* it cannot be taught"):
            await client.teach("villager", TEXTBOOK)
        end = await resources.log.last_sequence()
        huge = Chapter(title="Huge", sections=(Section(title="A", text="記" * 16_000),) * 7)
        with pytest.raises(ClientError, match="chapter 2 of 'Truth' has 336,161 bytes, and at most 250,000 are read"):
            await client.teach("python", TEXTBOOK.model_copy(update={"chapters": (*TEXTBOOK.chapters[:1], huge)}))
        with pytest.raises(ClientError, match="the textbook 'Truth' is too large; split it"):
            await client.teach("python", TEXTBOOK.model_copy(update={"chapters": (LARGEST,) * 5}))
        for step in (timedelta(), timedelta(days=-1), timedelta(days=36_501)):
            with pytest.raises(ClientError, match="the clock can only move forward"):
                await client.clock(advance=step)
        with pytest.raises(ClientError, match="name of a service"):
            async with connected_client(settings, TUTOR):
                pass
        assert await resources.log.last_sequence() == end
        assert abs(await client.clock() - datetime.now(UTC)) < timedelta(minutes=1)


async def test_the_largest_chapter_is_read(settings: Settings) -> None:
    """Reading the largest possible chapter is recorded in one event that the server accepts, whatever the model learns
    from it.
    """
    model = VerboseModel()
    async with (
        running_services(settings, models=Models(model, model)) as resources,
        connected_client(settings) as client,
    ):
        textbook = TEXTBOOK.model_copy(update={"chapters": (LARGEST,)})
        course = await teach(resources, client, textbook, repeating="none")
        assert course.chapters[0].memories == len(LARGEST.sections)
        [read] = [event for event in await effective_events(resources.log) if isinstance(event, ChapterRead)]
        assert CHAPTER_BYTES * 0.95 < LARGEST.size <= CHAPTER_BYTES
        assert {len(section.memory.learnings["semantics"]) for section in read.sections} == {LEARNING_CHARACTERS}
        assert len(read.model_dump_json().encode()) < resources.log.max_event_bytes
    await assert_verified(settings)


async def test_feedback_of_another_client_does_not_change_a_course(settings: Settings) -> None:
    """Feedback of another client on an exercise does not change the course."""
    async with running_services(settings) as resources, connected_client(settings) as client:
        course = await teach(resources, client)
        before = (await snapshot(resources))["trial"]
        graded = next(event for event in await effective_events(resources.log) if isinstance(event, ExerciseGraded))
        await resources.log.append(
            FeedbackGiven(
                event_id=course.course_id, client_id="mallory", correlation_id=graded.task_id, result="success"
            )
        )
        await until_idle(resources)
        assert (await snapshot(resources))["trial"] == before
    await assert_verified(settings)
