"""Rebuttal: panel members read each other's answers once, before the answers are merged (document 000 §1.2)."""

from typing import Annotated, Literal

from pydantic import Field

from nemuri_contracts.event import Count, Identifier, Label, TaskEvent, Text, Usage, Value


class Revision(Value):
    """A panel member's reply to the answers of the others."""

    answer: Text
    """Its answer now, without citation labels if it changed; the first answer if the member stands by it."""
    stands: bool
    """True if the member stands by its first answer."""
    takes_over: Text = ""
    """Statements that the member takes over from the others; "" for none."""
    contradicts: Text = ""
    """Statements of the others that the member contradicts; "" for none."""
    problem: Text = ""
    """Why the member could not weigh the answers of the others, in one line; "" if it did."""
    usage: Usage
    """Tokens used by the model."""


class RebuttalRequested(TaskEvent):
    """All members of a panel have answered. This member is shown the answers of the others."""

    kind: Literal["rebuttal_requested"] = "rebuttal_requested"
    agent_id: Identifier
    perspective: Label | None
    """Perspective of the member's seat; an agent may have several seats."""
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt, from 1."""


class AnswerRevised(TaskEvent):
    """A member of a panel revised its answer or stands by it, because of the answers of the others."""

    kind: Literal["answer_revised"] = "answer_revised"
    agent_id: Identifier
    perspective: Label | None
    """Perspective of the member's seat."""
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt, from 1."""
    revision: Revision
    """The member's answer after the rebuttal."""
