"""Scores of the agents that may get a task: fit to the task, past outcomes and load (document 000 §3.1)."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

from nemuri_contracts.agents import Definition
from nemuri_contracts.tasks import AgentScore
from nemuri_domain.language.tokenization import terms, topic_weight
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks.agent_fit import Fit

HALF: Final = 0.25
"""Strength of the memories about a word at which an agent's knowledge of it is 0.5. A fresh memory of strength 1 gives
0.8.
"""
MEMORIES: Final = 0.5
"""Weight of an agent's knowledge of the words of a task, from its memories, beside the score of the regression."""
TIE: Final = 0.9
"""Agents whose probability is at least this share of the best one fit almost equally well: their load decides."""
DIGITS: Final = 9
"""Decimal places of a probability, so that rounding errors decide nothing between equal agents."""
PRIOR: Final = 0.25
"""Weight of an agent's overall success rate. A judged task of similarity 0.5 weighs as much."""


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


@dataclass(frozen=True, slots=True)
class Market:
    """Data shared by all scores of one routing."""

    able: Sequence[Applicant]
    """The eligible agents."""
    applicants: Sequence[Applicant]
    """All agents. The rarity of words and the maximum load are measured over all of them."""
    known: Mapping[str, Mapping[str, float]]
    """Knowledge of words from memories, 0 to 1, by eligible agent."""
    rarity: Mapping[str, float]


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
    known = {each.agent_id: _known_words(each.topics) for each in applicants}
    return Market(able, applicants, known, _rarity(known.values()))


def ranked(of: Market, text: str, fit: Fit | None, sharpness: float, given: Mapping[str, int]) -> Ranking:
    """Return the ranking of the eligible agents for a text.

    Args:
        of: The agents.
        text: The text to be answered.
        fit: Fit of the text to the agents; None if there is nothing to decide.
        sharpness: Factor on the scores before they become probabilities.
        given: Number of parts that each agent already got in this routing. They count as waiting assignments.
    """
    words = terms(text)
    overlap = {each.agent_id: _overlap(words, of.known[each.agent_id], of.rarity) for each in of.able}
    fits = fit.scores if fit else {}
    chances = _softmax({name: sharpness * (fits.get(name, 0.0) + MEMORIES * overlap[name]) for name in overlap})
    waiting = {each.agent_id: each.waiting + given.get(each.agent_id, 0) for each in of.applicants}
    busiest = max(waiting.values())
    found = [
        AgentScore(
            agent_id=each.agent_id,
            expertise=round(max(overlap[each.agent_id], fit.expertise.get(each.agent_id, 0.0) if fit else 0.0), DIGITS),
            history=_history(each, fit),
            load=1.0 - waiting[each.agent_id] / busiest if busiest else 1.0,
            total=chances[each.agent_id],
        )
        for each in of.able
    ]
    return _ranking(found, fit, max(overlap.values()))


def _ranking(found: Sequence[AgentScore], fit: Fit | None, remembered: float) -> Ranking:
    best = max(found, key=lambda each: each.total)

    def order(each: AgentScore) -> tuple[bool, float, float, float, str]:
        tied = each.total >= TIE * best.total
        return (not tied, -each.load if tied else 0.0, -each.total, -each.history, each.agent_id)

    scores = tuple(sorted(found, key=order))
    by_load = sum(each.total >= TIE * best.total for each in found) > 1
    if fit is None:
        return Ranking(scores, by_load=by_load)
    familiarity = fit.familiarity + MEMORIES * remembered
    inside = min(1.0, max(0.0, 0.5 + (familiarity - fit.threshold) / (2.0 * fit.doubt)))
    outside = familiarity < fit.threshold
    return Ranking(scores, confidence=round(inside * scores[0].total, DIGITS), outside=outside, by_load=by_load)


def _softmax(values: Mapping[str, float]) -> Mapping[str, float]:
    highest = max(values.values())
    powers = {name: exp(value - highest) for name, value in values.items()}
    total = sum(powers.values())
    return {name: round(power / total, DIGITS) for name, power in powers.items()}


def _history(applicant: Applicant, fit: Fit | None) -> float:
    """Return the agent's success rate on similar tasks, 0 to 1, with its overall rate as a prior of weight `PRIOR`."""
    overall = (applicant.succeeded + 1) / (applicant.succeeded + applicant.failed + 2)
    good, total = fit.verdicts.get(applicant.agent_id, (0.0, 0.0)) if fit else (0.0, 0.0)
    return (PRIOR * overall + good) / (PRIOR + total)


def _rarity(known: Collection[Mapping[str, float]]) -> Mapping[str, float]:
    """Return the rarity of each known word: log(1 + agents / agents that know it) × its weight in the language."""
    knowing = Counter(word for words in known for word in words)
    return {word: topic_weight(word) * log(1 + len(known) / count) for word, count in knowing.items()}


def _known_words(topics: Sequence[Topic]) -> Mapping[str, float]:
    """Return the knowledge of words, 0 to 1, by word. It grows with the strength of the memories about the word."""
    strength: defaultdict[str, float] = defaultdict(float)
    for topic in topics:
        for word in set(terms(topic.name)):
            strength[word] += topic.strength
    return {word: total / (HALF + total) for word, total in strength.items()}


def _overlap(words: Sequence[str], known: Mapping[str, float], rarity: Mapping[str, float]) -> float:
    """Return the agent's mean knowledge of the words, 0 to 1, weighted by the count and rarity of each word.

    Words that no agent knows weigh as much as the most common known word, so that one shared word of a long text does
    not count as full knowledge.
    """
    counts = Counter(words)
    unknown = min(rarity.values(), default=0.0)
    weights = {word: count * rarity.get(word, unknown * topic_weight(word)) for word, count in counts.items()}
    total = sum(weights.values())
    return sum(weight * known.get(word, 0.0) for word, weight in weights.items()) / total if total else 0.0
