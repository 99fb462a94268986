"""Views of an agent's courses, chapters, exercises and answers."""

from datetime import datetime
from uuid import UUID

from nemuri_contracts.client_events import Scope
from nemuri_contracts.event import Identifier, Text, Usage, Value


class AnswerReport(Value):
    """A graded answer to an exercise."""

    task_id: UUID
    """Task that posed the exercise."""
    answer: Text | None
    """The answer, shortened if long. None if the task ended without an answer."""
    repetition: int
    """Number of the repetition; 0 is the test after the chapter."""
    correct: bool
    missing: tuple[str, ...]
    note: str = ""
    """Reason of the grade; may be empty."""
    reason: str | None = None
    """Error that made grading fail. None if the answer was graded."""
    graded_at: datetime
    reviewed: tuple[UUID, ...]
    """Memories that were reviewed after a wrong answer."""


class ExerciseReport(Value):
    """An exercise and its answers."""

    question: Text
    """The question, shortened if long."""
    answers: tuple[AnswerReport, ...]
    due_at: datetime | None


class ChapterReport(Value):
    """Progress and results of a chapter."""

    title: Text
    read: bool
    slept: bool
    """True if the agent has slept since it read the chapter."""
    memories: int
    """Number of memories that the chapter created."""
    usage: Usage | None = None
    """Model usage of reading the chapter. None before it is read."""
    archived: int
    """Number of the chapter's memories that are archived now."""
    strength: float | None
    """Mean current strength of the chapter's active memories. None if it has none."""
    exercises: int
    right: int
    wrong: int
    """Number of exercises whose newest answer is wrong. `right` and `wrong` do not count exercises without an answer.
    """
    due_at: datetime | None
    """Earliest time at which an exercise of the chapter is repeated. None if no repetition is scheduled."""
    details: tuple[ExerciseReport, ...] = ()
    """The exercises of the chapter. Empty unless the query names one course."""


class CourseReport(Value):
    """A course and its progress."""

    course_id: UUID
    title: Text
    digest: str
    """SHA-256 of the textbook's content."""
    perspective: str | None
    repeating: str
    scope: Scope = Scope()
    """Scope of the memories that the course creates."""
    begun_at: datetime
    finished_at: datetime | None
    chapters: tuple[ChapterReport, ...]


class CoursesView(Value):
    """The courses of an agent, oldest first."""

    agent_id: Identifier
    now: datetime
    """Current time by the platform's clock."""
    courses: tuple[CourseReport, ...]


class DueView(Value):
    """Exercises that are due for repetition."""

    exercises: int
    """Number of due exercises of all agents together."""
