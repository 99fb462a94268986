"""An agent's learned scorer: its training, and how it stands, as people are told."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from nemuri_contracts.event import AgentEvent, Count, Identifier, Text, Value
from nemuri_contracts.strength import FEATURES


class HeldOut(Value):
    """How well two rankings put what was used first, over the same newest tasks, which no training has seen."""

    tasks: Count
    learned: float = Field(ge=0, le=1)
    """Mean nDCG of the learned scorer."""
    linear: float = Field(ge=0, le=1)
    """Mean nDCG of the linear score."""
    error: float = Field(ge=0)
    """The standard error of the mean difference."""


class Weights(Value):
    """A scorer of nine features: 9 inputs, 16 hidden units (ReLU), 1 output (sigmoid) (document 000 §3.4)."""

    hidden: tuple[tuple[float, ...], ...] = Field(min_length=1, max_length=64)
    """One row of nine weights for each hidden unit."""
    hidden_bias: tuple[float, ...]
    output: tuple[float, ...]
    output_bias: float

    @model_validator(mode="after")
    def _fitting(self) -> "Weights":
        units = len(self.hidden)
        if {len(row) for row in self.hidden} != {len(FEATURES)} or {len(self.hidden_bias), len(self.output)} != {units}:
            raise ValueError(f"a scorer has {len(FEATURES)} weights, one bias and one output for each hidden unit")
        return self


class ScorerTrained(AgentEvent):
    """The agent's scorer was trained anew from what its tasks used, and judged on the newest of them."""

    kind: Literal["scorer_trained"] = "scorer_trained"
    number: Annotated[Count, Field(ge=1)]
    """The version, counted for each agent."""
    weights: Weights
    samples: Count
    """Candidates that it was trained on, used and unused."""
    tasks: Count
    """Assignments that they come from."""
    until: int = Field(ge=0, le=2**53)
    """The log's place up to which uses and feedback were taken into account."""
    held_out: HeldOut
    serves: bool
    """Whether it ranks from now on: only while it is better than the linear score on the held-out tasks."""


class Weighed(Value):
    """How much a feature counts, as a share: the magnitudes of all nine add up to 1."""

    linear: float
    """Its weight in the linear score."""
    learned: float | None
    """What its way from 0 to 1 adds to the learned score, the others at 1/2; None where nothing is learned yet."""


class ScorerVersion(Value):
    """The newest version of an agent's learned scorer."""

    number: int
    samples: int
    """Candidates that it was trained on, used and unused."""
    tasks: int
    """Assignments that they come from."""
    held_out: HeldOut
    serves: bool
    trained_at: datetime


class ScorerView(Value):
    """An agent's learned scorer, or how far it is from its first one."""

    agent_id: Identifier
    ranking: str
    """What ranks now: `scorer-N`, or which other ranking."""
    standing: Text
    """In one line for people: whether the learned scorer ranks, and why not."""
    gathered: int
    """Samples that were gathered since the last training, or since the beginning."""
    wanted: int
    """So many of them lead to the next training."""
    version: ScorerVersion | None
    """None before the first training."""
    features: dict[str, Weighed]
    """By name, in the order of document 000 §3.4."""
