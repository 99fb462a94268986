"""Principles that a person adopts for an agent or for the whole organisation (document 000 §1.2.4, §3.4)."""

from typing import Literal
from uuid import UUID

from pydantic import Field, model_validator

from nemuri_contracts.client_events import Scope
from nemuri_contracts.event import AgentEvent, ClientEvent, Identifier, Text, Value

PRINCIPLE_LIMIT = 1_000
"""Maximum characters of a principle that a person adopts."""
MAX_LESSONS = 64
"""Maximum number of lessons on which a principle rests."""

Decision = Literal["adopt", "reject", "retire"]
"""A person's decision on a principle: `adopt` a proposed or an own one, `reject` a proposed one, `retire` an adopted
one.
"""


class PrincipleProposed(AgentEvent):
    """Similar corrections were given repeatedly, so a principle is proposed. It has no effect until a person adopts it.

    The event's id is the principle's id. The agent is the one that was corrected, or the organisation.
    """

    kind: Literal["principle_proposed"] = "principle_proposed"
    text: Text = Field(min_length=1, max_length=PRINCIPLE_LIMIT)
    """Text of the correction that shares most words with the others."""
    scope: Scope = Scope()
    """The scope of the corrections."""
    lessons: tuple[UUID, ...] = Field(min_length=1, max_length=MAX_LESSONS)
    """Ids of the memories that the corrections became."""
    agents: tuple[Identifier, ...] = Field(min_length=1, max_length=MAX_LESSONS)
    """Agents that were corrected."""


class PrincipleDecisionGiven(ClientEvent):
    """A person decided on a principle."""

    kind: Literal["principle_decision_given"] = "principle_decision_given"
    agent_id: Identifier
    """Agent for which the principle holds, or the organisation."""
    decision: Decision
    """The person's decision."""
    principle_id: UUID | None = None
    """Id of the principle; None for an own one."""
    text: Text | None = Field(default=None, min_length=1, max_length=PRINCIPLE_LIMIT)
    """With `adopt`: the person's own words. None adopts the proposed text."""
    scope: Scope | None = None
    """With `adopt`: where the principle is valid. None means everywhere, or where the proposed one is valid."""

    @model_validator(mode="after")
    def _names_a_principle(self) -> "PrincipleDecisionGiven":
        if self.decision == "adopt":
            if self.principle_id is None and self.text is None:
                raise ValueError("give the id of a proposed principle, or the text of an own one")
        elif self.principle_id is None or self.text is not None or self.scope is not None:
            raise ValueError(f"to {self.decision} a principle, give its id and nothing else")
        return self


class PrincipleDecided(AgentEvent):
    """A person's decision on a principle took effect."""

    kind: Literal["principle_decided"] = "principle_decided"
    decision: Decision
    """The person's decision."""
    principle_id: UUID
    """Id of the principle."""
    text: Text = Field(min_length=1, max_length=PRINCIPLE_LIMIT)
    """Text of the principle."""
    scope: Scope = Scope()
    """The scope of the principle."""
    lessons: tuple[UUID, ...] = Field(default=(), max_length=MAX_LESSONS)
    """Ids of the memories on which the principle rests; empty for an own one."""
    asked_by: Identifier
    """Person that decided, by its client id."""


class PrincipleRecord(Value):
    """A principle that was proposed or adopted, with its standing."""

    principle_id: UUID
    text: Text
    scope: Scope = Scope()
    standing: Literal["proposed", "adopted", "rejected", "retired"]
    lessons: tuple[UUID, ...] = ()
    agents: tuple[Identifier, ...] = ()
    decided_by: Identifier | None = None
    """Client that decided last; None for a proposed one."""
