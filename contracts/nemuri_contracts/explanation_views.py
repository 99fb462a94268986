"""Views that explain retrieval and routing."""

from typing import Literal
from uuid import UUID

from nemuri_contracts.event import Identifier, Label, Text, Value
from nemuri_contracts.strength import Candidate
from nemuri_contracts.tasks import AgentScore, Choice, DecidedBy


class ExplainedCandidate(Value):
    """A candidate with the contribution of each feature to its score."""

    candidate: Candidate
    contributions: tuple[float, ...]
    """Contributions in the order of `FEATURES`. Their sum is the candidate's score minus the score of the mean
    candidate.
    """
    decided: Text
    """Reason for the candidate's rank, in a few words."""
    standing: Literal["used", "in context", "in context before", "always in mind", "crowded out", "left out"]
    """Outcome of the candidate. `used`: the answer used it. `always in mind`: a principle in the context that was not
    used. `in context`: another memory in the context that was not used. `in context before`: a step found again what
    was in the context. `crowded out`: its source had used up its share of the context.
    `left out`: not in the context for another reason.
    """
    beginning: str
    """Beginning of the content."""
    label: str | None
    """Citation label, such as m1. None if the candidate was not in the context."""


class KeptInMind(Value):
    """A principle that was in the context."""

    memory_id: UUID
    beginning: str
    label: str | None
    """Citation label, such as m1."""


class Explanation(Value):
    """Explanation of one retrieval: its candidates and the reasons for their order."""

    assignment_id: UUID
    agent_id: Identifier
    perspective: Label | None
    step: int | None = None
    """Number of the step in which the agent recalled again, from 1; None for the retrieval before its first step."""
    query: str
    """Beginning of the query."""
    ranking: str
    deep: bool
    principles: tuple[KeptInMind, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """All candidates that stage 1 of the retrieval found, best first. Empty if nothing was relevant."""


class WhyView(Value):
    """Explanation of one retrieval of a task."""

    of: int
    """Number of retrievals of the task."""
    explanation: Explanation | None = None
    """The explanation; None if this retrieval does not exist or has not happened yet."""


class Routing(Value):
    """The orchestrator's choice of agents for a task, with their scores."""

    attempt: int
    """Number of the newest attempt, from 1."""
    choices: tuple[Choice, ...]
    scores: tuple[AgentScore, ...]
    """Scores of all eligible agents, best first."""
    request: Text | None
    """The request rewritten without references to the conversation. None if the task continues none."""
    recalled: int
    """Number of routing memories of similar past tasks that influenced the scores of the chosen agents."""
    confidence: float | None = None
    """Confidence in the first choice, 0 to 1; None if there was nothing to decide."""
    decided_by: DecidedBy = "fit"
    """The reason for the agent of the first part."""


class RoutingView(Value):
    """The newest routing of a task."""

    routing: Routing | None = None
    """The routing decision; None if the task is not routed yet."""
