"""Training of an agent's learned scorer, and views of its state."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, model_validator

from nemuri_contracts.event import AgentEvent, Count, Identifier, Text, Value
from nemuri_contracts.strength import FEATURES


class HeldOut(Value):
    """Comparison of the learned scorer with the linear score on the newest tasks, which were not used for training."""

    tasks: Count
    learned: float = Field(ge=0, le=1)
    """Mean nDCG of the learned scorer."""
    linear: float = Field(ge=0, le=1)
    """Mean nDCG of the linear score."""
    error: float = Field(ge=0)
    """Standard error of the mean difference between `learned` and `linear`."""


class Weights(Value):
    """Weights of a scorer: 9 inputs, 16 hidden units (ReLU), 1 output (sigmoid) (document 000 §3.4)."""

    hidden: tuple[tuple[float, ...], ...] = Field(min_length=1, max_length=64)
    """One row of nine weights per hidden unit."""
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
    """The agent's scorer was retrained on logged uses and evaluated on the newest tasks."""

    kind: Literal["scorer_trained"] = "scorer_trained"
    number: Annotated[Count, Field(ge=1)]
    """Version number per agent, from 1."""
    weights: Weights
    """Weights of the network."""
    samples: Count
    """Number of training candidates, used and unused."""
    tasks: Count
    """Number of assignments in the training samples."""
    until: int = Field(ge=0, le=2**53)
    """Stream sequence up to which uses and feedback were included."""
    held_out: HeldOut
    """Results on the held-out tasks."""
    serves: bool
    """True if the scorer ranks from now on, because it beats the linear score on the held-out tasks."""


class Weighed(Value):
    """Importance of a feature in the linear and in the learned score. In each of these scores, the magnitudes of all
    nine features sum to 1.
    """

    linear: float
    """Weight in the linear score."""
    learned: float | None
    """Importance in the learned score: the change of the score's logit when the feature goes from 0 to 1 and the others
    are 1/2, normalised. None before the first training.
    """


class ScorerVersion(Value):
    """The newest version of an agent's learned scorer."""

    number: int
    samples: int
    """Number of training candidates, used and unused."""
    tasks: int
    """Number of assignments in the training samples."""
    held_out: HeldOut
    serves: bool
    trained_at: datetime


class ScorerView(Value):
    """State of an agent's learned scorer, or the progress towards its first training."""

    agent_id: Identifier
    ranking: str
    """Name of the current ranking; `scorer-N` for the learned scorer."""
    standing: Text
    """One line that says whether the learned scorer ranks, and if not, the reason."""
    gathered: int
    """Number of samples since the last training; of all samples before the first training."""
    wanted: int
    """Number of samples that starts the next training."""
    version: ScorerVersion | None
    """The newest version, even if it does not rank; None before the first training."""
    features: dict[str, Weighed]
    """Importance by feature, in the order of document 000 §3.4."""
