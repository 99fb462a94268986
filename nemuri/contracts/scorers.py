"""How an agent's learned scorer stands, as people are told."""

from datetime import datetime

from nemuri.contracts.event import Identifier, Text, Value
from nemuri.contracts.memories import HeldOut


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
