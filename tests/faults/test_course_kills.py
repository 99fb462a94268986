"""A course reads its whole textbook, and asks every exercise exactly once again, while processes are killed."""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pytest

from nemuri.client.client import Client
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.education import ChapterRead, CourseFinished, ExerciseGraded
from nemuri_contracts.education_views import CoursesView
from nemuri_contracts.event import TUTOR
from nemuri_infra.bus.event_log import Log
from nemuri_infra.runtime.resources import open_resources
from tests.faults.processes import Platform
from tests.integration.classroom import TEXTBOOK
from tests.integration.harness import (
    assert_verified,
    connected_client,
    effective_events,
    eventually,
    retried,
    until_idle,
)

pytestmark = [pytest.mark.connected, pytest.mark.long]


async def answered(client: Client, times: int) -> CoursesView:
    """Return the course's report once every exercise has `times` answers."""

    async def found() -> CoursesView | None:
        """Return the report if every exercise has its answers, else None."""
        [course] = (await retried(lambda: client.courses("python"))).courses
        view = await retried(lambda: client.courses("python", course.course_id))
        counts = {len(detail.answers) for chapter in view.courses[0].chapters for detail in chapter.details}
        return view if view.courses[0].finished_at and counts == {times} else None

    view: CoursesView = await eventually(found)
    return view


async def kill_at_random_times(platform: Platform, victims: Sequence[str], rng: random.Random, client: Client) -> None:
    """Kill the victims at random times, and wait until the platform answers again."""
    await platform.kill_at_random_times(victims, rng)
    await retried(client.status)


async def test_a_course_survives_kills(platform: Platform, log: Log, seed: int) -> None:
    """Each chapter is read once, and each exercise is graded once after the chapter and once a day later."""
    rng = random.Random(seed)
    async with connected_client(platform.settings) as client:
        course_id = await client.teach("python", TEXTBOOK)
        await kill_at_random_times(
            platform, (TUTOR, "projector", "strength-sleep", "attribution", "nats", "postgres"), rng, client
        )
        await answered(client, 1)
        async with asyncio.TaskGroup() as group:
            group.create_task(retried(lambda: client.clock(timedelta(days=1, minutes=10))))
            group.create_task(kill_at_random_times(platform, (TUTOR, "specialist", "nats"), rng, client))
        view = await answered(client, 2)
    async with open_resources(platform.settings) as resources:
        await until_idle(resources)
    facts = [
        event
        for event in await effective_events(log)
        if not isinstance(event, TaskSubmitted) or event.client_id == TUTOR
    ]
    assert [course.course_id for course in view.courses] == [course_id]
    assert [fact.chapter for fact in facts if isinstance(fact, ChapterRead)] == [0, 1]
    graded = Counter((fact.exercise, fact.repetition) for fact in facts if isinstance(fact, ExerciseGraded))
    assert graded == {(0, 0): 1, (1, 0): 1, (0, 1): 1, (1, 1): 1}
    assert len([fact for fact in facts if isinstance(fact, TaskSubmitted)]) == 4
    assert len([fact for fact in facts if isinstance(fact, CourseFinished)]) == 1
    await assert_verified(platform.settings)
