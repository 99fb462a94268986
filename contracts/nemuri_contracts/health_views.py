"""How well an agent's memory works, and what would help (document 003 §6)."""

from typing import Literal
from uuid import UUID

from pydantic import JsonValue

from nemuri_contracts.event import Identifier, Label, Text, Value

Measure = Literal[
    "archive_rate",
    "mean_level",
    "usage_ratio",
    "hit_rate",
    "context",
    "never_used",
    "number",
    "weight",
    "tasks_per_day",
]
"""What is looked at."""


class Advice(Value):
    """A parameter to turn."""

    parameter: Label
    """A parameter of the agent's policy."""
    present: JsonValue
    proposed: JsonValue
    direction: Literal["raise", "lower"]


class Finding(Value):
    """One measure of an agent's memory against its normal range."""

    measure: Measure
    value: float | None
    """None where it is undefined."""
    normal: tuple[float | None, float | None]
    """The normal range; None for an open end."""
    verdict: Literal["normal", "low", "high", "early"]
    """`early`: too little has happened to tell."""
    advice: Advice | None = None
    """None where all is well, and where there is nothing to turn."""
    note: Text = ""
    """What it means, in a few words."""


class AgentHealth(Value):
    """How an agent's memory does."""

    agent_id: Identifier
    findings: tuple[Finding, ...]
    never_used: tuple[UUID, ...] = ()
    """Some of the memories that are often in the context and never used, the most often seen first."""
    waiting: dict[str, JsonValue] | None = None
    """Parameters that come into force at the next sleep; None where none wait."""


class HealthView(Value):
    """The agents asked about, by name."""

    agents: tuple[AgentHealth, ...]
