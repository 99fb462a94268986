"""What comes next in a course: read, sleep, test, sleep, and so on (document 000 §4.1)."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.education import Exercise, ExerciseGraded, MemoriesReviewed
from nemuri_contracts.event import TUTOR, Event
from nemuri_domain.education import grading
from nemuri_domain.education.course import Course, Trial, occasion
from nemuri_domain.education.spaced_repetition import again
from nemuri_domain.strength.scopes import setting_of
from nemuri_domain.tasks.aggregate import TaskState

Step = Literal["read", "test", "finish"]
ENOUGH = 5
"""So many memories are looked at again after a wrong answer (document 000 §4.1)."""


def sessions(course: Course, trials: Iterable[Trial]) -> tuple[UUID, ...]:
    """The sessions that the agent must have slept over before the course can go on: of the newest chapter."""
    tested = (each.grades[0].assignment_id for each in trials if each.grades)
    return (*(each.session_id for each in course.readings[-1:]), *(each for each in tested if each is not None))


def step(course: Course, trials: Sequence[Trial], slept: Collection[UUID]) -> Step | None:
    """What comes next; None while something is awaited.

    `trials` are the exercises of the chapter that was read last, `slept` the sessions that the agent slept over.
    """
    if course.finished_at is not None:
        return None
    if not course.readings:
        return "read"
    if course.readings[-1].session_id not in slept:
        return None
    if any(not each.grades for each in trials):
        return "test"
    if not all(_over(each, slept) for each in trials):
        return None
    return "read" if len(course.readings) < len(course.textbook.chapters) else "finish"


def _over(trial: Trial, slept: Collection[UUID]) -> bool:
    """Whether an exercise of a chapter's test is answered, slept over and, if need be, reviewed."""
    first = trial.grades[0]
    rested = first.assignment_id is None or first.assignment_id in slept
    return rested and (first.correct or first.reviewed is not None)


def setting(course: Course, trial: Trial, cause: Event | None = None) -> TaskSubmitted:
    """The task that sets an exercise for the next time: an ordinary one, for this agent, where the course is valid."""
    return TaskSubmitted(
        event_id=trial.task_id,
        client_id=TUTOR,
        causation_id=cause.event_id if cause else None,
        agent_id=course.agent_id,
        text=exercise_of(course, trial).question,
        wanted_agent=course.agent_id,
        perspective=course.textbook.perspective,
        setting=setting_of(course.scope),
    )


def exercise_of(course: Course, trial: Trial) -> Exercise:
    """The exercise as the textbook has it."""
    return course.textbook.chapters[trial.chapter].exercises[trial.number]


def answered(state: TaskState) -> bool:
    """Whether a task is over: every session of it has ended, or it ended without an answer."""
    task = state.task
    if task is None or task.status in {"failed", "negotiation"}:
        return task is not None
    return 0 < task.routed == len(state.present) and all(each.ended for each in state.present)


def grade(cause: Event, course: Course, trial: Trial, state: TaskState, said: str, *, now: datetime) -> ExerciseGraded:
    """Grade what was said in answer to an exercise; a task that ended without an answer is a wrong one.

    `said` is the answer without what a model says of itself, `now` the platform's time.
    """
    exercise = exercise_of(course, trial)
    work = state.present if all(each.ended for each in state.present) else ()
    drew = any(each.citations or each.used for each in work)
    correct = bool(work) and grading.right(exercise.question, exercise.keywords, said, drew_on_something=drew)
    return _graded(
        cause,
        course,
        trial,
        now,
        assignment_id=work[0].assignment_id if work else None,
        correct=correct,
        missing=grading.missing(exercise.keywords, said),
    )


def ungraded(cause: Event, course: Course, trial: Trial, reason: str, *, now: datetime) -> ExerciseGraded:
    """What nobody could grade counts as wrong, under the id of the grade that there would have been."""
    return _graded(cause, course, trial, now, assignment_id=None, correct=False, missing=(), reason=reason)


def _graded(
    cause: Event, course: Course, trial: Trial, now: datetime, *, correct: bool, **fields: object
) -> ExerciseGraded:
    following = again(course.repeating, [*(each.correct for each in trial.grades), correct], trial.card, now)
    return ExerciseGraded.following(
        cause,
        key=occasion(course.course_id, trial.place, trial.repetition),
        agent_id=course.agent_id,
        course_id=course.course_id,
        chapter=trial.chapter,
        exercise=trial.number,
        repetition=trial.repetition,
        correct=correct,
        graded_at=now,
        due_at=following.due_at,
        card=following.card,
        **fields,
    )


def unreviewed(event: Event, course: Course, trials: Iterable[Trial]) -> MemoriesReviewed | None:
    """A review in which nothing was found, where the one of a wrong answer in the event's task is still awaited."""
    waiting = (each for each in trials if each.grades and each.grades[-1].task_id == event.thread)
    trial = next((each for each in waiting if not each.grades[-1].correct and each.grades[-1].reviewed is None), None)
    if trial is None:
        return None
    return MemoriesReviewed.following(
        event,
        agent_id=course.agent_id,
        course_id=course.course_id,
        chapter=trial.chapter,
        exercise=trial.number,
        perspective=course.textbook.perspective,
        memory_ids=(),
    )


def success(event: ExerciseGraded) -> FeedbackGiven:
    """A right answer is a success (document 003 §4.4): credited to what it used like any other feedback."""
    return FeedbackGiven.following(event, client_id=TUTOR, result="success")
