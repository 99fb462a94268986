"""Projections of courses and exercises. The projector folds them, and the tutor reads them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args
from uuid import UUID

from immutables import Map
from sqlalchemy import Text, cast, exists, select, tuple_
from sqlalchemy.ext.asyncio import AsyncConnection

from nemuri_contracts.event import Event
from nemuri_domain.education.course import (
    Course,
    CourseEvent,
    CourseState,
    ExercisePosition,
    ExerciseState,
    evolve,
    needed_state,
)
from nemuri_infra.projections import tables
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.rows import load, write

_COURSE: tuple[type[Event], ...] = get_args(CourseEvent)
_TRIAL = tables.trial.c


async def fold_courses(connection: AsyncConnection, events: Iterable[Event]) -> None:
    """Fold the course events among `events` and write the changed rows. Other events are ignored."""
    taught: list[Any] = [each for each in events if isinstance(each, _COURSE)]
    if not taught:
        return
    before = await _states(connection, [needed_state(each) for each in taught])
    after = dict(before)
    for event in taught:
        course_id, _ = needed_state(event)
        after[course_id] = evolve(after[course_id], event)
    pairs = [(before[course_id], state) for course_id, state in after.items()]
    courses = [new.course for old, new in pairs if new.course and new.course is not old.course]
    trials = [trial for old, new in pairs for place, trial in new.trials.items() if old.trials.get(place) is not trial]
    await write(connection, tables.course, courses)
    await write(connection, tables.trial, trials)


async def _states(
    connection: AsyncConnection, wanted: Sequence[tuple[UUID, ExercisePosition | None]]
) -> dict[UUID, CourseState]:
    """Return the states of the courses in `wanted`, by id, each with only the exercises in `wanted`."""
    ids = {course_id for course_id, _ in wanted}
    places = {(course_id, *place) for course_id, place in wanted if place}
    keys = tuple_(_TRIAL.course_id, _TRIAL.chapter, _TRIAL.number)
    courses = {each.course_id: each for each in await load(connection, tables.course, Course, _of(ids))}
    trials = await load(connection, tables.trial, ExerciseState, keys.in_(places)) if places else []
    return {
        each: CourseState(courses.get(each), Map({known.place: known for known in trials if known.course_id == each}))
        for each in ids
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
        return sorted(found, key=lambda each: (each.begun_at, each.course_id))

    async def course(self, course_id: UUID) -> Course | None:
        """Return a course; None if the id is unknown."""
        async with self.database.reading() as connection:
            return next(iter(await load(connection, tables.course, Course, _of([course_id]))), None)

    async def trials(self, course_id: UUID, chapter: int | None = None) -> list[ExerciseState]:
        """Return the exercises of a course, or of one chapter, in the order of the textbook."""
        chosen = [] if chapter is None else [_TRIAL.chapter == chapter]
        async with self.database.reading() as connection:
            found = await load(connection, tables.trial, ExerciseState, _TRIAL.course_id == course_id, *chosen)
        return sorted(found, key=lambda each: each.place)

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
            found = await load(connection, tables.course, Course, _of(each.course_id for each in trials))
        return (found[0], trials[0]) if found else None

    async def scheduled_exercises(self) -> list[ExerciseState]:
        """Return the scheduled exercises whose tasks are not submitted yet, by due time."""
        is_set = exists(select(tables.journal.c.event_id).where(tables.journal.c.event_id == _TRIAL.task_id))
        erased = exists(select(tables.erased.c.name).where(tables.erased.c.name == cast(_TRIAL.task_id, Text)))
        async with self.database.reading() as connection:
            found = await load(connection, tables.trial, ExerciseState, _TRIAL.due_at.is_not(None), ~is_set, ~erased)
        return sorted(found, key=lambda each: (str(each.due_at), each.task_id))
