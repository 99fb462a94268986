"""Views of a task for clients."""

from typing import Literal
from uuid import UUID

from nemuri_contracts.clarifications import Clarification
from nemuri_contracts.event import Count, Identifier, Text, Usage, Value
from nemuri_contracts.steps import Tool
from nemuri_contracts.strength import Dropped
from nemuri_contracts.tasks import Detail, ImportantItem, Option, Overview, Panel
from nemuri_contracts.trouble_signs import Sign

Status = Literal["open", "negotiation", "clarification", "done", "failed"]
"""`negotiation`: the task waits for its client's choice. `clarification`: it waits for the answer to its agent's
question.
"""
Step = Literal[
    "key points",
    "notes",
    "condensing",
    "summary",
    "items",
    "routing",
    "answer",
    "overview",
    "judge",
    "learnings",
    "rebuttal",
    "panel",
]
"""Steps of a task that call a model: summarising chunks, notes on chunks for a request about the whole, condensing
notes, summarising a long summary again, finding items, rewriting the request, answering, answering about the whole,
usage judge, learning, rebuttal of a panel, merging it.
"""


class Retrieved(Value):
    """A memory that was put into the context."""

    memory_id: UUID
    score: float | None
    """Retrieval score; None for a principle, which is part of every context."""
    features: dict[str, float]


class ReadPassage(Value):
    """A passage of a document that was in the prompt of an answering agent."""

    label: Text
    """Label by which the agent's answer cites the passage: d1, d2, …"""
    agent_id: Identifier
    """Agent that read the passage. Each agent of a task has labels of its own."""
    part: Count = 0
    """Number of the task's part for which it was read, from 0."""
    detail: Detail
    """Document, pages, section and position of the passage."""
    cited: bool
    """True if the answer cites the passage."""


class FeedbackStanding(Value):
    """Outcome of a client's feedback."""

    feedback_id: UUID
    verdict: Literal["helpful", "unhelpful"] | None = None
    result: Literal["success", "failure"] | None = None
    prevented_error: UUID | None = None
    words: str | None = None
    """The client's words about the answer."""
    correction: str | None = None
    """The right answer, by the client."""
    standing: Literal["new", "parked", "applied", "refused"]
    """`new`: undecided. `parked`: waits until the memories that the answer used are known. `applied`: credited,
    possibly to no memory. `refused`: credited to nothing.
    """
    reason: str | None = None
    """Reason why it waits or was refused; for applied feedback, why a part was refused."""
    memories: tuple[UUID, ...] = ()
    """Ids of the memories that were credited so far."""

    @property
    def decided(self) -> bool:
        """Return True if every part of the feedback is decided, or if the reason for the delay is known."""
        if self.standing != "applied" or self.prevented_error is None:
            return self.standing != "new"
        return self.prevented_error in self.memories or self.reason is not None


class Cost(Usage):
    """Model usage of one step of a task with one model, over all attempts."""

    step: Step


class StepView(Value):
    """A call of a tool by an agent before its answer, and its result."""

    agent_id: str
    tool: Tool
    query: str
    """Text that was searched for, or the question to the colleague."""
    colleague: str | None = None
    consultation: UUID | None = None
    """Assignment of the colleague; None while it works, and for other tools."""
    answer: str | None = None
    """Answer of the colleague."""
    memories: tuple[UUID, ...] = ()
    """Ids of the memories that the step put into the context."""
    passages: int = 0
    """Number of passages of documents that the step put into the context."""
    problem: str = ""
    """Why the tool was not run; "" if it was."""
    usage: Usage
    """Usage of the model call that called the tool."""


class TaskResult(Value):
    """State and result of a task."""

    task_id: UUID
    client_id: str | None = None
    """Client that submitted the task. Only this client, operators and the tutor may give feedback and answer
    negotiations and questions.
    """
    status: Status
    attempt: int = 1
    """Number of the attempt. It grows by 1 each time a failed task is reopened."""
    agent_id: str | None = None
    """Agent that answered; the first one if there were several."""
    answer: str | None = None
    panel: Panel | None = None
    """Answers of a panel with the merged answer and the dissent. `answer` contains all of them as text."""
    model: str | None = None
    citations: tuple[UUID, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    recalled: int | None = None
    """Number of relevant memories in the context, without principles. None before retrieval; 0 if nothing relevant was
    remembered.
    """
    used: tuple[UUID, ...] = ()
    learned: tuple[UUID, ...] = ()
    repeated: tuple[UUID, ...] = ()
    """Ids of the memories that were reinforced because a learning repeated them."""
    dropped: tuple[Dropped, ...] = ()
    """Rejected learnings, with reasons."""
    steps: tuple[StepView, ...] = ()
    """Calls of tools by the agents before their answers."""
    costs: tuple[Cost, ...] = ()
    """Model usage so far, by step. Steps without a model call are left out."""
    over_budget: str | None = None
    """Why a step was done without a language model, in one line; None if no budget prevented a call."""
    reason: str | None = None
    """Reason of the failure, or of an open negotiation about the agent."""
    items: tuple[str, ...] = ()
    options: tuple[Option, ...] = ()
    """Options of an open negotiation."""
    important: tuple[ImportantItem, ...] = ()
    """During a negotiation, the items that the platform considers most important, with the reasons."""
    clarification: Clarification | None = None
    """The question that the agent asked about the task; None if it asked none."""
    signs: tuple[Sign, ...] = ()
    """Signs of trouble in the sources of the answer."""
    feedback: tuple[FeedbackStanding, ...] = ()
    """Feedback of clients, by id."""
    progress: str | None = None
    """Short description of the current step."""
    chunks: int = 0
    """Number of chunks of the task's documents; 0 without documents, and before they are cut."""
    points: int = 0
    """Number of chunks with an extracted key point so far."""
    chunks_read: int | None = None
    """Number of chunks with a passage in the prompt of an answering agent. None without documents, and before the first
    answer.
    """
    share_read: float | None = None
    """Share of the documents' text that was in the prompt of an answering agent, 0 to 1. For an overview, the share
    that was read for its notes.

    The whole text is searched for the words of the question, but no model reads the rest for the answer.
    """
    overview: Overview | None = None
    """The making of an answer about the documents as a whole, and what was not read for it; None for an answer
    about details.
    """
    passages: tuple[ReadPassage, ...] = ()
    """Passages of documents that the answers rest on: what was in the prompts, and what of it is cited."""
    settled: bool = False
    """True if nothing more follows from the answer: used memories and learnings are known, or the task has failed."""
