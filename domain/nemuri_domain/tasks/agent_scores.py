"""Scores of the agents that may get a task: fit to the task, past outcomes and load (document 000 §3.1)."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import Definition
from nemuri_contracts.tasks import AgentScore
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks.agent_fit import Fit

HALF: Final = 0.25
"""Strength of the memories about a word at which an agent's knowledge of it is 0.5. A fresh memory of strength 1 gives
0.8.
"""
MEMORIES: Final = 0.5
"""Weight of an agent's knowledge of the words of a task, from its memories, beside the score of the regression."""
NAMED: Final = 0.5
"""Weight of a name in the task that only this agent's memories know."""
ALIKE: Final = 0.45
"""Minimum cosine of a word with a known one that is near in meaning."""
MOST_WORDS: Final = 400
"""Maximum number of words of an agent's memories that are compared, the strongest ones."""
TIE: Final = 0.9
"""Agents whose probability is at least this share of the best one fit almost equally well: their load decides."""
DIGITS: Final = 9
"""Decimal places of a probability, so that rounding errors decide nothing between equal agents."""
PRIOR: Final = 0.25
"""Weight of an agent's overall success rate. A judged task of similarity 0.5 weighs as much."""


_CAPITAL = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")


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


@dataclass(frozen=True, slots=True, eq=False)
class KnownWords:
    """The words that an agent's memories are about."""

    words: Words
    knowledge: NDArray[np.float32]
    """Knowledge of each word, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Market:
    """Data shared by all scores of one routing."""

    able: Sequence[Applicant]
    """The eligible agents."""
    applicants: Sequence[Applicant]
    """All agents. The rarity of words and the maximum load are measured over all of them."""
    known: Mapping[str, KnownWords]
    """What each agent knows from its memories."""


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
    return Market(able, applicants, {each.agent_id: _known_words(each.topics) for each in applicants})


def ranked(of: Market, text: str, fit: Fit | None, sharpness: float, given: Mapping[str, int]) -> Ranking:
    """Return the ranking of the eligible agents for a text.

    Args:
        of: The agents.
        text: The text to be answered.
        fit: Fit of the text to the agents; None if there is nothing to decide.
        sharpness: Factor on the scores before they become probabilities.
        given: Number of parts that each agent already got in this routing. They count as waiting assignments.
    """
    overlap = {each.agent_id: _overlap(text, of.known[each.agent_id]) for each in of.able}
    named, fits = _names(text, of.known), fit.scores if fit else {}
    remembered = {name: MEMORIES * overlap[name] + NAMED * named[name] for name in overlap}
    chances = _softmax({name: sharpness * (fits.get(name, 0.0) + remembered[name]) for name in overlap})
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
    return _ranking(found, fit, max(remembered.values()))


def _ranking(found: Sequence[AgentScore], fit: Fit | None, remembered: float) -> Ranking:
    best = max(found, key=lambda each: each.total)

    def order(each: AgentScore) -> tuple[bool, float, float, float, str]:
        tied = each.total >= TIE * best.total
        return (not tied, -each.load if tied else 0.0, -each.total, -each.history, each.agent_id)

    scores = tuple(sorted(found, key=order))
    by_load = sum(each.total >= TIE * best.total for each in found) > 1
    if fit is None:
        return Ranking(scores, by_load=by_load)
    familiarity = fit.familiarity + remembered
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


def _known_words(topics: Sequence[Topic]) -> KnownWords:
    """Return what an agent knows of words. It grows with the strength of the memories about a word."""
    table, strength = word_table(), defaultdict[int, float](float)
    for topic in topics:
        for word in set(table.words(topic.name).tolist()):
            strength[word] += topic.strength
    some = sorted(strength, key=lambda word: -strength[word])[:MOST_WORDS]
    total = np.array([strength[word] for word in some], np.float32)
    return KnownWords(np.array(some, np.int64), total / (HALF + total))


def _names(text: str, known: Mapping[str, KnownWords]) -> Mapping[str, float]:
    """Return for each agent whether the text has a name that only this agent's memories know, 0 or 1.

    A name is a word that the table of words does not have, or one that is written with a capital inside a sentence.
    """
    table = word_table()
    written = {word for match in _CAPITAL.finditer(text) for word in table.words(match.group()).tolist()}
    named = {word for word in table.words(text).tolist() if word < 0 or word in written}
    knowing = {word: [agent for agent, each in known.items() if word in each.words] for word in named}
    only = {agents[0] for agents in knowing.values() if len(agents) == 1}
    return {agent: float(agent in only) for agent in known}


def _overlap(text: str, known: KnownWords) -> float:
    """Return the agent's mean knowledge of the words of a text, 0 to 1, weighted by the importance of each word.

    A word that the agent does not know counts as far as a known word is near in meaning.
    """
    table = word_table()
    asked = table.words(text)
    if not len(asked) or not len(known.words):
        return 0.0
    near = table.directions(asked) @ table.directions(known.words).T
    near = np.where(near >= ALIKE, near, 0)
    near[asked[:, None] == known.words[None, :]] = 1
    weights = table.importance(asked)
    return float((near * known.knowledge).max(axis=1) @ weights / weights.sum())
