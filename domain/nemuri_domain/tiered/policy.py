"""The parameters of tiered memory, with document 004's defaults and a range each."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from nemuri_contracts.tiered import Layer, MemoryType, Module

Ratio = Annotated[float, Field(ge=0, le=1)]
Cosine = Annotated[float, Field(ge=-1, le=1)]
Number = Annotated[int, Field(ge=1, le=1_000_000)]
Minutes = Annotated[float, Field(ge=0, le=1_000_000)]
Hours = Annotated[float, Field(ge=0, le=100_000)]


class Section(BaseModel):
    """A part of the parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ShortTerm(Section):
    """How much stays in short-term memory, and for how long (§4.2.2)."""

    base_capacity: Number = 100
    capacity_per_hour: Annotated[int, Field(ge=0, le=1_000_000)] = 100
    """So many more for every full hour lived."""
    max_capacity: Number = 300
    retention_minutes: Minutes = 30.0
    """What is older goes over when it is time; too much goes over whatever its age."""
    kept_share: Ratio = 0.5
    """What is left of the capacity once too much has gone over."""
    kept_by_reflection: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """The newest, which a reflection leaves where they are."""
    min_importance: Ratio = 0.2
    """What is less important is not recorded (§4.3)."""

    @model_validator(mode="after")
    def _growing(self) -> Self:
        if self.base_capacity > self.max_capacity:
            raise ValueError("base_capacity is at most max_capacity")
        return self


class Consolidation(Section):
    """When and how short-term memories go over (§4.2.2, §4.3)."""

    interval_minutes: Minutes = 10.0
    """In the first hour."""
    second_hour_minutes: Minutes = 5.0
    later_minutes: Minutes = 3.0
    similarity: Cosine = 0.85
    """From this cosine on memories belong together."""
    group_size: Annotated[int, Field(ge=2, le=100)] = 20
    semantic_from: Number = 3
    """Without a model: so many alike come to something known."""
    procedural_from: Number = 3
    """Without a model: so many actions alike, none of which failed, come to a way to do it."""
    access_boost: Ratio = 0.2
    """How much of what is missing to full importance the most retrieved gain."""

    def interval(self, hours: float) -> float:
        """Seconds between consolidations after so many hours."""
        minutes = self.interval_minutes if hours < 1 else self.second_hour_minutes if hours < 2 else self.later_minutes
        return minutes * 60


class LongTerm(Section):
    """How much stays in long-term memory, and what is forgotten (§4.2.3, §4.3)."""

    capacity: Number = 10_000
    forgetting_from: Ratio = 0.8
    """The share of the capacity from which on anything is forgotten or merged."""
    min_age_hours: Hours = 1.0
    """What is younger is not."""
    merge_below: Ratio = 0.1
    delete_below: Ratio = 0.05
    at_once: Annotated[int, Field(ge=1, le=1_000)] = 500
    """Memories that are looked at for merging, and that are deleted, in one go."""


class Pattern(Section):
    """How a module retrieves (§4.6.3)."""

    layers: tuple[Literal["working"] | Layer, ...]
    types: tuple[MemoryType, ...] = ()
    """Only these; all where none is named."""
    alpha: Ratio = 0.5
    """The weight of relevance."""
    beta: Ratio = 0.3
    """Of recency."""
    gamma: Ratio = 0.2
    """Of importance."""
    top: Annotated[int, Field(ge=0, le=100)] = 10


class Patterns(Section):
    """The table of §4.6.3."""

    default: Pattern = Pattern(layers=("short", "long"))
    action_awareness: Pattern = Pattern(layers=("working",), top=0)
    social_awareness: Pattern = Pattern(layers=("short", "long"), alpha=0.4, beta=0.4, gamma=0.2, top=10)
    goal_generation: Pattern = Pattern(layers=("long",), types=("semantic",), alpha=0.6, beta=0.1, gamma=0.3, top=10)
    planning: Pattern = Pattern(layers=("short", "long"), alpha=0.5, beta=0.3, gamma=0.2, top=15)
    self_reflection: Pattern = Pattern(layers=("long",), types=("episodic",), alpha=0.3, beta=0.2, gamma=0.5, top=20)
    talking: Pattern = Pattern(layers=("short",), types=("conversation",), alpha=0.3, beta=0.5, gamma=0.2, top=5)
    cognitive_controller: Pattern = Pattern(layers=("working", "short"), alpha=0.4, beta=0.4, gamma=0.2, top=10)


class Retrieval(Section):
    """What is found, and in which order (§4.6)."""

    decay_per_hour: Annotated[float, Field(ge=0, le=100)] = 0.5
    """λ of recency, and of forgetting: half is left after 1.4 hours."""
    recent: Number = 100
    """So many of the newest short-term memories are looked at."""
    modules: Patterns = Patterns()


class TiersPolicy(Section):
    """How an agent with tiered memory remembers and forgets."""

    short_term: ShortTerm = ShortTerm()
    consolidation: Consolidation = Consolidation()
    long_term: LongTerm = LongTerm()
    retrieval: Retrieval = Retrieval()

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "TiersPolicy":
        """The policy with these parameters; the default one if they are not valid, because history happened."""
        return _of(orjson.dumps(parameters)) if parameters else _DEFAULT

    @property
    def differing(self) -> dict[str, Any]:
        """The parameters that differ from the defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def pattern(self, module: Module) -> Pattern:
        """How a module retrieves."""
        found: Pattern = getattr(self.retrieval.modules, module)
        return found

    def capacity(self, hours: float) -> int:
        """How much short-term memory holds after so many hours (§4.2.2)."""
        short = self.short_term
        return min(short.base_capacity + int(max(0.0, hours)) * short.capacity_per_hour, short.max_capacity)


@lru_cache(maxsize=64)
def _of(parameters: bytes) -> TiersPolicy:
    try:
        return TiersPolicy.model_validate_json(parameters)
    except ValidationError:
        return _DEFAULT


_DEFAULT = TiersPolicy()
