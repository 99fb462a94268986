"""Who the agents are."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Discriminator, Field, Tag, model_validator

from nemuri_contracts.client_events import TEXT_LIMIT, Scope
from nemuri_contracts.event import AgentEvent, JsonObject, Label, Text, Value

ORCHESTRATOR = "orchestrator"
"""The orchestrator's own mind: an agent as far as remembering and forgetting goes, but nobody that can be asked."""

EVERYWHERE = Scope()


class Perspective(Value):
    """Something that an agent cares about, and the words that belong to it."""

    name: Label
    keywords: tuple[Label, ...] = Field(default=(), max_length=64)


_Text = Annotated[Text, Field(min_length=1, max_length=TEXT_LIMIT)]


class ScopedPrinciple(Value):
    """A principle that holds in one project or one domain only (document 000 §3.4)."""

    text: _Text
    scope: Scope

    @model_validator(mode="after")
    def _narrower_than_everywhere(self) -> "ScopedPrinciple":
        if self.scope.level == "universal":
            raise ValueError("a principle that holds everywhere is written as a text alone")
        return self


def _form(value: object) -> str:
    """By which of the two forms a principle is checked, so that only what is wrong with that one is told."""
    return "scoped" if isinstance(value, dict | ScopedPrinciple) else "text"


Principle = Annotated[Annotated[_Text, Tag("text")] | Annotated[ScopedPrinciple, Tag("scoped")], Discriminator(_form)]


class Definition(Value):
    """What an agent is before it has learned anything (document 000 §3.2)."""

    role: Label
    description: Text = Field(default="", max_length=4_000)
    """What it is good at, in words; routing compares tasks with it."""
    system_prompt: Text = Field(default="", max_length=16_000)
    perspectives: tuple[Perspective, ...] = Field(default=(), max_length=16)
    """At least one where memory goes by use; none where it goes by feeling or by tiers."""
    principles: tuple[Principle, ...] = Field(default=(), max_length=32)
    """What it always keeps in mind, whatever the task: a text everywhere, others where they hold."""
    memory: Literal["strength", "affective", "tiered"] = "strength"
    """By use (documents 000 and 003), by feeling (document 001), or by tiers (document 004).

    Only one that remembers by use takes tasks.
    """
    kept_by: Literal["platform", "host"] = "platform"
    """Who consolidates a tiered memory: the platform's service, or the host of the society that the agent lives in."""

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
        if self.memory == "strength" and not self.perspectives:
            raise ValueError("an agent has at least one perspective")
        return self

    @model_validator(mode="after")
    def _kept(self) -> "Definition":
        if self.kept_by == "host" and self.memory != "tiered":
            raise ValueError("only a tiered memory is kept by a host")
        return self

    @property
    def perspective_names(self) -> tuple[str, ...]:
        """The names of the perspectives, in the order of the definition."""
        return tuple(perspective.name for perspective in self.perspectives)

    @property
    def held(self) -> tuple[tuple[str, Scope], ...]:
        """The principles, each with where it holds."""
        return tuple(
            (each, EVERYWHERE) if isinstance(each, str) else (each.text, each.scope) for each in self.principles
        )


class Embedding(Value):
    """Which vectors an agent's memories have."""

    model: str = Field(pattern=r"^[A-Za-z0-9._-]{1,128}$")
    dimension: int = Field(ge=1, le=16_000)


class AgentDefined(AgentEvent):
    """An agent exists, or its definition changed; its memories stay."""

    kind: Literal["agent_defined"] = "agent_defined"
    definition: Definition
    embedding: Embedding
    """The vectors of its memories from the beginning; a later definition does not change them."""


class PolicyAdopted(AgentEvent):
    """Other parameters hold for this agent from its next sleep on."""

    kind: Literal["policy_adopted"] = "policy_adopted"
    parameters: JsonObject
    """Only those that differ from the defaults; their names, ranges and defaults are the policy's."""


class MemoriesEmbedded(AgentEvent):
    """These memories have vectors of another model, not yet in use."""

    kind: Literal["memories_embedded"] = "memories_embedded"
    embedding: Embedding
    memory_ids: tuple[UUID, ...] = Field(max_length=1_000)


class EmbeddingAdopted(AgentEvent):
    """From now on the agent recalls by the vectors of this model."""

    kind: Literal["embedding_adopted"] = "embedding_adopted"
    embedding: Embedding
