"""A small textbook, and functions that wait for a course."""

from uuid import UUID

from nemuri.client.client import Client
from nemuri_contracts.education import Chapter, Exercise, Section, Textbook
from nemuri_contracts.education_views import CourseReport
from nemuri_infra.runtime.resources import Resources
from tests.condition_waits import PATIENCE
from tests.integration.harness import eventually, until_idle

TRUTH_EXERCISE = Exercise(
    question="What is the truth value of an empty list?", answer="It is false.", keywords=("false",)
)
UNANSWERABLE_EXERCISE = Exercise(
    question="Which operators raise an exception?", answer="Comparing a number and a text.", keywords=("zebra",)
)
TEXTBOOK = Textbook(
    title="Truth",
    perspective="semantics",
    chapters=(
        Chapter(
            title="Values",
            sections=(
                Section(title="Truth values", text="The truth value of an empty list is false. A full one is true."),
                Section(title="Order", text="Comparing a number and a text raises an exception by the operators."),
            ),
            exercises=(TRUTH_EXERCISE, UNANSWERABLE_EXERCISE),
        ),
        Chapter(title="Words", sections=(Section(title="眠り", text="眠りは記憶を整理する時間である。"),)),
    ),
)


async def until_finished(client: Client, course_id: UUID, *, seconds: float = PATIENCE) -> CourseReport:
    """Wait until a course is finished and return its report. `seconds` is the maximum time."""

    async def found() -> CourseReport | None:
        """Return the report if the course is finished, else None."""
        [course] = (await client.courses("python", course_id)).courses
        return course if course.finished_at else None

    report: CourseReport = await eventually(found, seconds=seconds)
    return report


async def until_finished_and_idle(
    resources: Resources, client: Client, course_id: UUID, *, seconds: float = PATIENCE
) -> CourseReport:
    """Wait until a course is finished and all services are idle, and return its report."""
    found = await until_finished(client, course_id, seconds=seconds)
    await until_idle(resources)
    return found
