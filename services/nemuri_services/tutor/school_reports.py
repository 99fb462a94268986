"""Reports on an agent's courses: the result of each chapter, and the strength of the memories it gave."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from nemuri_contracts.education_views import AnswerReport, ChapterReport, CourseReport, CoursesView, ExerciseReport
from nemuri_contracts.event import derive
from nemuri_contracts.queries import Refusal
from nemuri_contracts.strength import SessionEnded
from nemuri_domain.education.course import Course, ExerciseState, Grade
from nemuri_domain.education.lesson_plan import exercise_of
from nemuri_domain.strength.aggregate import Agent, Remembered
from nemuri_infra.models.extractive_framing import substance
from nemuri_infra.projections.education import Courses
from nemuri_infra.runtime.resources import Resources

BEGINNING = 200
"""Maximum characters of a question or an answer in a report. Longer ones are cut and end in "…"."""


async def course_reports(agent: Agent, course_id: UUID | None, resources: Resources) -> CoursesView | Refusal:
    """Return reports on all courses of an agent, or on one course with its exercises. Refuse an unknown course."""
    found = await Courses(resources.database).of(agent.agent_id)
    if course_id is not None:
        found = [course for course in found if course.course_id == course_id]
        if not found:
            return Refusal(refused=f"{agent.agent_id} has no course {course_id}")
    reports = [await _course(agent, course, resources, details=course_id is not None) for course in found]
    return CoursesView(agent_id=agent.agent_id, now=await resources.clock.now(), courses=tuple(reports))


async def _course(agent: Agent, course: Course, resources: Resources, *, details: bool) -> CourseReport:
    trials = await Courses(resources.database).trials(course.course_id)
    memories = await resources.views.memories_by_id(memory for one in course.readings for memory in one.memories)
    endings = {reading.session_id: derive(reading.session_id, SessionEnded.kind_of()) for reading in course.readings}
    ended = await resources.views.projected_ids(endings.values())
    slept = {name for name, ending in endings.items() if ending in ended and name not in agent.awake}
    chapters = [
        _chapter(agent, course, number, [trial for trial in trials if trial.chapter == number], memories, slept)
        for number in range(len(course.textbook.chapters))
    ]
    if details:
        said = await Courses(resources.database).answers(grade.task_id for trial in trials for grade in trial.grades)
        chapters = [
            known.model_copy(update={"details": _exercises(course, number, trials, said)})
            for number, known in enumerate(chapters)
        ]
    return CourseReport(
        course_id=course.course_id,
        title=course.textbook.title,
        digest=course.textbook.digest,
        perspective=course.textbook.perspective,
        repeating=course.repeating,
        scope=course.scope,
        begun_at=course.begun_at,
        finished_at=course.finished_at,
        chapters=tuple(chapters),
    )


def _chapter(
    agent: Agent,
    course: Course,
    number: int,
    trials: Sequence[ExerciseState],
    memories: dict[UUID, Remembered],
    slept: set[UUID],
) -> ChapterReport:
    reading = course.readings[number] if number < len(course.readings) else None
    made = [memories[memory][1] for memory in (reading.memories if reading else ()) if memory in memories]
    strengths = [agent.strength(memory) for memory in made if memory.status == "active"]
    newest = [trial.grades[-1].correct for trial in trials if trial.grades]
    return ChapterReport(
        title=course.textbook.chapters[number].title,
        read=reading is not None,
        slept=reading is not None and reading.session_id in slept,
        memories=len(made),
        usage=reading.usage if reading else None,
        archived=len(made) - len(strengths),
        strength=sum(strengths) / len(strengths) if strengths else None,
        exercises=len(trials),
        right=newest.count(True),
        wrong=newest.count(False),
        due_at=min((trial.due_at for trial in trials if trial.due_at is not None), default=None),
    )


def _exercises(
    course: Course, chapter: int, trials: Sequence[ExerciseState], said: Mapping[UUID, str]
) -> tuple[ExerciseReport, ...]:
    """Return the reports on a chapter's exercises. `said` has the answers by task id."""
    return tuple(
        ExerciseReport(
            question=_beginning(exercise_of(course, trial).question),
            answers=tuple(_answer(grade, said.get(grade.task_id)) for grade in trial.grades),
            due_at=trial.due_at,
        )
        for trial in trials
        if trial.chapter == chapter
    )


def _answer(grade: Grade, said: str | None) -> AnswerReport:
    return AnswerReport(
        task_id=grade.task_id,
        answer=None if said is None else _beginning(substance(said)),
        repetition=grade.repetition,
        correct=grade.correct,
        missing=grade.missing,
        note=grade.note,
        reason=grade.reason,
        graded_at=grade.graded_at,
        reviewed=grade.reviewed or (),
    )


def _beginning(text: str) -> str:
    return text if len(text) <= BEGINNING else f"{text[: BEGINNING - 1]}…"
