"""Events of the steps that an agent takes before it answers: it calls a tool, and gets a result (document 000 §3.1)."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.event import AgentWorkEvent, Count, Identifier, TaskEvent, Text, Usage
from nemuri_contracts.strength import Candidate
from nemuri_contracts.tasks import Detail

Tool = Literal["recall", "read", "consult"]
"""A tool of an agent: search its memory again, read passages of the documents, or ask a colleague."""


class AssignmentStepped(AgentWorkEvent):
    """The model that works on an assignment called a tool, with this result. The result of `consult` follows in
    `consultation_ended`.

    As after a retrieval, memories that were put into the context count as candidates, not as used.
    """

    kind: Literal["assignment_stepped"] = "assignment_stepped"
    assignment_id: UUID
    """Id of the assignment."""
    number: Annotated[Count, Field(ge=1)]
    """Number of the step within the assignment, from 1."""
    tool: Tool
    """Tool that the agent called."""
    query: Text
    """Text to search for, or the question to the colleague."""
    colleague: Identifier | None = None
    """Agent that is asked; None unless the tool is `consult`."""
    ranking: Text = ""
    """Ranking that gave the scores of `candidates`; "" if nothing was searched."""
    deep: bool = False
    """True if the archive was searched too."""
    candidates: tuple[Candidate, ...] = ()
    """All memories that the search found, best first."""
    selected: tuple[UUID, ...] = ()
    """Ids of the memories put into the context, besides those that were in it already, best first."""
    crowded: tuple[UUID, ...] = ()
    """Ids of the candidates that were left out because their source had used up its share of the context."""
    details: tuple[Detail, ...] = ()
    """Passages of documents put into the context, besides those that were in it already."""
    problem: Text = ""
    """Why the tool was not run, in one line; "" if it was."""
    usage: Usage
    """Usage of the model call that called the tool."""

    @property
    def in_context(self) -> tuple[UUID, ...]:
        """Return the ids of the memories that the step put into the context."""
        return self.selected


class ConsultationEnded(TaskEvent):
    """A colleague answered the question of an assignment, or cannot answer it."""

    kind: Literal["consultation_ended"] = "consultation_ended"
    agent_id: Identifier
    """Agent that asked."""
    assignment_id: UUID
    """Assignment that asked."""
    consultation_id: UUID
    """Assignment of the colleague."""
    answer: Text | None
    """The colleague's answer without citations; None if it has none."""
