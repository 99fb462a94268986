"""Order of the steps in a course: read a chapter, sleep, test, sleep, and so on (document 000 §4.1)."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from nemuri_contracts.client_events import FeedbackGiven, TaskSubmitted
from nemuri_contracts.education import Exercise, ExerciseGraded, MemoriesReviewed
from nemuri_contracts.event import TUTOR, Event, Usage
from nemuri_domain.education import grading
from nemuri_domain.education.course import Course, ExerciseState, repetition_key
from nemuri_domain.education.spaced_repetition import next_repetition
from nemuri_domain.strength.scope_matching import setting_of
from nemuri_domain.tasks.aggregate import Assignment, TaskState

Step = Literal["read", "test", "finish"]
MAX_REVIEWED = 5
"""Maximum number of memories reviewed after a wrong answer (document 000 §4.1)."""


def sessions_to_sleep_over(course: Course, trials: Iterable[ExerciseState]) -> tuple[UUID, ...]:
    """Return the sessions that the agent must sleep over before the course continues.

    These are the reading of the newest chapter and the first answers to its exercises, given in `trials`.
    """
    tested = (trial.grades[0].assignment_id for trial in trials if trial.grades)
    return (
        *(reading.session_id for reading in course.readings[-1:]),
        *(assignment_id for assignment_id in tested if assignment_id is not None),
    )


def next_step(course: Course, trials: Sequence[ExerciseState], slept: Collection[UUID]) -> Step | None:
    """Return the next step of a course; None while the course waits for answers, reviews or a sleep.

    `trials` are the exercises of the chapter that was read last. `slept` are the sessions that the agent slept over.
    """
    if course.finished_at is not None:
        return None
    if not course.readings:
        return "read"
    if course.readings[-1].session_id not in slept:
        return None
    if any(not trial.grades for trial in trials):
        return "test"
    if not all(_over(trial, slept) for trial in trials):
        return None
    return "read" if len(course.readings) < len(course.textbook.chapters) else "finish"


def _over(trial: ExerciseState, slept: Collection[UUID]) -> bool:
    """Return True if the agent slept over the first answer to an exercise and, if it was wrong, reviewed it."""
    first = trial.grades[0]
    rested = first.assignment_id is None or first.assignment_id in slept
    return rested and (first.correct or first.reviewed is not None)


def exercise_task(course: Course, trial: ExerciseState, cause: Event | None = None) -> TaskSubmitted:
    """Return the submission of the task that poses an exercise next. It is addressed to the course's agent, in the
    course's scope.
    """
    setting = setting_of(course.scope)
    return TaskSubmitted(
        event_id=trial.task_id,
        client_id=TUTOR,
        causation_id=cause.event_id if cause else None,
        agent_id=course.agent_id,
        text=exercise_of(course, trial).question,
        agent=course.agent_id,
        perspective=course.textbook.perspective,
        project=setting.project,
        domains=setting.domains,
    )


def exercise_of(course: Course, trial: ExerciseState) -> Exercise:
    """Return the textbook's exercise to which this state belongs."""
    return course.textbook.chapters[trial.chapter].exercises[trial.number]


def is_gradable(state: TaskState) -> bool:
    """Return True if an exercise's task is ready for grading: all its sessions have ended, it failed, or it is in
    negotiation.
    """
    task = state.task
    if task is None or task.status in {"failed", "negotiation", "clarification"}:
        return task is not None
    return 0 < task.routed == len(state.present) and all(assignment.ended for assignment in state.present)


def answers_to_grade(state: TaskState) -> tuple[Assignment, ...]:
    """Return the answered assignments of an exercise's task; none if it ended without an answer."""
    present = state.present
    return present if all(assignment.ended and assignment.answer is not None for assignment in present) else ()


def synonyms(course: Course, trial: ExerciseState) -> grading.Synonyms:
    """Return the other words for the keywords of an exercise: those of the textbook's author, and the names that the
    textbook itself gives in brackets, up to the exercise's chapter.
    """
    exercise, read = exercise_of(course, trial), course.textbook.chapters[: trial.chapter + 1]
    named = grading.names_in(section.text for chapter in read for section in chapter.sections)
    return grading.synonyms_of(exercise.keywords, exercise.synonyms, named)


def grade(
    cause: Event,
    course: Course,
    trial: ExerciseState,
    work: Sequence[Assignment],
    verdict: grading.GradingVerdict | None,
    usage: Usage | None,
    *,
    now: datetime,
) -> ExerciseGraded:
    """Return the grade of an answer to an exercise. A task without an answer (`verdict` is None) counts as wrong.

    `work` are the answered assignments. `usage` is that of the model that graded. `now` is the platform's time.
    """
    found = verdict or grading.GradingVerdict(exercise_of(course, trial).keywords)
    return _graded(
        cause,
        course,
        trial,
        now,
        assignment_id=work[0].assignment_id if work else None,
        correct=found.correct,
        missing=found.missing,
        denied=found.denied,
        note=found.note,
        usage=usage,
    )


def failed_grade(cause: Event, course: Course, trial: ExerciseState, reason: str, *, now: datetime) -> ExerciseGraded:
    """Return the grade "wrong" for an answer that could not be graded. It has the same event id as a regular grade, so
    only the first of both counts.
    """
    return _graded(cause, course, trial, now, assignment_id=None, correct=False, missing=(), reason=reason)


def _graded(
    cause: Event, course: Course, trial: ExerciseState, now: datetime, *, correct: bool, **fields: object
) -> ExerciseGraded:
    following = next_repetition(
        course.repeating, [*(answer.correct for answer in trial.grades), correct], trial.card, now
    )
    return ExerciseGraded.following(
        cause,
        key=repetition_key(course.course_id, trial.place, trial.repetition),
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


def empty_review(event: Event, course: Course, trials: Iterable[ExerciseState]) -> MemoriesReviewed | None:
    """Return a review of no memories if a wrong answer in the event's task has no review yet; otherwise None."""
    waiting = (
        exercise_state
        for exercise_state in trials
        if exercise_state.grades and exercise_state.grades[-1].task_id == event.thread
    )
    trial = next(
        (
            exercise_state
            for exercise_state in waiting
            if not exercise_state.grades[-1].correct and exercise_state.grades[-1].reviewed is None
        ),
        None,
    )
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


def success_feedback(event: ExerciseGraded) -> FeedbackGiven:
    """Return the feedback for a right answer: a success. It is credited like any other feedback (document 003 §4.4)."""
    return FeedbackGiven.following(event, client_id=TUTOR, result="success")
