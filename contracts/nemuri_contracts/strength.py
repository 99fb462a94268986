"""Events of strength memory: retrieval, use, learning, encoding and sleep."""

from typing import Literal
from uuid import UUID

from pydantic import Field

from nemuri_contracts.client_events import MemoryChange, MemoryContent, Scope, Setting
from nemuri_contracts.event import AgentEvent, AgentWorkEvent, Identifier, Label, Moment, Text, Usage, Value

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
"""Names of the nine features of a candidate, in the order of document 000 §3.4."""

Method = Literal["citation", "tag", "similarity", "judge"]
"""Method by which the use of a memory was detected."""

Provenance = Literal["observed", "told", "inferred"]
"""The way in which a memory came to be known: read in material, said by somebody, or concluded without either."""


Source = Literal[
    "task", "manual", "education", "definition", "adopted", "feedback", "handover", "sleep", "conversation"
]
"""Kind of the source of a memory. `handover`: told by another agent. `sleep`: a semantic memory that a sleep formed.
`conversation`: read from what was said to the agent.
"""


RelationSort = Literal["repeats", "refines", "supersedes", "contradicts", "independent"]
"""What a memory says of an older one: the same, the same more exactly, what holds instead since then, what cannot be
true together with it, or nothing.
"""


class Candidate(Value):
    """A memory that stage 1 of a retrieval found, with the ranking data of stage 2."""

    memory_id: UUID
    similarity: float
    """Cosine similarity with the most similar text of the query, -1 to 1."""
    lexical: float
    """Alignment with the words of the query, 0 to 1: each has a word of the memory that is equal or near in meaning."""
    relevance: float
    """Relevance to the part of the query that the memory fits best, 0 to 1. It depends on both texts alone."""
    features: tuple[float, ...] = Field(min_length=len(FEATURES), max_length=len(FEATURES))
    """Raw feature values in the order of `FEATURES`. A versioned transform is applied before scoring."""
    score: float
    archived: bool = False
    yields_to: UUID | None = None
    """Id of the candidate that is ranked before this one, because of a relation or because it is about the same thing
    and newer.
    """
    yields_as: RelationSort | None = None
    """Recorded relation of the candidate in `yields_to` to this one; None if no event has recorded one."""
    held_until: Moment | None = None
    """Time until which it held, if it surely holds no longer."""
    source: Text = ""
    """Source of the memory (`Origin.source`); "" if unknown."""


class MemoriesRetrieved(AgentWorkEvent):
    """Memories were retrieved for an assignment. A retrieval is not a use."""

    kind: Literal["memories_retrieved"] = "memories_retrieved"
    assignment_id: UUID
    """Id of the assignment."""
    query: Text
    """Text of the query."""
    terms: tuple[Text, ...]
    """Terms of the query."""
    expansions: dict[Label, Text]
    """Expanded queries by name. A perspective adds its keywords to the query; `task summary` is the task's summary, if
    it adds content to the task's text.
    """
    vector: Text
    """Key under which the query's vector is stored."""
    perspective: Label | None
    """Perspective of the assignment; None if it has none."""
    setting: Setting
    """Project and domains in which the task takes place."""
    seed: int
    """Seed of random draws in the selection."""
    ranking: Text
    """Name of the ranking: `linear-1` and the like for versioned weights, `scorer-3` and the like for a learned scorer.
    """
    candidates: tuple[Candidate, ...]
    """All candidates of stage 1, best first."""
    selected: tuple[UUID, ...]
    """Ids of the memories put into the context besides the principles, best first."""
    crowded: tuple[UUID, ...] = ()
    """Ids of the memories that ranked high enough for the context, but were left out because their source had used up
    its share of it.
    """
    principles: tuple[UUID, ...] = ()
    """Ids of the principles in the context."""
    deep: bool = False
    """True if the archive was searched: on request, or because no active memory was relevant."""

    @property
    def in_context(self) -> tuple[UUID, ...]:
        """Return the ids of all memories in the model's context, principles first."""
        return (*self.principles, *self.selected)


class Use(Value):
    """A memory that an answer used, and how the use was detected."""

    memory_id: UUID
    method: Method


class MemoriesUsed(AgentWorkEvent):
    """Usage detection finished for the answer to an assignment. `uses` lists the memories that the answer used; it may
    be empty.
    """

    kind: Literal["memories_used"] = "memories_used"
    assignment_id: UUID
    """Id of the assignment."""
    perspective: Label | None
    """Perspective of the assignment; None if it has none."""
    uses: tuple[Use, ...]
    """Used memories, with the evidence."""
    usage: Usage | None = None
    """Model usage of the detection; None if no model was asked."""

    @property
    def memory_ids(self) -> tuple[UUID, ...]:
        """Return the ids of the used memories without duplicates."""
        return tuple(dict.fromkeys(use.memory_id for use in self.uses))


class Relation(Value):
    """A relation of a memory to an older one. Unless it says nothing of it, it is ranked before the older memory."""

    older: UUID
    sort: RelationSort
    perspective: Label | None = None
    """Perspective of the older memory's learning that the relation concerns; None if it concerns the whole memory."""
    reason: Text = ""
    """Why, in a few words; "" if it was not said."""
    since: Moment | None = None
    """Time from which the newer memory holds, until which a superseded one held. By default, that of the newer one."""
    at_once: bool = False
    """True if both were told at the same moment, so that neither is ranked before the other."""


class Judgement(Relation):
    """A judgement of how a memory is related to an older one."""

    memory_id: UUID
    """Id of the newer memory."""


BELIEVED_LIMIT = 300
"""Maximum characters of a wrong answer in the origin of the lesson from it."""


class Origin(Value):
    """Origin of a memory as known to the platform. `said_by` is only the offering client's claim."""

    client_id: Identifier | None = None
    """Client that offered the memory, or submitted the task in which it was learned."""
    task_id: UUID | None = None
    textbook: Text | None = None
    """Title of the textbook from which it was learned."""
    provenance: Provenance = "told"
    documents: tuple[Label, ...] = Field(default=(), max_length=32)
    """Names of the documents on which it rests; empty if it rests on none, or if this is unknown."""
    agent_id: Identifier | None = None
    """Agent from which the memory was handed over or cloned."""
    memory_id: UUID | None = None
    """Id of that agent's memory."""
    believed: Text | None = Field(default=None, min_length=1, max_length=BELIEVED_LIMIT)
    """The wrong answer behind a lesson from feedback. The memory's links name the memories that led to it."""

    @property
    def source(self) -> str:
        """Return the name of the source, such as `client ann`; "" if unknown. A source may fill only a limited share of
        a context.
        """
        if self.textbook is not None:
            return f"textbook {self.textbook}"
        if self.client_id is not None:
            return f"client {self.client_id}"
        return f"agent {self.agent_id}" if self.agent_id is not None else ""


class Seen(Value):
    """A memory with its revision when a sleep was decided. The sleep skips the memory if it has changed since."""

    memory_id: UUID
    revision: int


class Experiences(Value):
    """The experiences behind a semantic memory: their number, and when the first and the last of them happened."""

    count: int = Field(ge=2)
    since: Moment
    until: Moment


class NewMemory(Value):
    """A memory to encode. Its vector is stored already under the key `vector`."""

    memory: MemoryContent
    links: tuple[UUID, ...] = ()
    """Ids of the older memories that it derives from."""
    relations: tuple[Relation, ...] = ()
    origin: Origin = Origin.of_defaults()
    vector: Text
    strength: float = Field(gt=0, le=1e6)
    """Initial strength, overall and in each of `perspectives`."""
    perspectives: tuple[Label, ...]


class SemanticMemory(NewMemory):
    """A semantic memory to encode: one statement in place of several settled memories that say the same."""

    absorbs: tuple[Seen, ...] = Field(min_length=2)
    """The source memories, with the revisions that were compared. `links` has the same ids."""
    experiences: Experiences


class MemoriesConsolidated(AgentEvent):
    """After a sleep, settled memories were compared. Each group that says the same becomes one semantic memory."""

    kind: Literal["memories_consolidated"] = "memories_consolidated"
    formed: tuple[SemanticMemory, ...]
    """Semantic memories to encode. Empty if a model was asked and found no memories that say the same."""
    compared: tuple[UUID, ...]
    """Ids of all memories that were compared."""
    usage: Usage | None = None
    """Model usage of the comparison and the wording; None if no model was asked."""


class SemanticMemorySplit(AgentEvent):
    """A semantic memory was split. Its sources are memories of their own again, as they were before.

    What the semantic memory has gained since goes to the source with the most uses.
    """

    kind: Literal["semantic_memory_split"] = "semantic_memory_split"
    memory_id: UUID
    """Id of the semantic memory."""
    sources: tuple[UUID, ...]
    """Ids of the memories that it had absorbed."""


class Repetition(Value):
    """A learning that repeats an existing memory. It reinforces that memory and creates no new one."""

    memory_id: UUID
    perspective: Label | None
    learning: NewMemory
    """The memory to create if the repetition is withdrawn."""
    confirms: bool = False
    """True if the repeated memory is an unconfirmed inference and the learning rests on something else."""


class Dropped(Value):
    """A learning that was rejected, with the reason."""

    text: Text
    reason: Text


class LearningsExtracted(AgentWorkEvent):
    """Learnings were extracted from the answer to an assignment: at most one per perspective (document 000 §3.3)."""

    kind: Literal["learnings_extracted"] = "learnings_extracted"
    assignment_id: UUID
    """Id of the assignment."""
    entry: NewMemory | None = None
    """The memory of the session: what happened, and what it teaches under each perspective. None if nothing new was
    learned.
    """
    repetitions: tuple[Repetition, ...] = ()
    """Learnings that repeat a memory."""
    dropped: tuple[Dropped, ...] = ()
    """Learnings that were dropped, with the reason."""
    usage: Usage
    """Tokens used by the model."""


class MemoryEncoded(AgentWorkEvent):
    """A memory was encoded. The event's id is the memory's id."""

    kind: Literal["memory_encoded"] = "memory_encoded"
    memory: MemoryContent
    """Content of the memory."""
    links: tuple[UUID, ...] = ()
    """Ids of the memories from which it was learned."""
    relations: tuple[Relation, ...] = ()
    """Relations to older memories."""
    origin: Origin = Origin.of_defaults()
    """Client, task or textbook from which the memory comes."""
    vector: Text
    """Key of the memory's vector: model, dimension and SHA-256 of the embedded text."""
    source: Source
    """Kind of source."""
    assignment_id: UUID | None = None
    """Assignment in which it was learned; None if it does not come from one."""
    strength: float = Field(gt=0, le=1e6)
    """Initial strength, overall and in each of `perspectives`."""
    perspectives: tuple[Label, ...]
    """Perspectives in which the memory has its own strength."""
    absorbs: tuple[Seen, ...] = ()
    """Memories that this semantic memory absorbs. If one of them has changed since, the memory is not formed."""
    experiences: Experiences | None = None
    """The experiences behind a semantic memory; None for other memories."""

    @property
    def memory_id(self) -> UUID:
        """Return the id of the memory that this event creates."""
        return self.event_id


class MemoryAmended(AgentEvent):
    """A person changed the standing of a memory."""

    kind: Literal["memory_amended"] = "memory_amended"
    memory_id: UUID
    """Id of the memory."""
    change: MemoryChange
    """The change."""
    scope: Scope | None = None
    """New scope for `rescope`; None for any other change."""
    older: UUID | None = None
    """Id of the older memory for `unrelate`: both are independent from now on. Any other change ignores it."""
    asked_by: Identifier
    """Client that asked for the change."""


class MemoryRefused(AgentEvent):
    """An offered memory, the change of a memory's standing, or a decision on a principle was refused."""

    kind: Literal["memory_refused"] = "memory_refused"
    reason: Text
    """Reason, in one line."""


class MemoriesJudged(AgentEvent):
    """New memories were compared with the nearest of those that the agent knew. Nothing is deleted by it.

    The first judgement of a pair of memories counts, and its withdrawal is final.
    """

    kind: Literal["memories_judged"] = "memories_judged"
    judgements: tuple[Judgement, ...]
    """The judgements. Pairs that are independent are listed only if a language model judged them."""
    usage: Usage | None = None
    """Model usage of the comparison; None if no model was asked."""


class RepetitionWithdrawn(AgentWorkEvent):
    """A repetition was withdrawn. The learning becomes a separate memory."""

    kind: Literal["repetition_withdrawn"] = "repetition_withdrawn"
    repetition: Repetition
    """Repetition that is withdrawn."""
    assignment_id: UUID
    """Assignment in which it was learned."""


class SessionEnded(AgentWorkEvent):
    """A session ended: the agent finished an assignment and encoded its learnings. It can sleep now."""

    kind: Literal["session_ended"] = "session_ended"
    assignment_id: UUID
    """Id of the assignment."""


class Consolidated(Seen):
    """A memory that moves to another consolidation level."""

    level: int = Field(ge=0, le=5)


class Aging(Value):
    """Days of decay that a sleep applies, if the time that has passed limits decay."""

    days: float = Field(ge=0, le=1e9)
    left: float = Field(ge=0, le=1e9)
    """Days that have passed but that no sleep has applied as decay yet. Later sleeps may still apply them."""
    until: float = Field(ge=0, le=2.5e11)
    """Time of the decision by the platform's clock, in seconds since 1970."""


class AgentSlept(AgentEvent):
    """The agent slept after some sessions: levels changed, all memories decayed, the weakest were archived."""

    kind: Literal["agent_slept"] = "agent_slept"
    sessions: tuple[UUID, ...]
    """Assignments whose sessions this sleep covers. Each session is covered by exactly one sleep.

    The list is empty if the event continues an unfinished sleep. Then nothing decays.
    """
    consolidated: tuple[Consolidated, ...] = ()
    """Memories with a new level."""
    archived: tuple[Seen, ...] = ()
    """Archived memories, with the revision that was seen."""
    pruned: tuple[Seen, ...] = ()
    """Memories archived because the agent's memory is full, not because they are weak."""
    aged: Aging | None = None
    """Days of decay; None if decay depends on the number of sessions alone, or if nothing decays."""
    unfinished: bool = False
    """True if the changes did not fit into this event. Another `agent_slept` event continues the sleep."""


class ImpactCredited(AgentWorkEvent):
    """Impact points were credited to the memories that an answer used."""

    kind: Literal["impact_credited"] = "impact_credited"
    assignment_id: UUID
    """Id of the assignment."""
    reason: Literal["helpful", "unhelpful", "success", "failure", "prevented_error"]
    """Part of the feedback that is credited."""
    points: float = Field(ge=0, le=1e6)
    """Impact points per memory (document 003 §4.4)."""
    memory_ids: tuple[UUID, ...]
    """Ids of the credited memories."""
    taught: bool = False
    """True if these are memories that the session itself taught; False for memories that its answer used."""
