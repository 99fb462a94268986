"""Why memories came to mind for a task, as people are told."""

from typing import Literal
from uuid import UUID

from nemuri_contracts.event import Identifier, Label, Text, Value
from nemuri_contracts.strength import Candidate
from nemuri_contracts.tasks import AgentScore, Choice


class ExplainedCandidate(Value):
    """A candidate with what its features added to its score."""

    candidate: Candidate
    contributions: tuple[float, ...]
    """In the order of `FEATURES`; together the score that its features give, less that of the mean candidate."""
    decided: Text
    """What decided its rank, in words."""
    standing: Literal["used", "in context", "always in mind", "crowded out", "left out"]
    """What became of it; a principle that the answer drew on counts as used.

    What is crowded out would be in the context, had not others of its source taken their share of it.
    """
    beginning: str
    """How its content begins."""
    label: str | None
    """What an answer cites it by, as m1; None for what is not in the context."""


class KeptInMind(Value):
    """A principle, which is in every context whatever its rank."""

    memory_id: UUID
    beginning: str
    label: str | None
    """What an answer cites it by, as m1."""


class Explanation(Value):
    """What came to an agent's mind for an assignment, and why in this order."""

    assignment_id: UUID
    agent_id: Identifier
    perspective: Label | None
    query: str
    """How it begins."""
    ranking: str
    deep: bool
    principles: tuple[KeptInMind, ...]
    candidates: tuple[ExplainedCandidate, ...]
    """All of stage 1, best first; none where nothing relevant was remembered."""


class WhyView(Value):
    """One of a task's retrievals, explained."""

    of: int
    """How many there are."""
    explanation: Explanation | None = None
    """None where there is no such retrieval (yet)."""


class Routing(Value):
    """How the orchestrator chose who works on a task."""

    attempt: int
    """The newest one, from 1."""
    choices: tuple[Choice, ...]
    scores: tuple[AgentScore, ...]
    """Of everybody who could have got it, best first."""
    request: Text | None
    """What was asked in words that stand on their own, where the task continues a conversation."""
    recalled: int
    """On so many memories of past tasks like this one the scores of the chosen agents rest."""


class RoutingView(Value):
    """The routing of a task."""

    routing: Routing | None = None
    """None where the task is not routed (yet)."""
