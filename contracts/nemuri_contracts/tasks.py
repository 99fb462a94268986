"""Events of a task from submission to answer."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import NegotiationOption
from nemuri_contracts.event import Count, Identifier, Label, TaskEvent, Text, Usage, Value
from nemuri_contracts.rebuttals import Revision
from nemuri_contracts.trouble_signs import MAX_SIGNS, Sign


class Detail(Value):
    """Reference to a passage of a document, so that its text is loaded only if needed."""

    document: Label
    ref: Text
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    """End of the passage. `start` (included) and `end` (excluded) count characters of the document's text."""
    pages: tuple[int, int] | None = None
    """First and last page, from 1; None if the document has no pages."""
    section: Text | None = None
    """Headings above the passage, outermost first; None if there are none, or for a chunk."""


class ReadingPlan(Value):
    """The plan for reading the chunks of a task's documents, for a request about the documents as a whole."""

    note_tokens: Annotated[Count, Field(ge=1)]
    """Approximate maximum tokens of the notes on one chunk."""
    groups: Count = 0
    """Number of groups of consecutive chunks whose notes are condensed after the reading; 0 if the notes of all chunks
    fit one prompt.
    """
    unread: tuple[Count, ...] = ()
    """Indices, from 0, of the chunks that the budget of tokens leaves unread, ascending."""


class Note(Value):
    """A statement of the documents that matters for the request, noted while one of their parts was read."""

    text: Text
    details: tuple[Detail, ...]
    """Passages on which the note rests."""


class TaskChunked(TaskEvent):
    """The task's documents were cut into chunks. Key points are extracted from a few chunks at a time."""

    kind: Literal["task_chunked"] = "task_chunked"
    details: tuple[Detail, ...] = Field(min_length=1)
    """Chunks in document order."""
    usage: Usage | None = None
    """Model usage of finding items; None without a model call."""
    listed_requests: tuple[Text, ...] = ()
    """Requests that the documents list. They are answered together with the task's text."""
    plan: ReadingPlan | None = None
    """The plan for reading the chunks for a request about the whole; None if only key points are wanted."""


class ChunkReady(TaskEvent):
    """The key point of this chunk must be extracted next."""

    kind: Literal["chunk_ready"] = "chunk_ready"
    ordinal: Count
    """Index of the chunk, from 0."""


class ChunkSummarised(TaskEvent):
    """The key point of a chunk was extracted: one sentence."""

    kind: Literal["chunk_summarised"] = "chunk_summarised"
    ordinal: Count
    """Index of the chunk, from 0."""
    point: Text
    """Key point of the chunk."""
    usage: Usage
    """Tokens used by the model."""
    notes: tuple[Note, ...] = ()
    """Notes on the chunk for a request about the whole, most important first; empty without a reading plan."""


class NotesReady(TaskEvent):
    """The notes on the chunks of this group must be condensed next."""

    kind: Literal["notes_ready"] = "notes_ready"
    group: Count
    """Index of the group, from 0."""


class NotesCondensed(TaskEvent):
    """The notes on the chunks of a group were condensed to fewer notes, which replace them."""

    kind: Literal["notes_condensed"] = "notes_condensed"
    group: Count
    """Index of the group, from 0."""
    notes: tuple[Note, ...]
    """Condensed notes, in the order of the documents."""
    usage: Usage
    """Tokens used by the model."""


class Option(Value):
    """An option of a negotiation."""

    name: NegotiationOption
    description: Text


class ImportantItem(Value):
    """An item that was chosen as one of the most important."""

    number: Annotated[Count, Field(ge=1)]
    """Number of the item in the list, from 1."""
    reason: Text
    """Reason of the choice, in one line."""


class NegotiationOpened(TaskEvent):
    """The client must choose an option: the input has more items than one answer covers, or it fits no agent."""

    kind: Literal["negotiation_opened"] = "negotiation_opened"
    items: tuple[Text, ...] = ()
    """Items that were found in the task; empty if the question is which agent should do it."""
    options: tuple[Option, ...]
    """Options to choose from. Those of a task that fits no agent name the agents, closest first."""
    important: tuple[ImportantItem, ...] = ()
    """The items that the option `most_important` answers if the client names none, most important first."""
    reason: Text | None = None
    """Why no agent was chosen, in one line; None if the task has too many items."""
    scores: tuple["AgentScore", ...] = ()
    """Scores of all agents that were considered for a task that fits none of them."""
    confidence: float | None = None
    """Confidence, 0 to 1, that the best agent is the right one; None if the task has too many items."""
    usage: Usage | None = None
    """Model usage of finding and choosing items, or of choosing an agent; None without a model call."""


class DetailPoint(Value):
    """A passage of a document with its key point, which is None if it was not extracted."""

    detail: Detail
    point: Text | None


class Part(Value):
    """The part of a task that one assignment answers."""

    title: Label | None = None
    """Common topic of the items, or number of the batch; None for a task with one part."""
    text: Text
    items: int = Field(default=0, ge=0)
    """Number of items in this part of a negotiated task; 0 for a task with one part."""
    note: Text = ""
    """Reasons why the platform chose these items, for the reader of the answer; "" if it did not choose."""


class TaskSummarised(TaskEvent):
    """The task was reduced to a summary, its parts and references to passages. It can be routed now."""

    kind: Literal["task_summarised"] = "task_summarised"
    summary: Text
    """Summary of at most 1,000 tokens by the offline estimate."""
    parts: tuple[Part, ...] = Field(min_length=1)
    """Parts of the task, one if it is not divided."""
    details: tuple[DetailPoint, ...] = ()
    """Chunks with their key points."""
    usage: Usage | None = None
    """Model usage of finding items; None without a model call."""
    summary_usage: Usage | None = None
    """Model usage of summarising a summary again that was too long; None without a model call."""


class AgentScore(Value):
    """Scores of an agent for a task in the orchestrator's three perspectives, each 0 to 1."""

    agent_id: Identifier
    expertise: float
    """Similarity of the task to the agent's definition and memories."""
    history: float
    """Share of good verdicts among the agent's judged tasks, weighted by their similarity to the task."""
    load: float
    """1 for an idle agent, 0 for the busiest one. It decides between agents that fit almost equally well."""
    total: float
    """Probability that the agent is the right one among the eligible agents."""


DecidedBy = Literal["request", "fit", "load", "model", "generalist"]
"""The reason for an agent: the client's request or the lack of any other agent, the best fit, the load of agents that
fit equally well, the light model, or the operator's generalist, because nobody fits.
"""


class Choice(Value):
    """An agent chosen for a part of the task."""

    agent_id: Identifier
    part: Count
    perspective: Label | None


class TaskRouted(TaskEvent):
    """The orchestrator chose the agents for a task by these scores."""

    kind: Literal["task_routed"] = "task_routed"
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt, from 1."""
    choices: tuple[Choice, ...] = Field(min_length=1)
    """Agent and perspective of each assignment."""
    scores: tuple[AgentScore, ...]
    """Scores of all agents that were considered."""
    request: Text | None = None
    """The request rewritten without references to the conversation. None if the task continues none."""
    recalled: tuple[UUID, ...] = ()
    """Ids of the routing memories of similar past tasks that influenced the scores of the chosen agents."""
    confidence: float | None = None
    """Confidence, 0 to 1, that the first choice is right and that the task belongs to a field of the agents at all.
    None if there was nothing to decide: the client named the agent, or all agents have the same field.
    """
    decided_by: DecidedBy = "fit"
    """The reason for the agent of the first part."""
    usage: Usage | None = None
    """Model usage of rewriting the request and of choosing an agent."""


class TaskAssigned(TaskEvent):
    """A part of the task was assigned to an agent. The event's id is the assignment's id."""

    kind: Literal["task_assigned"] = "task_assigned"
    agent_id: Identifier
    part: Count
    """Number of the part, from 0."""
    perspective: Label | None
    """Perspective under which the agent answers; None for none."""
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt, from 1."""
    consulted_by: UUID | None = None
    """Assignment of another agent that asks this one a question; None for a part of the task itself."""
    question: Text | None = None
    """The question of the other agent, which replaces the part's text."""

    @property
    def assignment_id(self) -> UUID:
        """Return the id of the assignment. An assignment has one retrieval, one answer, one usage record and one
        session.
        """
        return self.event_id


OverviewKind = Literal["summary", "comparison", "list", "count"]
"""The kind of a request about documents as a whole: main points, a comparison, all things of a kind, their number."""
OverviewBasis = Literal["text", "notes", "key points"]
"""The material of the answering agent on the documents as a whole: their text, notes on each part made for the request,
or one sentence on each part.
"""


class Overview(Value):
    """The making of an answer about documents as a whole, and what was not read for it."""

    kind: OverviewKind
    basis: OverviewBasis
    parts: Count
    """Number of parts (chunks) of the documents."""
    parts_read: Count
    """Number of parts that a model read."""
    share: float = Field(ge=0, le=1)
    """Share of the documents' text in these parts."""
    unread: tuple[Detail, ...] = ()
    """Parts that nothing read, in document order. Consecutive ones are joined."""


class TaskAnswered(TaskEvent):
    """An assignment was answered. The first recorded answer is never replaced."""

    kind: Literal["task_answered"] = "task_answered"
    agent_id: Identifier
    assignment_id: UUID
    """Id of the assignment."""
    text: Text
    """Text of the answer, with labels as citations."""
    citations: tuple[UUID, ...]
    """Ids of the memories that the answer cites."""
    citations_complete: bool = False
    """True if `citations` certainly contains every memory that the answer used."""
    details: tuple[Detail, ...]
    """Passages of documents in the answering agent's prompt, labelled d1, d2, … in this order. A note on a passage
    counts as the passage.
    """
    cited_details: tuple[Annotated[Count, Field(ge=1)], ...] = ()
    """Numbers of the passages that the answer cites, from 1, in the order of their first citation."""
    signs: tuple[Sign, ...] = Field(default=(), max_length=MAX_SIGNS)
    """Signs of trouble in the sources."""
    usage: Usage
    """Tokens used by the model."""
    overview: Overview | None = None
    """The making of an answer about the documents as a whole; None for an answer about details."""


class Voice(Value):
    """Answer of one panel member."""

    agent_id: Identifier
    perspective: Label | None
    answer: Text
    """Its first answer, given without knowing the others."""
    revision: Revision | None = None
    """Its reply to the answers of the others; None without a rebuttal."""


class Dissent(Value):
    """Objection of one panel member to the answers of the others."""

    agent_id: Identifier
    perspective: Label | None = None
    """Perspective of the member's seat; an agent may have several seats."""
    text: Text


class Panel(Value):
    """Answers of several agents with a merged answer."""

    voices: tuple[Voice, ...] = Field(min_length=1)
    merged: Text
    dissent: tuple[Dissent, ...] = ()
    usage: Usage
    """Model usage of merging."""
    asked: int | None = None
    """Number of voices that the client asked for. Greater than `len(voices)` if agents and perspectives did not
    suffice.
    """


class TaskCompleted(TaskEvent):
    """All assignments of the task's current attempt are answered. `answer` is the complete answer."""

    kind: Literal["task_completed"] = "task_completed"
    answer: Text
    """Text of the complete answer."""
    panel: Panel | None = None
    """The panel; None for a task without one."""
    signs: tuple[Sign, ...] = ()
    """Signs of trouble in the sources of all assignments. Their labels are those of the assignment's answer."""


class TaskFailed(TaskEvent):
    """The task ended without an answer."""

    kind: Literal["task_failed"] = "task_failed"
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt, from 1."""
    reason: Text
    """Reason, in one line."""


class TaskReopened(TaskEvent):
    """A failed task was reopened for another attempt."""

    kind: Literal["task_reopened"] = "task_reopened"
    attempt: Annotated[Count, Field(ge=2)]
    """Number of the new attempt, from 2."""


class FeedbackParked(TaskEvent):
    """Feedback waits until the memories to credit are known."""

    kind: Literal["feedback_parked"] = "feedback_parked"
    feedback_id: UUID
    """Id of the feedback."""
    reason: Text
    """Reason, in one line."""


class FeedbackRefused(TaskEvent):
    """Feedback or a part of it was refused. It is never credited."""

    kind: Literal["feedback_refused"] = "feedback_refused"
    feedback_id: UUID
    """Id of the feedback."""
    reason: Text
    """Reason, in one line."""


class NegotiationRefused(TaskEvent):
    """A negotiation answer was refused because the client may not decide about this task."""

    kind: Literal["negotiation_refused"] = "negotiation_refused"
    answer_id: UUID
    """Id of the client's `negotiation_answered` event."""
    reason: Text
    """Reason, in one line."""


class ReactionFailed(TaskEvent):
    """A service gave up an event of the task because of a fault of the event itself. An outage only delays an event."""

    kind: Literal["reaction_failed"] = "reaction_failed"
    service: Identifier
    """Name of the service."""
    cause_kind: Text
    """Kind of the event that failed."""
    attempt: Annotated[Count, Field(ge=1)]
    """Number of the attempt that the event belonged to. Later attempts of the task are not affected."""
    error: Text
    """Type and text of the error."""
