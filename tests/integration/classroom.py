"""A small textbook, and waiting until a course is over."""

from uuid import UUID

from nemuri.client.client import Client
from nemuri_contracts.education import Chapter, Exercise, Section, Textbook
from nemuri_contracts.education_views import CourseReport
from nemuri_infra.runtime.resources import Resources
from tests.integration.scene import eventually, quiet

TRUTH = Exercise(question="What is the truth value of an empty list?", answer="It is false.", keywords=("false",))
LOST = Exercise(
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
            exercises=(TRUTH, LOST),
        ),
        Chapter(title="Words", sections=(Section(title="眠り", text="眠りは記憶を整理する時間である。"),)),
    ),
)


async def finished(client: Client, course_id: UUID) -> CourseReport:
    """The report of a course, once it is over."""

    async def found() -> CourseReport | None:
        """The course is over."""
        [course] = (await client.courses("python", course_id)).courses
        return course if course.finished_at else None

    report: CourseReport = await eventually(found, seconds=60)
    return report


async def over(resources: Resources, client: Client, course_id: UUID) -> CourseReport:
    """The same, once nobody has anything to do any more."""
    found = await finished(client, course_id)
    await quiet(resources)
    return found
