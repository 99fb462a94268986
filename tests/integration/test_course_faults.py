"""A course continues after the tutor has dead-lettered an event."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from numpy.typing import NDArray

from nemuri.platform.serving import run_services
from nemuri_contracts.client_events import TaskSubmitted
from nemuri_contracts.education import ExerciseGraded, MemoriesReviewed
from nemuri_contracts.event import TUTOR
from nemuri_contracts.strength import SessionEnded
from nemuri_contracts.tasks import ReactionFailed
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.runtime.resources import open_resources
from nemuri_infra.runtime.settings import Settings
from tests.integration.classroom import TEXTBOOK, UNANSWERABLE_EXERCISE, until_finished, until_finished_and_idle
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

pytestmark = pytest.mark.connected


async def test_an_exercise_that_cannot_be_graded_is_wrong(settings: Settings) -> None:
    """An exercise that the tutor cannot grade is recorded once as wrong, with the reason, and the course ends."""
    others = [
        service for service in ALL_SERVICES if service != "attribution"
    ]  # Nothing is graded before a session ends.
    async with running_services(settings, others) as resources, connected_client(settings) as client:
        await resources.log.append(agent_defined())
        await client.settle()
        course_id = await client.teach("python", TEXTBOOK)

        async def asked() -> list[Any]:
            """Return the submissions once both exercises are submitted."""
            found = [event for event in await effective_events(resources.log) if isinstance(event, TaskSubmitted)]
            return found if len(found) == 2 else []

        for task in await eventually(asked):
            await resources.views.wait_for(task)
            await client.result(task.event_id)
            for _ in range(2):
                failed = {"service": TUTOR, "cause_kind": SessionEnded.kind_of(), "error": "a fault of its own"}
                known = {"event_id": uuid4(), "correlation_id": task.event_id, "attempt": 1}
                await resources.log.append(ReactionFailed.model_validate(known | failed))
        course = await until_finished(client, course_id)
        await until_idle(resources, others)
        assert (course.chapters[0].right, course.chapters[0].wrong) == (0, 2)
        answers = [answer for exercise in course.chapters[0].details for answer in exercise.answers]
        assert [answer.reason for answer in answers] == ["session_ended: a fault of its own"] * 2
        assert len([event for event in await effective_events(resources.log) if isinstance(event, ExerciseGraded)]) == 2
    await assert_verified(settings)


class FailingEmbedder(BuiltInEmbedder):
    """An embedder that fails when the wrong answer to the unanswerable exercise is reviewed."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors. Raises `ValueError` if the right answer to that exercise is among the texts."""
        if UNANSWERABLE_EXERCISE.answer in texts:
            raise ValueError("a fault of its own")
        return await super().embed_documents(texts)


async def test_a_failed_review_has_no_memories(settings: Settings) -> None:
    """A failed review is recorded without memories, and the course ends."""
    async with open_resources(settings) as usual, connected_client(settings) as client:
        vectors = replace(usual.vectors, embedder=FailingEmbedder())
        async with run_services(replace(usual, vectors=vectors), ALL_SERVICES):
            await usual.log.append(agent_defined())
            await client.settle()
            course = await until_finished_and_idle(usual, client, await client.teach("python", TEXTBOOK))
            assert (course.chapters[0].right, course.chapters[0].wrong) == (1, 1)
            events = await effective_events(usual.log)
            [failed] = [event for event in events if isinstance(event, ReactionFailed)]
            [review] = [event for event in events if isinstance(event, MemoriesReviewed)]
            assert (failed.cause_kind, review.causation_id) == (ExerciseGraded.kind_of(), failed.event_id)
            assert review.memory_ids == ()
            await until_idle(usual)
    await assert_verified(settings)
