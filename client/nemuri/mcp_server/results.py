"""Structured answers of the tools. Each tool also gives a short text with the same content."""

from typing import Any, Literal
from uuid import UUID

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel, ConfigDict

from nemuri_contracts.affective import Concern


def answered(text: str, structured: BaseModel) -> CallToolResult:
    """Return the answer of a tool as text and as structured content."""
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=structured.model_dump(mode="json", exclude_none=True))


class Result(BaseModel):
    """An answer, or a part of one. Fields without a value are left out."""

    model_config = ConfigDict(frozen=True)


class OmittedMemory(Result):
    """A memory that did not fit into the answer."""

    memory_id: UUID
    score: float | None = None
    tokens: int
    """Tokens of its words, by the offline estimate."""


class RememberResult(Result):
    """The outcome of storing a memory."""

    stored: Literal[True] = True
    memory_id: UUID
    agent: str
    key: str | None = None


class ConverseResult(Result):
    """What was learned from a conversation."""

    agent: str
    conversation: str
    new_turns: int
    """Number of messages that were new."""
    memories: tuple[UUID, ...]
    """Ids of the memories that were made."""


class ProfileResult(Result):
    """What is known of a person now."""

    agent: str
    person: str
    profile: str
    memories: tuple[UUID, ...]
    """Ids of the memories in the profile, in its order."""
    left_out: int
    """Number of memories that found no room."""


class QuotedMemory(Result):
    """A recalled memory."""

    memory_id: UUID
    score: float
    words: str
    strength: float | None = None
    """Strength by use and decay, for strength memory."""
    level: int | None = None
    """Level of detail, 1 to 4, for affective memory."""
    layer: str | None = None
    """"short" or "long", for tiered memory."""
    said_at: str | None = None
    particulars: str | None = None
    """Who is said to have said it and when, from and until when it holds, and how sure it is, for strength memory."""
    tags: tuple[str, ...] = ()
    archived: bool | None = None
    outdated: str | None = None
    """What it yields to, and until when it held."""
    yields_to: UUID | None = None
    """A recalled memory that comes before this one, because of a relation or because it is newer."""
    held_until: str | None = None
    """Time until which it held, if something newer says what holds now."""
    yields_as: str | None = None
    """Recorded relation of the other one to this: `supersedes`, `contradicts` or `refines`; none if only its time
    counts."""
    relevance: float | None = None
    """Relevance to the query, 0 to 1, whatever else is remembered, for strength memory."""
    why: dict[str, float] | None = None
    """The values from which the score was made, with `explain`."""


class RecallResult(Result):
    """Recalled memories, best first."""

    agent: str
    as_of: str | None = None
    """Position of the past state that was searched; left out for the present."""
    project: str | None = None
    """Project in which affective memory was searched, with memories about the user; "/" outside of every project."""
    ranking: str | None = None
    memories: tuple[QuotedMemory, ...]
    left_out: tuple[OmittedMemory, ...] = ()
    more_left_out: int = 0
    """Number of memories that were left out and are not listed."""
    principles: tuple[str, ...] = ()
    """Principles, which the agent is given with every task."""


class MemoryDetail(Result):
    """A memory in full."""

    memory_id: UUID
    agent: str
    memory: Literal["strength", "affective", "tiered"]
    """Kind of the agent's memory."""
    status: str
    words: str
    words_left_out: int | None = None
    """Number of characters at the end of the words that did not fit into the answer."""
    facts: dict[str, Any]
    """Further facts: strength or retention, uses, times, scope, origin, relations."""
    history: tuple[str, ...] | None = None
    """A line for each event that changed it, oldest first, with `history`."""


class MemoriesResult(Result):
    """Memories in full."""

    memories: tuple[MemoryDetail, ...]
    left_out: tuple[OmittedMemory, ...] = ()
    problems: dict[str, str] = {}
    """Reasons why there is no memory for an id, by id."""


class WhyCandidate(Result):
    """A memory that was considered for a task."""

    memory_id: UUID
    score: float
    standing: str
    """Outcome: "used", "in context", "left out" and so on."""
    decided: str
    """Reason for its rank."""
    beginning: str
    added: dict[str, float]
    """Contribution of each feature to its score, compared with the mean candidate."""


class WhyRetrieval(Result):
    """A retrieval of a task."""

    agent: str
    query: str
    ranking: str
    candidates: tuple[WhyCandidate, ...]
    more: int = 0
    """Number of candidates that are not listed."""


class WhyResult(Result):
    """The explanation of a task's routing and of its memories."""

    task_id: UUID
    agents: tuple[str, ...] = ()
    decided_by: str | None = None
    retrievals: tuple[WhyRetrieval, ...] = ()
    more: int = 0
    """Number of retrievals that are not listed."""


class Citation(Result):
    """A memory that an answer cites."""

    memory_id: UUID


class AskResult(Result):
    """State of a task, with its answer when there is one."""

    task_id: UUID
    status: str
    """"done", "failed", "open", "clarification" (it waits for an answer) or "negotiation" (it waits for a choice)."""
    agent: str | None = None
    answer: str | None = None
    answer_left_out: int | None = None
    """Number of characters at the end of the answer that did not fit."""
    cited: tuple[UUID, ...] = ()
    used: tuple[UUID, ...] = ()
    learned: tuple[UUID, ...] = ()
    question: str | None = None
    options: tuple[str, ...] = ()
    reason: str | None = None
    """Reason why the task failed or waits."""
    signs: tuple[str, ...] = ()
    """Signs of trouble in the sources of the answer."""


class FeedbackResult(Result):
    """The outcome of feedback."""

    task_id: UUID
    standing: str
    """"applied", "parked" (waits until the used memories are known), "refused" or "new" (not decided yet)."""
    reason: str | None = None
    credited: tuple[UUID, ...] = ()


class ErasedItem(Result):
    """Something that an erasure takes with it."""

    kind: str
    id: str
    why: str


class ForgetResult(Result):
    """The content of an erasure, planned or done."""

    erased: bool
    number: int
    """Number of the items that would be erased, or of the events that were deleted."""
    items: tuple[ErasedItem, ...] = ()
    more_items: int = 0
    confirmation: str | None = None
    """Code that confirms the erasure of exactly these items, where the assistant's host cannot ask a person."""
    operation: UUID | None = None
    """Operation that erases, for `status`."""
    notes: tuple[str, ...] = ()


class RescopeResult(Result):
    """The reach of an affective memory: whom and which project it is about."""

    memory_id: UUID
    label: str
    changed: bool
    concern: Concern
    project: str | None
    only_asked: bool
    """True if it is never shown unasked."""


class StatusResult(Result):
    """The end state of a task, a memory, an offer or an operation."""

    what: Literal["task", "memory", "offer", "operation", "dead letter", "unknown"]
    id: str
    state: str
    ended: bool
    """True if nothing more follows by itself."""
    memory_id: UUID | None = None
    reason: str | None = None
    task: AskResult | None = None
    dead_letters: tuple[str, ...] = ()
