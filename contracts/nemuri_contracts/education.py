"""Education: textbooks, and the events of a course (document 000 §4.1)."""

from hashlib import sha256
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import TEXT_LIMIT, Scope
from nemuri_contracts.event import AgentEvent, Count, JsonObject, Label, Moment, Options, Text, Usage, Value
from nemuri_contracts.strength import NewMemory

Title = Annotated[Text, Field(min_length=1, max_length=400)]
Repeating = Literal["fixed", "fsrs", "none"]
"""Repetition schedule of exercises: after 1, 3, 7, 14 and 30 days (`fixed`), by FSRS, or none."""

CHAPTER_BYTES = 250_000
"""Maximum size of a chapter's sections as JSON, in bytes. A chapter is read in one event, which may hold each section
twice (content and tags).
"""
LEARNING_CHARACTERS = 600
"""Maximum length of a learning from a section, in characters."""


class Section(Value):
    """A section of a chapter. Reading it creates one memory."""

    title: Title
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)


class Exercise(Value):
    """An exercise of a chapter's test, with the criteria of a right answer."""

    question: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    answer: Text = Field(default="", max_length=TEXT_LIMIT)
    """The right answer in words. After a wrong answer, the agent reviews the memories that match this text, or the
    keywords if it is empty.
    """
    keywords: tuple[Label, ...] = Field(min_length=1, max_length=32)
    """Keywords of a right answer. It must make all of these points."""
    synonyms: dict[Label, tuple[Label, ...]] = Field(default_factory=dict, max_length=32)
    """Other words that count like a keyword, by keyword."""


class Chapter(Value):
    """A chapter of a textbook. It is read before one sleep and tested after that sleep."""

    title: Title
    sections: tuple[Section, ...] = Field(min_length=1, max_length=100)
    exercises: tuple[Exercise, ...] = Field(default=(), max_length=100)

    @property
    def size(self) -> int:
        """Return the size of the chapter's sections as JSON, in bytes."""
        return sum(len(section.model_dump_json().encode()) for section in self.sections)


class Textbook(Value):
    """A textbook for an agent."""

    title: Title
    perspective: Label | None = None
    """Perspective under which the agent reads the textbook and is tested."""
    chapters: tuple[Chapter, ...] = Field(min_length=1, max_length=200)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the textbook's JSON. Equal textbooks have equal digests."""
        return sha256(self.model_dump_json().encode()).hexdigest()


class TeachingOptions(Options):
    """The options of a course."""

    repeating: Repeating = "fixed"
    """Review schedule of exercises: after 1, 3, 7, 14 and 30 days (`fixed`), by FSRS (`fsrs`), or never (`none`)."""
    again: bool = False
    """Teach the textbook once more, although it was taught in this scope before."""


class CourseBegun(AgentEvent):
    """A course with a textbook began. The event's id is the course's id."""

    kind: Literal["course_begun"] = "course_begun"
    textbook: Textbook
    """Textbook to teach from."""
    repeating: Repeating = "fixed"
    """Schedule of repetitions."""
    scope: Scope = Scope()
    """Scope of the memories that the course creates, and of its exercises."""

    @property
    def course_id(self) -> UUID:
        """Return the id of the course that this event creates."""
        return self.event_id


class ChapterRead(AgentEvent):
    """The agent read a chapter. The reading is a session whose id is the event's id. The agent sleeps after it."""

    kind: Literal["chapter_read"] = "chapter_read"
    course_id: UUID
    """Id of the course."""
    chapter: Count
    """Number of the chapter, from 0."""
    sections: tuple[NewMemory, ...]
    """Memories to create, with the initial strength of memories that were only read."""
    usage: Usage | None = None
    """Tokens used by the model; None without a model call."""

    @property
    def session_id(self) -> UUID:
        """Return the id of the session in which the chapter was read."""
        return self.event_id


class ExerciseGraded(AgentEvent):
    """An answer to an exercise was graded right or wrong."""

    kind: Literal["exercise_graded"] = "exercise_graded"
    course_id: UUID
    """Id of the course."""
    chapter: Count
    """Number of the chapter, from 0."""
    exercise: Count
    """Index of the exercise in its chapter, from 0."""
    repetition: Count
    """Number of the repetition; 0 is the test after the chapter."""
    assignment_id: UUID | None
    """Id of the assignment that answered. None if the task ended without an answer, or if grading failed."""
    correct: bool
    """True if the answer makes every point and contradicts none."""
    missing: tuple[Label, ...]
    """Keywords that the answer does not contain in any words, or that it denies."""
    denied: tuple[Label, ...] = ()
    """Those of the missing keywords that the answer mentions but denies, as far as words show it."""
    note: Text = ""
    """Reason of the grade in one line, by the model or the rules that graded; may be empty."""
    usage: Usage | None = None
    """Model usage of grading; None if no answer was graded."""
    reason: Text | None = None
    """Error that made grading fail; the answer then counts as wrong. None if the answer was graded."""
    graded_at: Moment
    """Time of grading by the platform's clock. The log's time may be earlier if an operator advanced the platform's
    clock.
    """
    due_at: Moment | None
    """Time of the next repetition. None if there is no further one."""
    card: JsonObject | None = None
    """FSRS card of the exercise. None for other schedules."""


class MemoriesReviewed(AgentEvent):
    """After a wrong answer, the agent reviewed the memories that match the right answer. There may be none."""

    kind: Literal["memories_reviewed"] = "memories_reviewed"
    course_id: UUID
    """Id of the course."""
    chapter: Count
    """Number of the chapter, from 0."""
    exercise: Count
    """Index of the exercise in its chapter, from 0."""
    perspective: Label | None
    """Perspective under which the exercise was answered; None for none."""
    memory_ids: tuple[UUID, ...] = Field(max_length=50)
    """Ids of the reviewed memories."""


class CourseFinished(AgentEvent):
    """All chapters of the course are read and tested. Its exercises may still be repeated."""

    kind: Literal["course_finished"] = "course_finished"
    course_id: UUID
    """Id of the course."""
