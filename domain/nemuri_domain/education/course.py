"""The course aggregate and its fold (document 000 §4.1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import assert_never
from uuid import UUID

from immutables import Map
from pydantic import JsonValue

from nemuri_contracts.client_events import MemoryContent, Scope, TaskSubmitted
from nemuri_contracts.education import (
    ChapterRead,
    CourseBegun,
    CourseFinished,
    ExerciseGraded,
    MemoriesReviewed,
    Repeating,
    Textbook,
)
from nemuri_contracts.event import Usage, derive
from nemuri_domain.event_sourcing.state import State

ExercisePosition = tuple[int, int]
"""Chapter index and exercise index, both from 0."""
CourseEvent = CourseBegun | ChapterRead | ExerciseGraded | MemoriesReviewed | CourseFinished


class ChapterReading(State):
    """A chapter that was read."""

    session_id: UUID
    memories: tuple[UUID, ...]
    usage: Usage | None = None
    """Model usage of reading the chapter."""


class Grade(State):
    """A graded answer to an exercise."""

    repetition: int
    task_id: UUID
    assignment_id: UUID | None
    correct: bool
    missing: tuple[str, ...]
    note: str = ""
    """Reason of the grade; may be empty."""
    reason: str | None = None
    """Reason why grading failed; None if the answer was graded."""
    graded_at: datetime
    reviewed: tuple[UUID, ...] | None = None
    """Memories reviewed after a wrong answer; None before the review and after a right answer."""


class Course(State):
    """State of a course: its textbook and its progress."""

    course_id: UUID
    agent_id: str
    textbook: Textbook
    repeating: Repeating
    scope: Scope = Scope()
    readings: tuple[ChapterReading, ...] = ()
    """One entry per chapter that was read, in order."""
    begun_at: datetime
    finished_at: datetime | None = None


class ExerciseState(State):
    """State of an exercise of a course: its grades and its next repetition."""

    course_id: UUID
    chapter: int
    number: int
    agent_id: str
    task_id: UUID
    """Id of the task that poses the exercise next. The task may exist already."""
    grades: tuple[Grade, ...] = ()
    due_at: datetime | None = None
    """Time of the next repetition; None before the first answer, and if there is no further repetition."""
    card: Mapping[str, JsonValue] | None = None

    @property
    def place(self) -> ExercisePosition:
        """Return the position of the exercise in the textbook."""
        return self.chapter, self.number

    @property
    def repetition(self) -> int:
        """Return the number of the next repetition. Number 0 is the test after the chapter."""
        return len(self.grades)


@dataclass(frozen=True, slots=True)
class CourseState:
    """The fold of a course: the course, and its exercises by position.

    If loaded from projections, `trials` has only the exercises that the events to fold concern.
    """

    course: Course | None = None
    trials: Map[ExercisePosition, ExerciseState] = field(default_factory=Map)


def repetition_key(course_id: UUID, position: ExercisePosition, repetition: int) -> str:
    """Return the key of one repetition of an exercise, from which the ids of its events are derived."""
    return f"{course_id}/{position[0]}/{position[1]}/{repetition}"


def task_of(course_id: UUID, position: ExercisePosition, repetition: int) -> UUID:
    """Return the id of the task that poses the exercise in this repetition, counted from 0."""
    return derive(repetition_key(course_id, position, repetition), TaskSubmitted.kind_of())


def memory_key(agent_id: str, memory: MemoryContent) -> str:
    """Return the key from which the id of a memory read in a textbook is derived. The same memory in the same scope
    always has the same id.
    """
    scope = memory.scope
    where = "" if scope.name is None else f"/{scope.level}/{scope.name}"
    return f"{agent_id}/read{where}/{memory.content}"


def needed_state(event: CourseEvent) -> tuple[UUID, ExercisePosition | None]:
    """Return the id of the course that `evolve` needs to fold the event, and the position of the exercise that it
    needs, if any.
    """
    match event:
        case ExerciseGraded() | MemoriesReviewed():
            return event.course_id, (event.chapter, event.exercise)
        case CourseBegun() | ChapterRead() | CourseFinished():
            return event.course_id, None
        case _:
            assert_never(event)


def evolve(state: CourseState, event: CourseEvent) -> CourseState:
    """Return the course after `event`. Never raises: an event that does not apply changes nothing."""
    match event:
        case CourseBegun():
            return state if state.course else _begun(event)
        case ChapterRead():
            return _read(state, event)
        case ExerciseGraded():
            return _graded(state, event)
        case MemoriesReviewed():
            return _reviewed(state, event)
        case CourseFinished():
            course = state.course
            if course is None or course.finished_at is not None:
                return state
            return replace(state, course=course.replace(finished_at=event.at))
        case _:
            assert_never(event)


def _begun(event: CourseBegun) -> CourseState:
    course = Course(
        course_id=event.course_id,
        agent_id=event.agent_id,
        textbook=event.textbook,
        repeating=event.repeating,
        scope=event.scope,
        begun_at=event.at,
    )
    trials = [
        ExerciseState(
            course_id=event.course_id,
            chapter=chapter,
            number=number,
            agent_id=event.agent_id,
            task_id=task_of(event.course_id, (chapter, number), 0),
        )
        for chapter, exercise in enumerate(event.textbook.chapters)
        for number in range(len(exercise.exercises))
    ]
    return CourseState(course, Map({trial.place: trial for trial in trials}))


def _read(state: CourseState, event: ChapterRead) -> CourseState:
    course = state.course
    if course is None or event.chapter != len(course.readings):
        return state
    keys = (memory_key(event.agent_id, section.memory) for section in event.sections)
    memories = tuple(dict.fromkeys(derive(key, "memory_encoded") for key in keys))
    reading = ChapterReading(session_id=event.session_id, memories=memories, usage=event.usage)
    return replace(state, course=course.replace(readings=(*course.readings, reading)))


def _graded(state: CourseState, event: ExerciseGraded) -> CourseState:
    trial = state.trials.get((event.chapter, event.exercise))
    if trial is None or event.repetition != trial.repetition:
        return state
    grade = Grade(
        repetition=event.repetition,
        task_id=trial.task_id,
        assignment_id=event.assignment_id,
        correct=event.correct,
        missing=event.missing,
        note=event.note,
        reason=event.reason,
        graded_at=event.graded_at,
    )
    after = trial.replace(
        grades=(*trial.grades, grade),
        task_id=task_of(trial.course_id, trial.place, event.repetition + 1),
        due_at=event.due_at,
        card=event.card,
    )
    return replace(state, trials=state.trials.set(trial.place, after))


def _reviewed(state: CourseState, event: MemoriesReviewed) -> CourseState:
    trial = state.trials.get((event.chapter, event.exercise))
    if trial is None or not trial.grades:
        return state
    grade = trial.grades[-1].replace(reviewed=event.memory_ids)
    return replace(state, trials=state.trials.set(trial.place, trial.replace(grades=(*trial.grades[:-1], grade))))
