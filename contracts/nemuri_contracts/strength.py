"""What happens to the memories of an agent."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import MemoryContent, Setting
from nemuri_contracts.event import AgentEvent, Identifier, Label, Text, Usage, Value

FEATURES = (
    "similarity",
    "strength",
    "perspective_strength",
    "access_ratio",
    "recency",
    "impact_score",
    "tag_overlap",
    "is_principle",
    "perspective_match",
)
"""The nine features of a candidate, in the order of document 000 §3.4."""

Method = Literal["citation", "tag", "similarity", "judge"]
"""How the use of a memory was recognised."""


class Candidate(Value):
    """A memory that stage 1 of retrieval found, with what stage 2 ranked it by."""

    memory_id: UUID
    similarity: float
    """Cosine, -1 to 1; the highest over the query and its expansions."""
    lexical: float
    """BM25 over its maximum among the candidates, 0 to 1."""
    relevance: float
    """The normalised sum of both channels, 0 to 1."""
    features: tuple[float, ...] = Field(min_length=len(FEATURES), max_length=len(FEATURES))
    """Raw, in the order of `FEATURES`; what follows from them is a versioned transform."""
    score: float
    archived: bool = False
    yields_to: UUID | None = None
    """The candidate that contradicts or supersedes this one, which therefore comes after it."""
    source: Text = ""
    """Whoever answers for it (`Origin.source`); "" for nobody."""


class MemoriesRetrieved(AgentEvent):
    """What came to the agent's mind for an assignment; being retrieved is not being used."""

    kind: Literal["memories_retrieved"] = "memories_retrieved"
    assignment_id: UUID
    query: Text
    terms: tuple[Text, ...]
    expansions: dict[Label, Text]
    """The query as widened by the keywords of each perspective, and the task's summary where that says more."""
    vector: Text
    """The key of the query's vector."""
    perspective: Label | None
    setting: Setting
    seed: int
    ranking: Text
    """The versioned transform and weights, or the scorer, that gave the scores."""
    candidates: tuple[Candidate, ...]
    """All of stage 1, best first."""
    selected: tuple[UUID, ...]
    """What went into the context besides the principles, best first."""
    crowded: tuple[UUID, ...] = ()
    """What would have been selected too, had not others of its source taken their share of the context."""
    principles: tuple[UUID, ...] = ()
    deep: bool = False
    """Whether the archive was asked: on demand, or because the active memories held nothing relevant."""

    @property
    def in_context(self) -> tuple[UUID, ...]:
        """Every memory that the model was given: principles first."""
        return (*self.principles, *self.selected)


class Use(Value):
    """The answer drew on this memory."""

    memory_id: UUID
    method: Method


class MemoriesUsed(AgentEvent):
    """The answer to an assignment really drew on these memories, or on none."""

    kind: Literal["memories_used"] = "memories_used"
    assignment_id: UUID
    perspective: Label | None
    """The perspective under which they were used; None when the task had none."""
    uses: tuple[Use, ...]
    usage: Usage | None = None
    """What recognising them cost; None where no model was asked."""

    @property
    def memory_ids(self) -> tuple[UUID, ...]:
        """The memories, each once."""
        return tuple(dict.fromkeys(use.memory_id for use in self.uses))


class Relation(Value):
    """What a memory says of an older one, which then yields to it in ranking."""

    older: UUID
    sort: Literal["contradicts", "supersedes"]


class Origin(Value):
    """From where a memory came into a mind, as the platform knows it; `said_by` is only what the offerer says."""

    client_id: Identifier | None = None
    """Who offered it, or set the task in which it was learned."""
    task_id: UUID | None = None
    textbook: Text | None = None
    """The title of what it was read in."""

    @property
    def source(self) -> str:
        """Whoever answers for it, by whom shares of a context are counted; "" for nobody."""
        if self.textbook is not None:
            return f"textbook {self.textbook}"
        return f"client {self.client_id}" if self.client_id is not None else ""


class NewMemory(Value):
    """A memory that is to be encoded, with the key of its vector, which is written already."""

    memory: MemoryContent
    links: tuple[UUID, ...] = ()
    """Older memories that it came from."""
    relations: tuple[Relation, ...] = ()
    origin: Origin = Origin()
    vector: Text
    strength: float = Field(gt=0, le=1e6)
    """The strength it is to begin with, overall and in each of these perspectives."""
    perspectives: tuple[Label, ...]


class Repetition(Value):
    """A learning that says what a memory already says: it strengthens that memory instead of becoming another."""

    memory_id: UUID
    perspective: Label | None
    learning: NewMemory
    """What it would have become, so that it can still become it."""


class Dropped(Value):
    """A learning that was not kept."""

    text: Text
    reason: Text


class LearningsExtracted(AgentEvent):
    """What the agent takes from an assignment: at most one learning for each perspective."""

    kind: Literal["learnings_extracted"] = "learnings_extracted"
    assignment_id: UUID
    learnings: tuple[NewMemory, ...]
    repetitions: tuple[Repetition, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    usage: Usage


class MemoryEncoded(AgentEvent):
    """A memory begins; the event's id is the memory's id."""

    kind: Literal["memory_encoded"] = "memory_encoded"
    memory: MemoryContent
    links: tuple[UUID, ...] = ()
    relations: tuple[Relation, ...] = ()
    origin: Origin = Origin()
    vector: Text
    """The key under which its vector is stored: model, dimension and sha256 of the embedded text."""
    source: Literal["task", "manual", "education", "definition"]
    assignment_id: UUID | None = None
    """The assignment in which it was learned; None for what was put in directly."""
    strength: float = Field(gt=0, le=1e6)
    """The strength it begins with, overall and in each of the agent's perspectives."""
    perspectives: tuple[Label, ...]

    @property
    def memory_id(self) -> UUID:
        """The memory that begins with this event."""
        return self.event_id


class MemoryRefused(AgentEvent):
    """An offered memory was not taken in."""

    kind: Literal["memory_refused"] = "memory_refused"
    reason: Text


class RelationWithdrawn(AgentEvent):
    """A memory does not contradict or supersede an older one after all; the older one does not yield any more."""

    kind: Literal["relation_withdrawn"] = "relation_withdrawn"
    memory_id: UUID
    older: UUID


class RepetitionWithdrawn(AgentEvent):
    """A learning that was taken for a repetition says something else: it becomes a memory of its own."""

    kind: Literal["repetition_withdrawn"] = "repetition_withdrawn"
    repetition: Repetition
    assignment_id: UUID
    """The assignment in which it was learned."""


class SessionEnded(AgentEvent):
    """The agent has finished an assignment and taken in what it learned; it is ready to sleep."""

    kind: Literal["session_ended"] = "session_ended"
    assignment_id: UUID


class Seen(Value):
    """A memory as a sleep saw it; whatever has touched it since makes the sleep's verdict void."""

    memory_id: UUID
    revision: int


class Consolidated(Seen):
    """A memory that moves to another level of consolidation."""

    level: int = Field(ge=0, le=5)


class Aging(Value):
    """By how much a sleep has aged an agent's memories, where fading is tied to the clock as well as to sessions."""

    days: float = Field(ge=0, le=1e9)
    left: float = Field(ge=0, le=1e9)
    """Days that have passed and that no sleep has aged it by; later sleeps may."""
    until: float = Field(ge=0, le=2.5e11)
    """When it was decided: seconds since 1970 by the platform's clock."""


class AgentSlept(AgentEvent):
    """The agent slept over these sessions: levels moved, everything faded, the faintest were archived."""

    kind: Literal["agent_slept"] = "agent_slept"
    sessions: tuple[UUID, ...]
    """The assignments whose sessions this sleep covers, each covered by exactly one.

    None where it goes on with an unfinished sleep: then nothing fades.
    """
    consolidated: tuple[Consolidated, ...] = ()
    archived: tuple[Seen, ...] = ()
    pruned: tuple[Seen, ...] = ()
    """Archived for want of room rather than of strength."""
    aged: Aging | None = None
    """None where everything fades by the number of sessions alone, or nothing fades."""
    unfinished: bool = False
    """Whether there was more to move than one event holds; a sleep that follows from this one goes on with it."""


class ImpactCredited(AgentEvent):
    """Memories that an answer drew on are credited for what the answer was worth."""

    kind: Literal["impact_credited"] = "impact_credited"
    assignment_id: UUID
    reason: Literal["helpful", "unhelpful", "success", "failure", "prevented_error"]
    points: float = Field(ge=0, le=1e6)
    """Impact points for each of the memories (document 003 §4.4)."""
    memory_ids: tuple[UUID, ...]
