"""Parameters of tiered memory, with the defaults of document 004 and their ranges."""

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


class TierSection(BaseModel):
    """A group of parameters."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class ShortTerm(TierSection):
    """Capacity and retention of short-term memory (document 004 §4.2.2)."""

    base_capacity: Number = 100
    """Capacity of short-term memory in the first hour of the agent's life."""
    capacity_per_hour: Annotated[int, Field(ge=0, le=1_000_000)] = 100
    """Number by which the capacity grows for every full hour of the agent's life."""
    max_capacity: Number = 300
    """Maximum capacity of short-term memory."""
    retention_minutes: Minutes = 30.0
    """Minimum age in minutes at which a memory moves to long-term memory when the interval is over. If the capacity is
    reached, the age does not matter.
    """
    kept_share: Ratio = 0.5
    """Share of the capacity that stays in short-term memory after a consolidation because of the capacity."""
    kept_by_reflection: Annotated[int, Field(ge=0, le=1_000_000)] = 10
    """Number of the newest memories that stay in short-term memory after a reflection."""
    min_importance: Ratio = 0.2
    """Minimum importance of an experience to be recorded (document 004 §4.3)."""

    @model_validator(mode="after")
    def _growing(self) -> Self:
        if self.base_capacity > self.max_capacity:
            raise ValueError("base_capacity must be at most max_capacity")
        return self


class Consolidation(TierSection):
    """Times and thresholds of consolidation (document 004 §4.2.2, §4.3)."""

    interval_minutes: Minutes = 10.0
    """Minutes between two consolidations in the first hour of the agent's life. The second hour and later hours have
    their own values.
    """
    second_hour_minutes: Minutes = 5.0
    """Minutes between two consolidations in the second hour."""
    later_minutes: Minutes = 3.0
    """Minutes between two consolidations from the third hour on."""
    similarity: Cosine = 0.85
    """Minimum cosine of two memories that are neighbours in a cluster."""
    group_size: Annotated[int, Field(ge=2, le=100)] = 20
    """Maximum number of memories of a cluster. A larger cluster is divided by time."""
    semantic_from: Number = 3
    """Minimum number of similar memories that become a semantic memory without a model."""
    procedural_from: Number = 3
    """Minimum number of similar actions without a failure that become a procedural memory without a model."""
    access_boost: Ratio = 0.2
    """Share of the distance between its importance and 1 that the most retrieved memory gains."""

    def interval(self, hours: float) -> float:
        """Return the seconds between two consolidations after `hours` of the agent's life."""
        minutes = self.interval_minutes if hours < 1 else self.second_hour_minutes if hours < 2 else self.later_minutes
        return minutes * 60


class LongTerm(TierSection):
    """Capacity of long-term memory and thresholds of forgetting (document 004 §4.2.3, §4.3)."""

    capacity: Number = 10_000
    """Maximum number of memories in long-term memory."""
    forgetting_from: Ratio = 0.8
    """Memories are forgotten and merged only if long-term memory holds at least this share of its capacity."""
    min_age_hours: Hours = 1.0
    """Age, in hours, below which a memory is neither forgotten nor merged."""
    merge_below: Ratio = 0.1
    """Decay factor below which a memory may be merged."""
    delete_below: Ratio = 0.05
    """Product of importance and recency below which a memory that was never retrieved is deleted."""
    at_once: Annotated[int, Field(ge=1, le=1_000)] = 500
    """Maximum number of memories that one consolidation deletes, and maximum number that it considers for merging."""


class Pattern(TierSection):
    """Retrieval parameters of a module (document 004 §4.6.3)."""

    layers: tuple[Literal["working"] | Layer, ...]
    """Layers to search."""
    types: tuple[MemoryType, ...] = ()
    """Types of memory to retrieve; empty for all types."""
    alpha: Ratio = 0.5
    """Weight of relevance in the score that ranks memories."""
    beta: Ratio = 0.3
    """Weight of recency in the score that ranks memories."""
    gamma: Ratio = 0.2
    """Weight of importance in the score that ranks memories."""
    top: Annotated[int, Field(ge=0, le=100)] = 10
    """Maximum number of memories."""


class Patterns(TierSection):
    """Retrieval parameters of every module: the table of document 004 §4.6.3."""

    default: Pattern = Pattern(layers=("short", "long"))
    action_awareness: Pattern = Pattern(layers=("working",), top=0)
    social_awareness: Pattern = Pattern(layers=("short", "long"), alpha=0.4, beta=0.4, gamma=0.2, top=10)
    goal_generation: Pattern = Pattern(layers=("long",), types=("semantic",), alpha=0.6, beta=0.1, gamma=0.3, top=10)
    planning: Pattern = Pattern(layers=("short", "long"), alpha=0.5, beta=0.3, gamma=0.2, top=15)
    self_reflection: Pattern = Pattern(layers=("long",), types=("episodic",), alpha=0.3, beta=0.2, gamma=0.5, top=20)
    talking: Pattern = Pattern(layers=("short",), types=("conversation",), alpha=0.3, beta=0.5, gamma=0.2, top=5)
    cognitive_controller: Pattern = Pattern(layers=("working", "short"), alpha=0.4, beta=0.4, gamma=0.2, top=10)


class TierRetrieval(TierSection):
    """Parameters of retrieval (document 004 §4.6)."""

    decay_per_hour: Annotated[float, Field(ge=0, le=100)] = 0.5
    """Decay rate λ of recency, per hour, in retrieval and in forgetting. At 0.5, half of the recency is left after 1.4
    hours.
    """
    recent: Number = 100
    """Number of the newest short-term memories that a retrieval searches."""
    modules: Patterns = Patterns()


class TiersPolicy(TierSection):
    """All parameters of an agent's tiered memory."""

    short_term: ShortTerm = ShortTerm()
    consolidation: Consolidation = Consolidation()
    long_term: LongTerm = LongTerm()
    retrieval: TierRetrieval = TierRetrieval()

    @classmethod
    def of(cls, parameters: Mapping[str, Any]) -> "TiersPolicy":
        """Return the policy with these parameters; the default if they are invalid, because a fold never raises."""
        return _of(orjson.dumps(parameters)) if parameters else _DEFAULT

    @property
    def differing(self) -> dict[str, Any]:
        """The parameters that differ from the defaults, as JSON values."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def pattern(self, module: Module) -> Pattern:
        """Return the retrieval parameters of a module."""
        found: Pattern = getattr(self.retrieval.modules, module)
        return found

    def capacity(self, hours: float) -> int:
        """Return the capacity of short-term memory after `hours` of the agent's life (document 004 §4.2.2)."""
        short = self.short_term
        return min(short.base_capacity + int(max(0.0, hours)) * short.capacity_per_hour, short.max_capacity)


@lru_cache(maxsize=64)
def _of(parameters: bytes) -> TiersPolicy:
    try:
        return TiersPolicy.model_validate_json(parameters)
    except ValidationError:
        return _DEFAULT


_DEFAULT = TiersPolicy()
