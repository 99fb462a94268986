"""How an agent is doing at school: its courses, down to each answer."""

from datetime import datetime
from uuid import UUID

from nemuri_contracts.client_events import Scope
from nemuri_contracts.event import Identifier, Text, Usage, Value


class AnswerReport(Value):
    """How an answer to an exercise was."""

    task_id: UUID
    """The task by which the exercise was set."""
    answer: Text | None
    """What was answered, or its beginning, where it is long; None where the task ended without an answer."""
    repetition: int
    """0 for the test after the chapter, then counting."""
    correct: bool
    missing: tuple[str, ...]
    reason: str | None = None
    """Why nobody could grade it; None where it was graded."""
    graded_at: datetime
    reviewed: tuple[UUID, ...]
    """The memories that were looked at again after a wrong answer."""


class ExerciseReport(Value):
    """An exercise, and how its answers were."""

    question: Text
    """Its beginning, where it is long."""
    answers: tuple[AnswerReport, ...]
    due_at: datetime | None


class ChapterReport(Value):
    """A chapter, and how it went."""

    title: Text
    read: bool
    slept: bool
    """Whether the agent has slept over the reading."""
    memories: int
    """How many of them it made."""
    usage: Usage | None = None
    """What reading it cost; None before it is read."""
    archived: int
    """How many of these are in the archive by now."""
    strength: float | None
    """The mean strength now of those that are not; None where there are none."""
    exercises: int
    right: int
    wrong: int
    """By the newest answer to each; those without one are neither."""
    due_at: datetime | None
    """When the first of its exercises comes again."""
    details: tuple[ExerciseReport, ...] = ()
    """Only where one course was asked for."""


class CourseReport(Value):
    """A course, and how far it is."""

    course_id: UUID
    title: Text
    digest: str
    """Of the textbook's content."""
    perspective: str | None
    repeating: str
    scope: Scope = Scope()
    """Where what is read is valid."""
    begun_at: datetime
    finished_at: datetime | None
    chapters: tuple[ChapterReport, ...]


class CoursesView(Value):
    """An agent's courses, oldest first."""

    agent_id: Identifier
    now: datetime
    """By the platform's clock."""
    courses: tuple[CourseReport, ...]


class DueView(Value):
    """Which exercises come again."""

    exercises: int
    """How many of them, of all agents."""
