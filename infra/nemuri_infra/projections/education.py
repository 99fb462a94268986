"""The projections of courses and exercises, which the tutor reads."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from immutables import Map
from sqlalchemy import Text, cast, exists, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_domain.education.course import Course, CourseState, ExercisePosition, ExerciseState
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import load

_TRIAL = tables.trial.c


async def course_states(
    connection: AsyncConnection, wanted: Iterable[tuple[UUID, ExercisePosition | None]]
) -> dict[UUID, CourseState]:
    """Return the stored states of the courses in `wanted`, by id, each with only the exercises in `wanted`. An unknown
    course has an empty state.
    """
    wanted = list(wanted)
    ids = {course_id for course_id, _ in wanted}
    positions = {(course_id, *position) for course_id, position in wanted if position}
    keys = tuple_(_TRIAL.course_id, _TRIAL.chapter, _TRIAL.number)
    courses = {course.course_id: course for course in await load(connection, tables.course, Course, _of(ids))}
    trials = await load(connection, tables.trial, ExerciseState, keys.in_(positions)) if positions else []
    return {
        course_id: CourseState(
            courses.get(course_id), Map({trial.place: trial for trial in trials if trial.course_id == course_id})
        )
        for course_id in ids
    }


def _of(ids: Iterable[UUID]) -> Any:
    return tables.course.c.course_id.in_(list(ids))


@dataclass(frozen=True, slots=True)
class Courses:
    """Read access to courses and exercises."""

    database: Database

    async def of(self, agent_id: str, *, running: bool = False) -> list[Course]:
        """Return the courses of an agent, oldest first. With `running`, only unfinished ones."""
        course = tables.course.c
        chosen = [course.agent_id == agent_id, *([course.finished_at.is_(None)] if running else [])]
        async with self.database.reading() as connection:
            found = await load(connection, tables.course, Course, *chosen)
        return sorted(found, key=lambda known_course: (known_course.begun_at, known_course.course_id))

    async def course(self, course_id: UUID) -> Course | None:
        """Return a course; None if the id is unknown."""
        async with self.database.reading() as connection:
            return next(iter(await load(connection, tables.course, Course, _of([course_id]))), None)

    async def trials(self, course_id: UUID, chapter: int | None = None) -> list[ExerciseState]:
        """Return the exercises of a course, or of one chapter, in the order of the textbook."""
        chosen = [] if chapter is None else [_TRIAL.chapter == chapter]
        async with self.database.reading() as connection:
            found = await load(connection, tables.trial, ExerciseState, _TRIAL.course_id == course_id, *chosen)
        return sorted(found, key=lambda trial: trial.place)

    async def answers(self, task_ids: Iterable[UUID]) -> dict[UUID, str]:
        """Return the answers of the tasks with these ids, by id. Tasks without an answer are left out."""
        task = tables.task.c
        query = select(task.task_id, task.answer).where(task.task_id.in_(list(task_ids)), task.answer.is_not(None))
        async with self.database.reading() as connection:
            return {row.task_id: row.answer for row in await connection.execute(query)}

    async def exercise_of(self, task_id: UUID) -> tuple[Course, ExerciseState] | None:
        """Return the exercise that this task poses now, and its course.

        Returns None if the task poses no exercise or the exercise is graded.
        """
        async with self.database.reading() as connection:
            trials = await load(connection, tables.trial, ExerciseState, _TRIAL.task_id == task_id)
            if not trials:
                return None
            found = await load(connection, tables.course, Course, _of(trial.course_id for trial in trials))
        return (found[0], trials[0]) if found else None

    async def scheduled_exercises(self) -> list[ExerciseState]:
        """Return the scheduled exercises whose tasks are not submitted yet, by due time."""
        is_set = exists(select(tables.journal.c.event_id).where(tables.journal.c.event_id == _TRIAL.task_id))
        erased = exists(select(tables.erased.c.name).where(tables.erased.c.name == cast(_TRIAL.task_id, Text)))
        async with self.database.reading() as connection:
            found = await load(connection, tables.trial, ExerciseState, _TRIAL.due_at.is_not(None), ~is_set, ~erased)
        return sorted(found, key=lambda exercise: (str(exercise.due_at), exercise.task_id))
