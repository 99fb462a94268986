"""Tiered memory: what is experienced, what becomes of it in the long term, and what is shared (document 004).

An agent whose definition says `memory: tiered` records experiences, consolidates them from short-term into long-term
memory, and is asked for both. It takes no tasks. Times are seconds of one clock: of a simulation where an event says
its `second`, else of the log, since 1970.
"""

from collections.abc import Iterable
from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, model_validator

from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Label, Text, Usage, Value

EXPERIENCE_LIMIT = 16_000
"""Characters of an experience, and of what is made of several."""
TOGETHER = 1_000
"""Memories that one consolidation names, at most."""

Experienced = Literal["conversation", "action", "observation", "reflection"]
"""What an experience was (document 004 §4.2.2)."""
Kept = Literal["episodic", "semantic", "procedural"]
"""What a long-term memory is: something that happened, something known, a way to do something (§4.2.3)."""
MemoryType = Experienced | Kept
Layer = Literal["short", "long"]
Because = Literal["capacity", "interval", "reflection", "asked"]
"""What a consolidation began for: too much, the time, the agent's own reflection, somebody outside (§4.3)."""
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
"""Who asks; each looks in its own way (§4.6.3)."""

Share = Annotated[float, Field(ge=0, le=1)]
Second = Annotated[float, Field(ge=0, le=1e12)]
"""Seconds since a clock began."""
Words = Annotated[Text, Field(min_length=1, max_length=EXPERIENCE_LIMIT)]
Tags = Annotated[tuple[Label, ...], Field(max_length=16)]


class Place(Value):
    """Where something was, in blocks."""

    x: float
    y: float
    z: float = 0.0
    biome: Label | None = None
    nearby_structures: Annotated[tuple[Label, ...], Field(max_length=32)] = ()


class Cues(Value):
    """What raises the importance of an experience (§4.5.3)."""

    request: bool = False
    proposal: bool = False
    emotion: Share = 0.0
    """How strongly something is felt in it."""
    goal_related: bool = False
    failure: bool = False
    new_agent: bool = False
    threat: bool = False


class Experience(Value):
    """Something that an agent lived through."""

    type: Experienced
    content: Words
    participants: Annotated[tuple[Label, ...], Field(max_length=64)] = ()
    location: Place | None = None
    second: Second | None = None
    """When, on a simulation's clock; None for now, by the log's."""


class ExperienceOffered(ClientEvent):
    """A client tells what an agent lived through."""

    kind: Literal["experience_offered"] = "experience_offered"
    agent_id: Identifier
    experience: Experience
    cues: Cues | None = None
    """None to look for them in the words."""
    importance: Share | None = None
    """None to go by type and cues."""


class ExperienceRecorded(AgentEvent):
    """An experience is in short-term memory; the event's id is the memory's id."""

    kind: Literal["experience_recorded"] = "experience_recorded"
    experience: Experience
    cues: Cues = Cues()
    importance: Share
    vector: Text
    """The key of the vector of its content."""

    @property
    def memory_id(self) -> UUID:
        """The memory that begins with this event."""
        return self.event_id


class ConsolidationAsked(AgentEvent):
    """Somebody wants what is in short-term memory consolidated: the agent reflecting, the clock, or a person."""

    kind: Literal["consolidation_asked"] = "consolidation_asked"
    because: Literal["interval", "reflection", "asked"]
    second: Second | None = None


class Group(Value):
    """Memories of one layer that become one."""

    layer: Layer
    memory_ids: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=100)]
    """Oldest first."""


class ConsolidationBegun(AgentEvent):
    """It is decided what becomes of which memories; the words come after it, one group at a time (§4.3)."""

    kind: Literal["consolidation_begun"] = "consolidation_begun"
    because: Because
    groups: Annotated[tuple[Group, ...], Field(max_length=TOGETHER)] = ()
    deleted: Annotated[tuple[UUID, ...], Field(max_length=TOGETHER)] = ()
    """Long-term memories that are forgotten."""
    second: Second | None = None


class FormationDue(AgentEvent):
    """The memories of a group are to become one."""

    kind: Literal["formation_due"] = "formation_due"
    group: Group
    second: Second | None = None


class MemoryFormed(AgentEvent):
    """Memories became one in long-term memory, which they leave or never reach; the event's id is the memory's id."""

    kind: Literal["memory_formed"] = "memory_formed"
    type: Kept
    content: Words
    tags: Tags = ()
    importance: Share
    sources: Annotated[tuple[UUID, ...], Field(min_length=1, max_length=100)]
    """What it was made of, oldest first; each leaves its layer."""
    formed_by: Text
    """Which model put it so; `extractive` for the sources' own words."""
    usage: Usage | None = None
    vector: Text
    second: Second | None = None

    @property
    def memory_id(self) -> UUID:
        """The memory that begins with this event."""
        return self.event_id


class Access(Value):
    """How often a memory was retrieved."""

    memory_id: UUID
    times: Annotated[int, Field(ge=1, le=1_000_000)] = 1


class MemoriesAccessed(AgentEvent):
    """Memories were retrieved; one event may tell of many retrievals."""

    kind: Literal["memories_accessed"] = "memories_accessed"
    accessed: Annotated[tuple[Access, ...], Field(min_length=1, max_length=TOGETHER)]
    second: Second | None = None


class MemoryShared(AgentEvent):
    """The author lets others have a memory, which from now on stays in long-term memory as it is (§4.8.3)."""

    kind: Literal["memory_shared"] = "memory_shared"
    memory_id: UUID
    scope: Sharing
    visible_to: Annotated[tuple[Identifier, ...], Field(max_length=TOGETHER)] = ()
    """Nobody by name where everybody sees it; one where it is between two."""
    second: Second | None = None

    @model_validator(mode="after")
    def _named_as_the_scope_asks(self) -> "MemoryShared":
        named = len(set(self.visible_to))
        if self.scope == "global" and named:
            raise ValueError("what is shared with all is visible to nobody by name")
        if self.scope == "group" and not named:
            raise ValueError("a group has at least one other member")
        if self.scope == "bilateral" and named != 1:
            raise ValueError("between two means one other agent")
        return self


TiersEvent = (
    ExperienceRecorded
    | ConsolidationAsked
    | ConsolidationBegun
    | FormationDue
    | MemoryFormed
    | MemoriesAccessed
    | MemoryShared
)
"""What happens in the mind of an agent with tiered memory."""


class Action(Value):
    """What an agent is doing, and what it expects to come of it."""

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
    """How an agent feels."""

    valence: Annotated[float, Field(ge=-1, le=1)] = 0.0
    arousal: Share = 0.0


class WorkingMemory(Value):
    """What is on an agent's mind at this moment; kept nowhere (§4.2.1)."""

    agent_id: Identifier
    second: Second = 0.0
    """Of when it is, on the clock that the agent lives by."""
    location: Place | None = None
    inventory_summary: Text = ""
    health: Annotated[float, Field(ge=0)] | None = None
    hunger: Annotated[float, Field(ge=0)] | None = None
    current_action: Action | None = None
    nearby_agents: tuple[Nearby, ...] = ()
    active_goals: tuple[Text, ...] = ()
    cc_broadcast: Text = ""
    """The controller's last decision, in words."""
    emotional_state: Feeling = Feeling()

    def updated(self, **changes: object) -> "WorkingMemory":
        """With some fields changed; raises pydantic's `ValidationError` for what does not fit them."""
        return WorkingMemory.model_validate(self.model_dump() | changes)

    def lines(self) -> Iterable[str]:
        """What it holds, one fact on a line, what matters most first; what is not known is left out."""
        if self.cc_broadcast:
            yield f"decided: {self.cc_broadcast}"
        if (action := self.current_action) is not None:
            expected = f", expecting {action.expected_result}" if action.expected_result else ""
            yield f"doing: {' '.join(filter(None, (action.type, action.target)))}{expected}"
        if self.active_goals:
            yield f"goals: {'; '.join(self.active_goals)}"
        state = {"health": self.health, "hunger": self.hunger}
        if known := [f"{name} {value:g}" for name, value in state.items() if value is not None]:
            yield f"state: {', '.join(known)}"
        if (place := self.location) is not None:
            around = f" ({', '.join(filter(None, (place.biome, *place.nearby_structures)))})"
            yield f"at: {place.x:g}, {place.y:g}, {place.z:g}{around if around != ' ()' else ''}"
        if self.inventory_summary:
            yield f"carrying: {self.inventory_summary}"
        for each in self.nearby_agents:
            yield f"near: {each.name}, {each.distance:g} away{f', {each.activity}' if each.activity else ''}"
        feeling = self.emotional_state
        yield f"feeling: valence {feeling.valence:+.1f}, arousal {feeling.arousal:.1f}"
