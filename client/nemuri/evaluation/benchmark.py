"""A benchmark of memory in one form: histories of conversations, and questions about them with their evidence."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Literal

Role = Literal["user", "assistant"]
Place = tuple[str, int]
"""A conversation's name, and the number of its messages before this one."""


@dataclass(frozen=True, slots=True)
class Message:
    """What one speaker said."""

    text: str
    role: Role = "user"
    speaker: str | None = None
    """Name of the speaker, if the benchmark tells it."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages that follow each other, under a name that is unique in their history."""

    name: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a history."""

    question_id: str
    """Id that is unique in the benchmark."""
    text: str
    kind: str
    """Kind of the question, by the name that the benchmark gives it."""
    answer: str = ""
    """The right answer in words; "" if only criteria are given."""
    criteria: tuple[str, ...] = ()
    """What a right answer must do, if the benchmark says it in points. Points may be met in part."""
    rule: str = ""
    """Rule of the benchmark for judging answers to questions of this kind, for the judge."""
    evidence: frozenset[Place] = frozenset()
    """The messages that an answer needs, as far as the benchmark names them."""
    misleading: frozenset[Place] = frozenset()
    """Messages that mislead: they say what the evidence has replaced, or what only looks alike."""
    asked_at: datetime | None = None
    unanswerable: bool = False
    """True if the history does not tell the answer, so that it is right to say so."""


@dataclass(frozen=True, slots=True)
class History:
    """Conversations with one memory, oldest first, and the questions about them."""

    history_id: str
    conversations: tuple[Conversation, ...]
    questions: tuple[Question, ...]

    def messages(self) -> Iterator[tuple[Place, Message]]:
        """Yield all messages with their places, oldest first."""
        for conversation in self.conversations:
            for position, message in enumerate(conversation.messages):
                yield (conversation.name, position), message


def role_of(name: object) -> Role:
    """Return the role of a speaker by the name that a benchmark gives it: whoever is no assistant is a user."""
    return "assistant" if name == "assistant" else "user"


class BenchmarkFileError(Exception):
    """A file is not one of this benchmark. The message names the file, and says what was expected."""


def chosen(
    histories: list[History], *, kinds: frozenset[str] = frozenset(), limit: int | None = None, seed: int = 1
) -> list[History]:
    """Return the histories with the questions of these kinds, at most `limit` drawn at random by the seed.

    Without `kinds` all kinds count. A history without questions is left out.
    """
    asked = [question for history in histories for question in history.questions if not kinds or question.kind in kinds]
    if limit is not None and limit < len(asked):
        asked = Random(seed).sample(asked, limit)
    names = {question.question_id for question in asked}
    some = (
        replace(history, questions=tuple(question for question in history.questions if question.question_id in names))
        for history in histories
    )
    return [history for history in some if history.questions]
