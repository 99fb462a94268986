"""Views of agents and of their memories."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.agents import Definition, Embedding
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.event import Identifier, Label, Value
from nemuri_contracts.principles import PrincipleRecord
from nemuri_contracts.strength import Candidate, Experiences, Origin, Relation


class IdView(Value):
    """The complete id of the thing that an `IdQuery` found."""

    found: UUID


class EventView(Value):
    """Position and digest of the first event with an id. Later events with this id are ignored."""

    sequence: int | None = None
    """Stream sequence. None if there is no event with this id."""
    digest: str | None = None
    """SHA-256 of the event's JSON with sorted keys and `client_id`. Equal events have equal digests."""
    erased: bool = False
    """True if the event was erased. Then it has no digest."""


class FadingView(Value):
    """Decay speed of an agent's unused memories."""

    by_clock: bool
    """True if memories decay at most by the days that have passed, even if the agent did many tasks in a short time."""
    tasks_per_day: float
    """Number of tasks after which the memories have decayed by one day."""
    days: float | None
    """Days until a new memory is archived if it is never used. None if it never is archived."""


class AgentView(Value):
    """Current state of an agent."""

    agent_id: Identifier
    definition: Definition
    embedding: Embedding
    sessions_slept: int
    active: int
    archived: int
    principles: tuple[PrincipleRecord, ...] = ()
    """Principles that were proposed for it, with the decisions on them. Those of its definition file are not listed."""
    fading: FadingView | None = None
    """Decay speed of unused memories; None for affective and tiered memory."""


class AgentsView(Value):
    """The agents, by name."""

    agents: tuple[AgentView, ...]


class SourceMemory(Value):
    """A memory for which another one stands."""

    memory_id: UUID
    content: str
    created_at: datetime
    said_at: datetime | None = None
    access_count: int
    """Number of its uses before it was absorbed."""


class MemoryView(Value):
    """Current state of a memory."""

    memory_id: UUID
    agent_id: Identifier
    memory: MemoryContent
    source: str
    """Source of the memory: task, manual, education, definition, feedback, handover, or sleep for a semantic memory."""
    origin: Origin = Origin()
    principle: bool = False
    """True if the agent's definition lists it as a principle. Principles are part of every context."""
    links: tuple[UUID, ...]
    relations: tuple[Relation, ...] = ()
    """Relations of this memory to older memories, with the reasons. What was withdrawn is independent."""
    yields_to: tuple[UUID, ...] = ()
    """Ids of the newer memories that contradict, supersede or refine this one."""
    held_until: datetime | None = None
    """Time until which it held; None if nothing supersedes it."""
    pinned: bool = False
    """True if a person pinned it: it fades, but is never archived."""
    unconfirmed: bool = False
    """True if it was inferred and nothing has confirmed it yet."""
    status: Literal["active", "archived", "absorbed", "split"]
    """`absorbed`: a semantic memory, or the memory that it repeats, stands for it. `split`: it was a semantic memory,
    and was split.
    """
    absorbed_by: UUID | None = None
    """Id of the memory that stands for it; None if it stands for itself."""
    experiences: Experiences | None = None
    """Number and times of the experiences behind a semantic memory; None for other memories."""
    sources: tuple[SourceMemory, ...] = ()
    """The memories for which it stands, oldest first: those that a semantic memory has absorbed, and repetitions. Only
    in the view of a single memory.
    """
    strength: float
    strength_by_perspective: dict[str, float]
    level: int
    candidate_count: int
    access_count: int
    impact_score: float
    last_accessed_at: datetime | None
    last_decay_at: datetime | None = None
    """Time of the last sleep in which the memory decayed. None before its first decay, and while it is archived."""
    archived_at: datetime | None = None
    """Time of archiving; None while it is active."""
    created_at: datetime
    updated_at: datetime | None = None
    """Time of the last event that changed the memory itself, which includes retrievals but no decay. None if unknown.
    """


class MemoryPlace(Value):
    """The place of a memory in a list of an agent's memories."""

    memory_id: UUID
    created: int = Field(default=0, ge=0, le=2**53)
    """Sequence of the event that created it, in a list of the newest memories; otherwise 0."""
    log_strength: float = 0.0
    """Logarithm of its strength in a list of the strongest memories."""
    stored_strength: float = 0.0
    """The stored part of `log_strength`."""
    clocks: tuple[float, ...] = Field(default=(), max_length=16)
    """Decay clocks of the agent by which the list is ordered. They are those of its first page, so that the order does
    not change while the agent sleeps between two pages.
    """


class MemoriesView(Value):
    """A page of memories. It holds fewer than requested if a reply would be too large."""

    memories: tuple[MemoryView, ...]
    following: MemoryPlace | None = None
    """Place after which the next page begins; None on the last page."""


class RefusedOffer(Value):
    """An offered memory that its agent refused."""

    offer: UUID
    """Id of the offering event."""
    reason: str


class RememberedView(Value):
    """Outcome of offered memories. Offers that are neither pending nor refused were accepted."""

    pending: tuple[UUID, ...] = ()
    """Ids of the offers that are not decided yet, in the order of the query."""
    refused: tuple[RefusedOffer, ...] = ()


class RecalledMemory(Value):
    """A recalled memory with its retrieval scores."""

    candidate: Candidate
    memory: MemoryContent


class PrincipleView(Value):
    """A principle: a memory that is part of every context."""

    memory_id: UUID
    memory: MemoryContent


class NearestMemory(Value):
    """The memory that is nearest to a query for which nothing relevant is remembered."""

    memory_id: UUID
    memory: MemoryContent
    relevance: float
    """Relevance to the query, 0 to 1, just below what counts as relevant."""


class RecallView(Value):
    """Recalled memories, best first, with the ranking used."""

    ranking: str
    memories: tuple[RecalledMemory, ...]
    """Recalled memories, best first. Empty if nothing relevant is remembered."""
    nearest: NearestMemory | None = None
    """The memory that lay below the floor of relevance, if there are no others."""
    deep: bool = False
    """True if the archive was searched."""
    principles: tuple[PrincipleView, ...] = ()
    """Principles that are part of every context besides these memories, strongest first."""


class WaitingTask(Value):
    """A task that waits for its client."""

    task_id: UUID
    client_id: Identifier
    status: Literal["negotiation", "clarification"]
    """`negotiation`: it waits for a choice. `clarification`: it waits for the answer to its agent's question."""


class CalibrationView(Value):
    """The calibration of an embedder. The thresholds are minimum cosines after the mean vector was subtracted."""

    source: Literal["built-in", "measured", "assumed"]
    """`built-in`: it comes with the embedder. `measured`: from the platform's memories. `assumed`: from general texts,
    because there are not enough memories yet.
    """
    sample: int
    """Number of texts whose mean vector was taken; 0 for a built-in embedder."""
    centre: float
    """Length of the mean vector, 0 to 1."""
    scale: float
    """Distance of related texts from others, as a multiple of the built-in embedder's."""
    relevance: float
    """Minimum cosine of a query and a memory that may be relevant to it."""
    recall: float
    """Minimum cosine of a prompt and a memory that is recalled without being asked for."""
    same: float
    """Minimum cosine of two statements about the same."""


class StatusView(Value):
    """State of the projections: the last projected stream sequence, and the numbers of tasks, agents and memories."""

    projected: int
    tasks: dict[str, int]
    """Number of tasks by status."""
    waiting: tuple[WaitingTask, ...] = ()
    """Tasks that wait for their client, the ones submitted last first: at most 10."""
    agents: int
    memories: int
    """Number of memories of all kinds."""
    memories_by_kind: dict[str, int]
    """Number of memories by kind: strength, affective and tiered. Deleted ones are not counted."""
    embedding: Embedding
    """Model and dimension of the vectors of new agents."""
    calibration: CalibrationView | None = None
    """How these vectors are compared; None from a service of an earlier version."""
    database_bytes: int = 0
    """Size of the projections on disk in bytes: their tables and indexes."""
    halted: str | None = None
    """Reason why the projector stopped; None while it runs."""
    halted_at: int | None = None
    """Stream sequence of the event that stopped the projector. None if no event is the reason."""
    halted_services: dict[str, str] = Field(default_factory=dict)
    """Reason why a service has stopped working until its process is started again, by service. Only services in the
    process that answers are known.
    """


class ProfileMemory(Value):
    """A memory in a profile."""

    memory_id: UUID
    memory: MemoryContent
    source: str
    """Kind of its source, such as `conversation` or `manual`."""
    origin: Origin = Origin()


class MemoView(Value):
    """The memo of an agent: the current table of contents of its memory."""

    agent_id: Identifier
    memo: str
    """Topics, strongest first, each with its number of memories; "" if there are none."""
    tokens: int
    """Length in tokens, by the offline estimate."""
    limit: int
    """Maximum length in tokens, by the agent's policy."""


class ProfileView(Value):
    """What an agent knows of a person now."""

    agent_id: Identifier
    person: Label
    text: str
    """The profile as Markdown, with a heading for each kind of memory; "" if nothing is known."""
    tokens: int
    """Length of the text in tokens, by an estimate."""
    memories: tuple[ProfileMemory, ...]
    """The memories in it, in its order."""
    left_out: int
    """Number of memories that hold now but found no room, among the 300 strongest."""


class ProposedKeyword(Value):
    """A keyword that is proposed for a perspective."""

    keyword: Label
    memories: int
    """Number of the perspective's memories that have it."""


class KeywordsView(Value):
    """Keywords that are proposed for the perspectives of an agent, from the words of its memories."""

    agent_id: Identifier
    memories: int
    """Number of memories that were read."""
    proposed: dict[Label, tuple[ProposedKeyword, ...]]
    """Keywords by perspective, best first. Perspectives without a proposal are left out."""


class RetriedView(Value):
    """A dead-lettered event that was handled after a retry."""

    kind: str
    sequence: int
