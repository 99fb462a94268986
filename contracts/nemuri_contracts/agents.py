"""The definition of an agent, and events about the agent as a whole."""

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import Discriminator, Field, Tag, model_validator

from nemuri_contracts.client_events import TEXT_LIMIT, Scope
from nemuri_contracts.event import AgentEvent, Identifier, JsonObject, Label, Moment, Text, Value

ORCHESTRATOR = "orchestrator"
"""Agent id of the orchestrator, whose routing memory is stored like an agent's memory. The orchestrator takes no tasks.
"""

ORGANISATION = "organisation"
"""Agent id under which the principles of the whole organisation (the namespace) are stored. It takes no tasks."""
RESERVED_AGENTS = frozenset({ORCHESTRATOR, ORGANISATION})
"""Agent ids that the platform uses itself."""

MAX_LISTED = 32
"""Maximum number of principles in an agent's definition file."""
MAX_PRINCIPLES = 128
"""Maximum number of an agent's principles, adopted ones included."""
EVERYWHERE = Scope()
MAX_KEYWORDS = 64
"""Maximum number of keywords of a perspective."""


GENERAL: Final = "general"
"""Name of the only perspective of an agent with strength memory whose definition names none."""


class Perspective(Value):
    """A perspective of an agent, with the keywords that belong to it."""

    name: Label
    keywords: tuple[Label, ...] = Field(default=(), max_length=MAX_KEYWORDS)


_Text = Annotated[Text, Field(min_length=1, max_length=TEXT_LIMIT)]


class ScopedPrinciple(Value):
    """A principle that is valid in one project or one domain only (document 000 §3.4)."""

    text: _Text
    scope: Scope

    @model_validator(mode="after")
    def _narrower_than_everywhere(self) -> "ScopedPrinciple":
        if self.scope.level == "universal":
            raise ValueError("write a principle with universal scope as a plain text")
        return self


def _form(value: object) -> str:
    """Return the form of a principle, `scoped` or `text`. Validation errors then mention this form only."""
    return "scoped" if isinstance(value, dict | ScopedPrinciple) else "text"


Principle = Annotated[Annotated[_Text, Tag("text")] | Annotated[ScopedPrinciple, Tag("scoped")], Discriminator(_form)]


class Definition(Value):
    """Definition of an agent: role, prompt, perspectives, principles and kind of memory (document 000 §3.2)."""

    role: Label
    description: Text = Field(default="", max_length=4_000)
    """Description of the agent's skills. Routing compares tasks with it."""
    system_prompt: Text = Field(default="", max_length=16_000)
    perspectives: tuple[Perspective, ...] = Field(default=(), max_length=16)
    """Perspectives of the agent. With strength memory it has at least one (`GENERAL` if none is given), with affective
    and tiered memory none.
    """
    principles: tuple[Principle, ...] = Field(default=(), max_length=MAX_PRINCIPLES)
    """Principles that are part of every prompt. A plain text is valid in every scope."""
    memory: Literal["strength", "affective", "tiered"] = "strength"
    """Kind of memory: strength (documents 000 and 003), affective (document 001) or tiered (document 004). Only agents
    with strength memory take tasks.
    """
    kept_by: Literal["platform", "host"] = "platform"
    """Process that consolidates a tiered memory and retrieves from it: the platform's services, or the host that runs
    the agent.
    """

    generalist: bool = False
    """True if the agent takes the tasks that fit no other agent. Without such an agent the client is asked."""

    @model_validator(mode="after")
    def _with_a_perspective(self) -> "Definition":
        if self.memory == "strength" and not self.perspectives:
            object.__setattr__(self, "perspectives", (Perspective(name=GENERAL),))
        return self

    @model_validator(mode="after")
    def _distinct(self) -> "Definition":
        names = [perspective.name for perspective in self.perspectives]
        if len(set(names)) != len(names):
            raise ValueError("two perspectives have the same name")
        return self

    @model_validator(mode="after")
    def _of_its_memory(self) -> "Definition":
        if self.memory != "strength" and (self.perspectives or self.principles):
            article = "an" if self.memory == "affective" else "a"
            raise ValueError(f"{article} {self.memory} memory has neither perspectives nor principles")
        return self

    @model_validator(mode="after")
    def _kept(self) -> "Definition":
        if self.kept_by == "host" and self.memory != "tiered":
            raise ValueError("kept_by: host is only allowed for tiered memory")
        return self

    @property
    def perspective_names(self) -> tuple[str, ...]:
        """Return the names of the perspectives, in the order of the definition."""
        return tuple(perspective.name for perspective in self.perspectives)

    @property
    def held(self) -> tuple[tuple[str, Scope], ...]:
        """Return the text and the scope of each principle."""
        return tuple(
            (principle, EVERYWHERE) if isinstance(principle, str) else (principle.text, principle.scope)
            for principle in self.principles
        )


class Embedding(Value):
    """The embedding model of an agent's memory vectors, and their dimension."""

    model: str = Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")
    dimension: int = Field(ge=1, le=16_000)


class Clone(Value):
    """The agent of which a new agent is a copy, and the moment of the copy."""

    agent_id: Identifier
    as_of: Moment
    """Log time of the last event of the original that the copy contains."""
    policy: JsonObject
    """Policy parameters of the original in force at that moment, those that differ from the defaults."""


class AgentDefined(AgentEvent):
    """An agent was defined, or its definition changed. A change keeps the agent's memories."""

    kind: Literal["agent_defined"] = "agent_defined"
    definition: Definition
    """Definition of the agent."""
    embedding: Embedding
    """Embedding of a new agent's memories. It is ignored if the agent exists already."""
    cloned: Clone | None = None
    """The agent that this new agent is a copy of; None if it is none. Its memories follow as `memory_copied` events,
    its principles too.
    """


class PolicyAdopted(AgentEvent):
    """New policy parameters were adopted.

    They apply from the next sleep (strength memory), from the next nightly job (affective memory), or at once (tiered
    memory, and affective memory before its first nightly job).
    """

    kind: Literal["policy_adopted"] = "policy_adopted"
    parameters: JsonObject
    """All parameters that differ from the defaults. They replace the earlier ones. The policy of the agent's kind of
    memory defines names, ranges and defaults.
    """


class MemoriesEmbedded(AgentEvent):
    """Vectors of another embedding model were stored for memories. Retrieval uses them after `embedding_adopted`."""

    kind: Literal["memories_embedded"] = "memories_embedded"
    embedding: Embedding
    """Embedding model and dimension."""
    memory_ids: tuple[UUID, ...] = Field(max_length=1_000)
    """Ids of the memories."""


class EmbeddingAdopted(AgentEvent):
    """The agent's retrieval uses the vectors of this embedding model from now on."""

    kind: Literal["embedding_adopted"] = "embedding_adopted"
    embedding: Embedding
    """Embedding model and dimension."""
