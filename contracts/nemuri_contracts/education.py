"""What an agent is taught, and how it does in tests (document 000 §4.1)."""

from datetime import datetime
from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import TEXT_LIMIT, Scope
from nemuri_contracts.event import AgentEvent, Count, JsonObject, Label, Text, Usage, Value
from nemuri_contracts.strength import NewMemory

Title = Annotated[Text, Field(min_length=1, max_length=400)]
Repeating = Literal["fixed", "fsrs", "none"]
"""When exercises come again: after 1, 3, 7, 14 and 30 days, as FSRS says, or never."""

CHAPTER_BYTES = 250_000
"""JSON of a chapter's sections at most: reading it is one event, in which each may stand twice, in its tags too."""
LEARNING_CHARACTERS = 600
"""Of what reading a section teaches."""


class Section(Value):
    """A piece of a chapter that is read, and becomes a memory."""

    title: Title
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)


class Exercise(Value):
    """A question of a chapter's test, and by what its answer is recognised as right."""

    question: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    answer: Text = Field(default="", max_length=TEXT_LIMIT)
    """The right answer in words; what is reviewed after a wrong one. Without it the keywords are."""
    keywords: tuple[Label, ...] = Field(min_length=1, max_length=32)
    """What a right answer contains, all of it."""


class Chapter(Value):
    """What is read before one sleep, and tested after it."""

    title: Title
    sections: tuple[Section, ...] = Field(min_length=1, max_length=100)
    exercises: tuple[Exercise, ...] = Field(default=(), max_length=100)

    @property
    def size(self) -> int:
        """Bytes of its sections as JSON."""
        return sum(len(each.model_dump_json().encode()) for each in self.sections)


class Textbook(Value):
    """What an agent learns before it has worked."""

    title: Title
    perspective: Label | None = None
    """The perspective under which it is read and tested; one of the agent's."""
    chapters: tuple[Chapter, ...] = Field(min_length=1, max_length=200)

    @property
    def digest(self) -> str:
        """SHA-256 of its content: of two textbooks that say the same, the same."""
        return sha256(self.model_dump_json().encode()).hexdigest()


class CourseBegun(AgentEvent):
    """The agent is taught from a textbook; the event's id is the course's id."""

    kind: Literal["course_begun"] = "course_begun"
    textbook: Textbook
    repeating: Repeating = "fixed"
    scope: Scope = Scope()
    """Where what is read is valid, and where the exercises take place."""

    @property
    def course_id(self) -> UUID:
        """The course that begins with this event."""
        return self.event_id


class ChapterRead(AgentEvent):
    """The agent has read a chapter: a session of its own, over which it sleeps; the event's id is that session's."""

    kind: Literal["chapter_read"] = "chapter_read"
    course_id: UUID
    chapter: Count
    sections: tuple[NewMemory, ...]
    """What is to be remembered of it, with the strength of what was only read."""
    usage: Usage | None = None

    @property
    def session_id(self) -> UUID:
        """The session of the reading."""
        return self.event_id


class ExerciseGraded(AgentEvent):
    """An answer to an exercise was right or wrong."""

    kind: Literal["exercise_graded"] = "exercise_graded"
    course_id: UUID
    chapter: Count
    exercise: Count
    """The place of the exercise in its chapter, from 0."""
    repetition: Count
    """0 for the test after the chapter, then counting."""
    assignment_id: UUID | None
    """The session in which it was answered; None where the task ended without an answer."""
    correct: bool
    missing: tuple[Label, ...]
    """The keywords that the answer lacks."""
    reason: Text | None = None
    """Why nobody could grade it, so that it counts as wrong; None where it was graded."""
    graded_at: datetime
    """By the platform's clock, which the log's time may lag behind where it was moved."""
    due_at: datetime | None
    """When the exercise comes again; None where it does not."""
    card: JsonObject | None = None
    """What FSRS knows of it; None with other schedules."""


class MemoriesReviewed(AgentEvent):
    """After a wrong answer the agent looked again at what holds the right one."""

    kind: Literal["memories_reviewed"] = "memories_reviewed"
    course_id: UUID
    chapter: Count
    exercise: Count
    """The place of the exercise in its chapter, from 0."""
    perspective: Label | None
    memory_ids: tuple[UUID, ...] = Field(max_length=50)


class CourseFinished(AgentEvent):
    """Every chapter is read and tested; the exercises may come again."""

    kind: Literal["course_finished"] = "course_finished"
    course_id: UUID
