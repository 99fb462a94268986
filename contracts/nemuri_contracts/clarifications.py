"""Questions that an agent asks the client of its task, and their answers (document 000 §1.2.4)."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import TEXT_LIMIT
from nemuri_contracts.event import ClientEvent, Identifier, TaskEvent, Text, Usage, Value

QUESTION_LIMIT = 2_000
"""Maximum length of a question, of an assumption and of an offered answer, in characters."""
MAX_OPTIONS = 6
"""Maximum number of answers that a question offers."""


class ClarificationRequest(Value):
    """A fact that an agent lacks, and without which its answer would be materially different."""

    question: Text = Field(min_length=1, max_length=QUESTION_LIMIT)
    """The question to the client."""
    assumption: Text = Field(min_length=1, max_length=QUESTION_LIMIT)
    """The agent's assumption if nobody answers, as a sentence for the reader of the answer."""
    options: tuple[Text, ...] = Field(default=(), max_length=MAX_OPTIONS)
    """Likely answers to choose from. Any other answer is possible too."""


class ClarificationAsked(TaskEvent):
    """An agent asked the task's client a question. The task waits for the answer, but not longer than `until`."""

    kind: Literal["clarification_asked"] = "clarification_asked"
    agent_id: Identifier
    assignment_id: UUID
    """Id of the assignment that waits."""
    request: ClarificationRequest
    """The question, and what is assumed without an answer."""
    until: datetime
    """Time of the platform's clock at which the agent goes on with its assumption."""
    usage: Usage
    """Tokens used by the model."""


class ClarificationAnswered(ClientEvent):
    """The client answered the question of its task's agent."""

    names_task = True
    kind: Literal["clarification_answered"] = "clarification_answered"
    correlation_id: UUID
    text: Text = Field(min_length=1, max_length=TEXT_LIMIT)
    """The answer in words."""

    @property
    def thread(self) -> UUID:
        """Return the id of the task that the question belongs to."""
        return self.correlation_id


class ClarificationExpired(TaskEvent):
    """Nobody answered the agent's question in time. The agent goes on with its assumption."""

    kind: Literal["clarification_expired"] = "clarification_expired"
    agent_id: Identifier
    assignment_id: UUID
    """Id of the assignment that continues."""


class ClarificationRefused(TaskEvent):
    """An answer was refused: the client may not decide about this task, or no question waited for it any more."""

    kind: Literal["clarification_refused"] = "clarification_refused"
    answer_id: UUID
    """Id of the client's `clarification_answered` event."""
    reason: Text
    """Reason, in one line."""


class Clarification(Value):
    """State of the question that an agent asked about a task."""

    asked_by: UUID
    """Id of the event that asked it."""
    agent_id: Identifier
    assignment_id: UUID
    """Id of the assignment that waits."""
    request: ClarificationRequest
    """The question, and what is assumed without an answer."""
    until: datetime
    """Time of the platform's clock at which the agent goes on with its assumption."""
    state: Literal["waiting", "answered", "expired"] = "waiting"
    """`expired`: nobody answered in time, and the agent went on with its assumption."""
    answer: Text | None = None
    """The client's answer; None if there is none."""
    closed_by: UUID | None = None
    """Id of the event that answered the question or let it expire; None while it waits."""
    steps: int = Field(default=0, ge=0)
    """Number of steps that the agent had taken before it asked."""
    shown: tuple[UUID, ...] = ()
    """Ids of the memories that were shown to the model that asked."""
    usage: Usage
    """Tokens used by the model that asked."""
