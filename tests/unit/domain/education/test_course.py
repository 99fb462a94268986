"""Tests of the fold of a course and of its next step."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from hypothesis import given
from hypothesis import strategies as st

from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.education import (
    Chapter,
    ChapterRead,
    CourseBegun,
    CourseFinished,
    Exercise,
    ExerciseGraded,
    MemoriesReviewed,
    Section,
    Textbook,
)
from nemuri_contracts.event import Usage
from nemuri_contracts.strength import NewMemory
from nemuri_domain.education.course import CourseEvent, CourseState, evolve, task_of
from nemuri_domain.education.lesson_plan import exercise_task, next_step, sessions_to_sleep_over

NOW = datetime(2026, 1, 1, tzinfo=UTC)
COURSE, WORK = UUID(int=1), UUID(int=2)
FIRST, SECOND = UUID(int=10), UUID(int=11)
CHAPTER = Chapter(
    title="Sleep",
    sections=(Section(title="Stages", text="REM comes last."),),
    exercises=(
        Exercise(question="What comes last?", keywords=("REM",)),
        Exercise(question="First?", keywords=("one",)),
    ),
)
TEXTBOOK = Textbook(title="Sleep", perspective="semantics", chapters=(CHAPTER, CHAPTER))
COMMON: dict[str, Any] = {"agent_id": "python", "recorded_at": NOW}


def begun() -> CourseBegun:
    """Return the event that begins the course."""
    return CourseBegun(event_id=COURSE, textbook=TEXTBOOK, **COMMON)


def read(chapter: int = 0, session: UUID = FIRST) -> ChapterRead:
    """Return the event that a chapter was read."""
    new = NewMemory(
        memory=MemoryContent(content="REM comes last."), vector="v", strength=0.5, perspectives=("semantics",)
    )
    return ChapterRead(event_id=session, course_id=COURSE, chapter=chapter, sections=(new,), **COMMON)


def graded(number: int, *, chapter: int = 0, repetition: int = 0, correct: bool = True) -> ExerciseGraded:
    """Return the event that an answer was graded."""
    return ExerciseGraded(
        event_id=uuid4(), course_id=COURSE, chapter=chapter, exercise=number, repetition=repetition, assignment_id=WORK,
        correct=correct, missing=(), graded_at=NOW, due_at=NOW, **COMMON,
    )  # fmt: skip


def reviewed(number: int) -> MemoriesReviewed:
    """Return the event that memories were reviewed after a wrong answer."""
    return MemoriesReviewed(
        event_id=uuid4(), course_id=COURSE, chapter=0, exercise=number, perspective=None, memory_ids=(FIRST,), **COMMON
    )


def after(*events: CourseEvent) -> CourseState:
    """Return the state of the course after these events."""
    state = CourseState()
    for event in events:
        state = evolve(state, event)
    return state


def following(state: CourseState, *slept: UUID) -> str | None:
    """Return the next step of the course if the agent's sleeps have covered the sessions `slept`."""
    assert state.course is not None
    chapter = max(len(state.course.readings) - 1, 0)
    trials = [each for place, each in sorted(state.trials.items()) if place[0] == chapter]
    assert set(sessions_to_sleep_over(state.course, trials)) <= {FIRST, SECOND, WORK}
    return next_step(state.course, trials, set(slept))


def test_a_course_reads_sleeps_tests_and_sleeps() -> None:
    """For each chapter a course reads, sleeps, tests and sleeps. Each step waits for the sleep after the step
    before.
    """
    assert following(after(begun())) == "read"
    assert following(after(begun(), read())) is None
    assert following(after(begun(), read()), FIRST) == "test"
    assert following(after(begun(), read(), graded(0)), FIRST, WORK) == "test"
    whole = after(begun(), read(), graded(0), graded(1))
    assert following(whole, FIRST) is None
    assert following(whole, FIRST, WORK) == "read"


def test_a_course_records_the_cost_of_reading() -> None:
    """A course records the cost of reading each chapter, which is None if no model was called."""
    usage = Usage(model="large", input_tokens=30, output_tokens=5)
    course = after(begun(), read().model_copy(update={"usage": usage}), read(1, SECOND)).course
    assert course is not None
    assert [reading.usage for reading in course.readings] == [usage, None]


def test_a_wrong_answer_is_reviewed_before_the_course_continues() -> None:
    """A wrong answer is reviewed before the course continues, even if the review finds no memory."""
    wrong = (begun(), read(), graded(0), graded(1, correct=False))
    assert following(after(*wrong), FIRST, WORK) is None
    assert following(after(*wrong, reviewed(1)), FIRST, WORK) == "read"
    assert after(*wrong, reviewed(1)).trials[0, 1].grades[0].reviewed == (FIRST,)


def test_a_course_ends_after_its_last_chapter() -> None:
    """A course ends after its last chapter. From then on only its exercises are repeated."""
    tested = [graded(number, chapter=chapter) for chapter in (0, 1) for number in (0, 1)]
    whole = after(begun(), read(), read(1, SECOND), *tested)
    assert following(whole, SECOND, WORK) == "finish"
    over = evolve(whole, CourseFinished(event_id=uuid4(), course_id=COURSE, **COMMON))
    assert following(over, SECOND, WORK) is None


def test_each_repetition_of_an_exercise_is_a_task_of_its_own() -> None:
    """Each repetition of an exercise is a task with a derived id. So submitting it twice has the effect of once."""
    state = after(begun(), read(), graded(0))
    assert state.course is not None
    again = exercise_task(state.course, state.trials[0, 0])
    assert again.event_id == task_of(COURSE, (0, 0), 1) != task_of(COURSE, (0, 0), 0)
    assert (again.client_id, again.agent, again.perspective) == ("tutor", "python", "semantics")
    assert again.text == "What comes last?"


EVENTS: list[CourseEvent] = [
    begun(), read(), read(1, SECOND), graded(0), graded(1, correct=False), graded(0, repetition=1), reviewed(1),
    graded(9), CourseFinished(event_id=uuid4(), course_id=COURSE, **COMMON),
]  # fmt: skip


@given(st.lists(st.sampled_from(EVENTS), max_size=20))
def test_the_fold_is_total_and_counts_every_answer_once(events: list[CourseEvent]) -> None:
    """Events in any order raise no error, and a repeated event changes nothing."""
    state = after(*events)
    for event in events:
        once = evolve(state, event)
        assert evolve(once, event) == once
    for trial in state.trials.values():
        assert [grade.repetition for grade in trial.grades] == list(range(len(trial.grades)))
