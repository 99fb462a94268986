"""Events of tiered memory: experiences, consolidation and sharing (document 004).

An agent with `memory: tiered` records experiences, consolidates them from short-term into long-term memory, and answers
retrieval queries on both. It takes no tasks. Times are in seconds: on a simulation's clock if an event has `second`,
and otherwise since 1970 by the log's clock.
"""

from collections.abc import Iterable
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Label, Options, Text, Usage, Value

EXPERIENCE_LIMIT = 16_000
"""Maximum length of an experience and of a formed memory, in characters."""
MAX_IDS_PER_EVENT = 1_000
"""Maximum number of entries in each list of an event: groups, deleted or accessed memories, or agents that may see a
memory.
"""

Experienced = Literal["conversation", "action", "observation", "reflection"]
"""Type of an experience (document 004 §4.2.2)."""
Kept = Literal["episodic", "semantic", "procedural"]
"""Type of a long-term memory: an episode, a fact or a skill (document 004 §4.2.3)."""
MemoryType = Experienced | Kept
Layer = Literal["short", "long"]
Because = Literal["capacity", "interval", "reflection", "asked"]
"""Trigger of a consolidation: full short-term memory, elapsed time, the agent's reflection, or an external request
(document 004 §4.3).
"""
Sharing = Literal["global", "group", "bilateral"]
Module = Literal[
    "default",
    "action_awareness",
    "social_awareness",
    "goal_generation",
    "planning",
    "self_reflection",
    "talking",
    "cognitive_controller",
]
"""Module of an agent that retrieves memories. Each module has its own retrieval settings (document 004 §4.6.3)."""

Share = Annotated[float, Field(ge=0, le=1)]
Second = Annotated[float, Field(ge=0, le=1e12)]
"""Time on a simulation's clock, in seconds since the simulation began."""
Words = Annotated[Text, Field(min_length=1, max_length=EXPERIENCE_LIMIT)]
Tags = Annotated[tuple[Label, ...], Field(max_length=16)]


class Place(Value):
    """A location in blocks."""

    x: float
    y: float
    z: float = 0.0
    biome: Label | None = None
    nearby_structures: Annotated[tuple[Label, ...], Field(max_length=32)] = ()


class Cues(Value):
    """Cues that raise the importance of an experience (document 004 §4.5.3)."""

    request: bool = False
    proposal: bool = False
    emotion: Share = 0.0
    """Intensity of the emotion in the experience."""
    goal_related: bool = False
    failure: bool = False
    new_agent: bool = False
    threat: bool = False


class Experience(Options):
    """An experience of an agent."""

    type: Experienced = "observation"
    """Type of the experience."""
    content: Words
    participants: Annotated[tuple[Label, ...], Field(max_length=64)] = ()
    """Names of those who took part."""
    location: Place | None = None
    """Place of the experience."""
    second: Second | None = None
    """Time of the experience in seconds of the simulation's clock. By default, the time of the log."""


class ExperienceOffered(ClientEvent):
    """A client offered an experience of an agent."""

    kind: Literal["experience_offered"] = "experience_offered"
    agent_id: Identifier
    experience: Experience
    """The experience."""
    cues: Cues | None = None
    """Cues of the experience; None to detect them in its text."""
    importance: Share | None = None
    """Importance of the experience; None to compute it from type and cues."""


class ExperienceRecorded(AgentEvent):
    """An experience was recorded in short-term memory. The event's id is the memory's id."""

    kind: Literal["experience_recorded"] = "experience_recorded"
    experience: Experience
    """The experience."""
    cues: Cues = Cues.of_defaults()
    """Cues of the experience."""
    importance: Share
    """Importance, 0 to 1."""
    vector: Text
    """Key of the content's vector."""

    @property
    def memory_id(self) -> UUID:
        """Return the id of the memory that this event creates."""
        return self.event_id


class ConsolidationAsked(AgentEvent):
    """Consolidation of short-term memory was requested by the agent's reflection, the clock or a person."""

    kind: Literal["consolidation_asked"] = "consolidation_asked"
    because: Literal["interval", "reflection", "asked"]
    """Reason of the consolidation."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""


class Group(Value):
    """Memories of one layer that are merged into one."""

    layer: Layer
    memory_ids: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=100)]
    """Ids of the memories in the group, oldest first."""


class ConsolidationBegun(AgentEvent):
    """A consolidation decided which memories to merge. The texts follow, one event per group (document 004 §4.3)."""

    kind: Literal["consolidation_begun"] = "consolidation_begun"
    because: Because
    """Reason of the consolidation."""
    groups: Annotated[tuple[Group, ...], Field(max_length=MAX_IDS_PER_EVENT)] = ()
    """Groups of memories to merge or to move."""
    deleted: Annotated[tuple[UUID, ...], Field(max_length=MAX_IDS_PER_EVENT)] = ()
    """Long-term memories to delete."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""


class FormationDue(AgentEvent):
    """The memories of a group must be merged into one."""

    kind: Literal["formation_due"] = "formation_due"
    group: Group
    """Group of memories to merge or to move."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""


class MemoryFormed(AgentEvent):
    """A long-term memory was formed from other memories, which it replaces. The event's id is the memory's id."""

    kind: Literal["memory_formed"] = "memory_formed"
    type: Kept
    """Type of the memory."""
    content: Words
    """Text of the memory."""
    tags: Tags = ()
    """Tags of the memory."""
    importance: Share
    """Importance, 0 to 1."""
    sources: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=100)]
    """Ids of the memories that it replaces, oldest first. Memories that were shared in the meantime stay."""
    formed_by: Text
    """Model that wrote the text; `extractive` if the sources' own words were kept."""
    usage: Usage | None = None
    """Tokens used by the model; None without a model call."""
    vector: Text
    """Key of the vector of the memory's text."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""

    @property
    def memory_id(self) -> UUID:
        """Return the id of the memory that this event creates."""
        return self.event_id


class MemoryAccess(Value):
    """A memory, and the number of its retrievals that the event counts."""

    memory_id: UUID
    times: Annotated[int, Field(ge=1, le=1_000_000)] = 1


class MemoriesAccessed(AgentEvent):
    """Memories were retrieved. One event may count many retrievals."""

    kind: Literal["memories_accessed"] = "memories_accessed"
    accessed: Annotated[tuple[MemoryAccess, ...], Field(min_length=1, max_length=MAX_IDS_PER_EVENT)]
    """Retrieved memories."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""


class MemoryShared(AgentEvent):
    """The author shared a memory with other agents (document 004 §4.8.3).

    The memory moves to long-term memory and is neither merged nor forgotten from then on.
    """

    kind: Literal["memory_shared"] = "memory_shared"
    memory_id: UUID
    """Id of the shared memory."""
    scope: Sharing
    """Kind of sharing."""
    visible_to: Annotated[tuple[Identifier, ...], Field(max_length=MAX_IDS_PER_EVENT)] = ()
    """Ids of the agents that may see it: empty for `global`, exactly one for `bilateral`."""
    second: Second | None = None
    """Time on the simulation's clock, in seconds; None outside of a simulation."""

    @model_validator(mode="after")
    def _named_as_the_scope_asks(self) -> "MemoryShared":
        named = len(set(self.visible_to))
        if self.scope == "global" and named:
            raise ValueError("visible_to must be empty for the scope global")
        if self.scope == "group" and not named:
            raise ValueError("the scope group needs at least one agent in visible_to")
        if self.scope == "bilateral" and named != 1:
            raise ValueError("the scope bilateral needs exactly one agent in visible_to")
        return self


class MemoriesRewound(AgentEvent):
    """The agent went back to an earlier second of its simulation: these memories are gone.

    Memories that were merged or forgotten after that second are recorded again by the events that follow.
    """

    kind: Literal["memories_rewound"] = "memories_rewound"
    memory_ids: Annotated[tuple[UUID, ...], Field(max_length=MAX_IDS_PER_EVENT)] = ()
    """Ids of the memories that did not exist yet, or were different, at that second."""
    second: Second
    """The second on the simulation's clock to which the agent went back."""


TiersEvent = (
    ExperienceRecorded
    | ConsolidationAsked
    | ConsolidationBegun
    | FormationDue
    | MemoryFormed
    | MemoriesAccessed
    | MemoryShared
    | MemoriesRewound
)
"""Events of an agent with tiered memory."""


class Action(Value):
    """An agent's current action and its expected result."""

    type: Label
    target: Label | None = None
    started_at: Second = 0.0
    expected_result: Text = ""


class Nearby(Value):
    """An agent within sight."""

    id: Identifier
    name: Label
    distance: Annotated[float, Field(ge=0)]
    activity: Text = ""


class Feeling(Value):
    """The emotional state of an agent."""

    valence: Annotated[float, Field(ge=-1, le=1)] = 0.0
    arousal: Share = 0.0


class WorkingMemory(Value):
    """Working memory of an agent at one moment. It is never stored (document 004 §4.2.1)."""

    agent_id: Identifier
    second: Second = 0.0
    """Time on the agent's clock."""
    location: Place | None = None
    inventory_summary: Text = ""
    health: Annotated[float, Field(ge=0)] | None = None
    """20 is unhurt."""
    hunger: Annotated[float, Field(ge=0)] | None = None
    """20 is full, 0 starving, as in Minecraft. Texts call it food, so that a high value is not read as great hunger."""
    current_action: Action | None = None
    nearby_agents: tuple[Nearby, ...] = ()
    active_goals: tuple[Text, ...] = ()
    cc_broadcast: Text = ""
    """The last decision of the cognitive controller, in words."""
    emotional_state: Feeling = Feeling.of_defaults()

    def updated(self, **changes: object) -> "WorkingMemory":
        """Return a copy with changed fields. Raises pydantic's `ValidationError` for invalid values."""
        return WorkingMemory.model_validate(self.model_dump() | changes)

    def lines(self) -> Iterable[str]:
        """Yield the contents as text, one fact per line, most important first. Unknown values are left out."""
        if self.cc_broadcast:
            yield f"decided: {self.cc_broadcast}"
        if (action := self.current_action) is not None:
            expected = f", expecting {action.expected_result}" if action.expected_result else ""
            yield f"doing: {' '.join(filter(None, (action.type, action.target)))}{expected}"
        if self.active_goals:
            yield f"goals: {'; '.join(self.active_goals)}"
        state = {"health": self.health, "food": self.hunger}
        if known := [f"{name} {value:g} of 20" for name, value in state.items() if value is not None]:
            yield f"state: {', '.join(known)}"
        if (location := self.location) is not None:
            around = f" ({', '.join(filter(None, (location.biome, *location.nearby_structures)))})"
            yield f"at: {location.x:g}, {location.y:g}, {location.z:g}{around if around != ' ()' else ''}"
        if self.inventory_summary:
            yield f"carrying: {self.inventory_summary}"
        for agent in self.nearby_agents:
            yield f"near: {agent.name}, {agent.distance:g} away{f', {agent.activity}' if agent.activity else ''}"
        feeling = self.emotional_state
        yield f"feeling: valence {feeling.valence:+.1f}, arousal {feeling.arousal:.1f}"
