"""Scores of the agents that may get a task: fit to the task, past outcomes and load (document 000 §3.1)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from statistics import median_low
from typing import Final, NamedTuple, Self

from nemuri_contracts.agents import Definition
from nemuri_contracts.tasks import AgentScore
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.strength.perspective_memories import PerspectiveMemories
from nemuri_domain.tasks.agent_fit import WORDS, Fit, familiarity
from nemuri_domain.tasks.agent_words import Vocabulary

NAMED: Final = 0.5
"""Weight of a name in the task that only this agent's memories know."""
LENIENCE: Final = 0.04
"""Maximum distance of a question below the threshold of familiarity at which a colleague is offered, because the asking
model decides.
"""
CROWD: Final = 3
"""Number of agents from which on some of their knowledge is common to most of them."""
TIE: Final = 0.9
"""Agents whose probability is at least this share of the best one fit almost equally well: their load decides."""
DIGITS: Final = 9
"""Decimal places of a probability, so that rounding errors decide nothing between equal agents."""
PRIOR: Final = 0.25
"""Weight of an agent's overall success rate. A judged task of similarity 0.5 weighs as much."""


class Workload(NamedTuple):
    """Numbers of an agent: tasks with positive feedback, tasks with negative feedback, and unanswered assignments."""

    good: int
    bad: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class Applicant:
    """An agent that may be chosen, with the data for its scores."""

    agent_id: str
    definition: Definition
    topics: tuple[Topic, ...]
    """Topics of the agent's memories."""
    succeeded: int
    """Number of past assignments that clients called helpful or a success."""
    failed: int
    """Number of past assignments that clients called unhelpful or a failure."""
    waiting: int
    """Number of assignments that the agent has not answered yet."""
    perspectives: PerspectiveMemories = field(default_factory=dict)
    """The agent's memories that are strong in one of its perspectives."""


@dataclass(frozen=True, slots=True)
class Market:
    """Data shared by all scores of one routing."""

    able: Sequence[Applicant]
    """The eligible agents."""
    applicants: Sequence[Applicant]
    """All agents. The rarity of words and the maximum load are measured over all of them."""
    vocabulary: Vocabulary
    """The words by which the agents are known."""


@dataclass(frozen=True, slots=True)
class AgentKnowledge:
    """Knowledge that the agents have of the words of a text."""

    words: Words
    """Words of the text."""
    shares: Mapping[str, float]
    """Addition to each agent's score for its knowledge of the words, by agent."""

    @classmethod
    def of(cls, agents: Market, text: str) -> Self:
        """Compare the words of a text with those by which the agents are known."""
        words, vocabulary = word_table().words(text), agents.vocabulary
        overlaps, named = vocabulary.overlaps([words])[0].tolist(), vocabulary.named(text)
        return cls(
            words,
            {
                name: WORDS * overlap + NAMED * named[name]
                for name, overlap in zip(vocabulary.agents, overlaps, strict=True)
            },
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The eligible agents for one text."""

    scores: tuple[AgentScore, ...]
    """Scores, best agent first."""
    confidence: float | None = None
    """Confidence in the first agent, 0 to 1; None if there was nothing to decide."""
    outside: bool = False
    """True if the text belongs to no agent's field."""
    by_load: bool = False
    """True if several agents fit almost equally well, so that their load decided."""


def market(able: Sequence[Applicant], applicants: Sequence[Applicant]) -> Market:
    """Return the data for the scores of the agents in `able`, a part of `applicants`."""
    definitions = {applicant.agent_id: applicant.definition for applicant in applicants}
    return Market(
        able, applicants, Vocabulary.of(definitions, {applicant.agent_id: applicant.topics for applicant in applicants})
    )


def margin(of: Market, known: AgentKnowledge, fit: Fit) -> float:
    """Return how far the familiarity of a text is above its threshold. Below 0, it is outside the eligible agents'
    fields.
    """
    best = max(fit.fields.get(applicant.agent_id, 0.0) + known.shares[applicant.agent_id] for applicant in of.able)
    return familiarity(best, known.words) - fit.threshold


def knowing(of: Market, known: AgentKnowledge, fit: Fit) -> tuple[str, ...]:
    """Return the eligible agents whose own field a text may belong to, best first. What most of them know alike says
    nothing about any of them.
    """
    shares = {applicant.agent_id: known.shares[applicant.agent_id] for applicant in of.able}
    common = median_low(shares.values()) if len(shares) >= CROWD else 0.0
    scores = {name: fit.fields.get(name, 0.0) + share - common for name, share in shares.items()}
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return tuple(name for name in order if familiarity(scores[name], known.words) >= fit.threshold - LENIENCE)


def ranked(
    of: Market,
    known: AgentKnowledge,
    fit: Fit | None,
    sharpness: float,
    given: Mapping[str, int],
    above: float | None = None,
) -> Ranking:
    """Return the ranking of the eligible agents for a text.

    Args:
        of: The agents.
        known: What the agents know of the text's words.
        fit: Fit of the text to the agents; None if there is nothing to decide.
        sharpness: Factor on the scores before they become probabilities.
        given: Number of parts that each agent already got in this routing. They count as waiting assignments.
        above: The `margin` of the task; None if it fits some agent anyway.
    """
    scores = fit.scores if fit else {}
    chances = _softmax(
        {
            applicant.agent_id: sharpness * (scores.get(applicant.agent_id, 0.0) + known.shares[applicant.agent_id])
            for applicant in of.able
        }
    )
    waiting = {applicant.agent_id: applicant.waiting + given.get(applicant.agent_id, 0) for applicant in of.applicants}
    busiest = max(waiting.values())
    found = [
        AgentScore(
            agent_id=applicant.agent_id,
            expertise=round(min(1.0, max(known.shares[applicant.agent_id], _nearest_phrase(applicant, fit))), DIGITS),
            history=_history(applicant, fit),
            load=1.0 - waiting[applicant.agent_id] / busiest if busiest else 1.0,
            total=chances[applicant.agent_id],
        )
        for applicant in of.able
    ]
    return _ranking(found, fit, above)


def _ranking(found: Sequence[AgentScore], fit: Fit | None, above: float | None) -> Ranking:
    best = max(found, key=lambda agent_score: agent_score.total)

    def order(each: AgentScore) -> tuple[bool, float, float, float, str]:
        tied = each.total >= TIE * best.total
        return (not tied, -each.load if tied else 0.0, -each.total, -each.history, each.agent_id)

    scores = tuple(sorted(found, key=order))
    by_load = sum(agent_score.total >= TIE * best.total for agent_score in found) > 1
    if fit is None or above is None:
        return Ranking(scores, by_load=by_load)
    inside = min(1.0, max(0.0, 0.5 + above / (2.0 * fit.doubt)))
    return Ranking(scores, confidence=round(inside * scores[0].total, DIGITS), outside=above < 0, by_load=by_load)


def _softmax(values: Mapping[str, float]) -> Mapping[str, float]:
    highest = max(values.values())
    powers = {name: exp(value - highest) for name, value in values.items()}
    total = sum(powers.values())
    return {name: round(power / total, DIGITS) for name, power in powers.items()}


def _nearest_phrase(applicant: Applicant, fit: Fit | None) -> float:
    return fit.expertise.get(applicant.agent_id, 0.0) if fit else 0.0


def _history(applicant: Applicant, fit: Fit | None) -> float:
    """Return the agent's success rate on similar tasks, 0 to 1, with its overall rate as a prior of weight `PRIOR`."""
    overall = (applicant.succeeded + 1) / (applicant.succeeded + applicant.failed + 2)
    good, total = fit.verdicts.get(applicant.agent_id, (0.0, 0.0)) if fit else (0.0, 0.0)
    return (PRIOR * overall + good) / (PRIOR + total)
