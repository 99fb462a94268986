"""Views of an agent's memory health, with advice (document 003 §6)."""

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
"""Names of the health measures."""


class Advice(Value):
    """A recommended change of one policy parameter."""

    parameter: Label
    """Name of a parameter of the agent's policy."""
    present: JsonValue
    proposed: JsonValue
    direction: Literal["raise", "lower"]


class Finding(Value):
    """The value of one measure of an agent's memory, compared with its normal range."""

    measure: Measure
    value: float | None
    """The measured value; None if the measure is undefined."""
    normal: tuple[float | None, float | None]
    """Lower and upper bound of the normal range; None for a missing bound."""
    verdict: Literal["normal", "low", "high", "early"]
    """Comparison with the normal range. `early` means that there are too few data."""
    advice: Advice | None = None
    """Recommended change. None if the measure is normal or no parameter affects it."""
    note: Text = ""
    """Short explanation of the finding."""


class AgentHealth(Value):
    """Health of an agent's memory."""

    agent_id: Identifier
    findings: tuple[Finding, ...]
    never_used: tuple[UUID, ...] = ()
    """Some memories that are often in the context and never used, most frequent first."""
    principle_places: int = 0
    """Maximum number of principles in a context."""
    principles_left_out: tuple[Text, ...] = ()
    """Principles that are in no context, because stronger ones and the organisation's have all places."""
    waiting: dict[str, JsonValue] | None = None
    """Parameters that apply from the next sleep; None if no change is pending."""


class HealthView(Value):
    """Health of the requested agents, by name."""

    agents: tuple[AgentHealth, ...]
