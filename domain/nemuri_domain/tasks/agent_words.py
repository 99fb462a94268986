"""Words by which an agent is known: those of its definition and of its memories (document 000 §3.1)."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.agents import Definition
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.strength.agent_topics import Topic
from nemuri_domain.tasks.definition_phrases import PHRASES, phrases

HALF: Final = 0.25
"""Strength of the memories about a word at which an agent's knowledge of it is 0.5. A fresh memory of strength 1 gives
0.8.
"""
ALIKE: Final = 0.45
"""Minimum cosine of a word with a known one that is near in meaning."""
MOST_WORDS: Final = 400
"""Maximum number of words of an agent's memories that are compared, the strongest ones."""
FOCUS_WORDS: Final = 2
"""Number of the words of a text from which its focus is measured."""
_NO_WORDS: Final = np.zeros(0, np.int64)
_CAPITAL = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words by which several agents are known."""

    agents: tuple[str, ...]
    words: Words
    """The words of all agents, those of the first agent first. Each agent has at least one."""
    knowledge: NDArray[np.float32]
    """Knowledge of each word, 0 to 1."""
    begins: NDArray[np.intp]
    """Place of the first word of each agent."""
    remembered: Mapping[str, frozenset[int]]
    """The words that each agent knows from its memories."""

    @classmethod
    def of(cls, definitions: Mapping[str, Definition], topics: Mapping[str, Sequence[Topic]]) -> Self:
        """Return the vocabulary of agents with these definitions and these topics of memories.

        Knowledge of a word of the definition is 1. Knowledge from memories grows with the strength of the memories
        about the word.
        """
        memories = {name: _remembered(topics.get(name, ())) for name in definitions}
        known = [{0: 0.0, **memories[name], **_defined(definition)} for name, definition in definitions.items()]
        return cls(
            tuple(definitions),
            np.array([word for weights in known for word in weights], np.int64),
            np.array([value for weights in known for value in weights.values()], np.float32),
            np.cumsum([0, *map(len, known)], dtype=np.intp)[:-1],
            {name: frozenset(words) for name, words in memories.items()},
        )

    def overlaps(self, texts: Sequence[Words]) -> NDArray[np.float64]:
        """Return each agent's mean knowledge of the words of each text, shape (texts, agents), 0 to 1.

        Words are weighted by their importance. A word that the agent does not know counts as far as a known word is
        near in meaning.
        """
        found, table = np.zeros((len(texts), len(self.agents))), word_table()
        asked = np.unique(np.concatenate([_NO_WORDS, *texts]))
        if not len(asked):
            return found
        near = table.directions(self.words) @ table.directions(asked).T
        near = np.where(near >= ALIKE, near, 0)
        near[self.words[:, None] == asked[None, :]] = 1
        best, weights = np.maximum.reduceat(near * self.knowledge[:, None], self.begins), table.importance(asked)
        for row, words in enumerate(texts):
            if len(words):
                places = np.searchsorted(asked, words)
                found[row] = best[:, places] @ weights[places] / weights[places].sum()
        return found

    def named(self, text: str) -> Mapping[str, float]:
        """Return for each agent whether the text has a name that only this agent's memories know, 0 or 1.

        A name is a word that the table of words does not have, or one that is written with a capital inside a sentence.
        """
        table = word_table()
        written = {word for match in _CAPITAL.finditer(text) for word in table.words(match.group()).tolist()}
        names = {word for word in table.words(text).tolist() if word < 0 or word in written}
        knowing = {word: [agent for agent, words in self.remembered.items() if word in words] for word in names}
        only = {agents[0] for agents in knowing.values() if len(agents) == 1}
        return {agent: float(agent in only) for agent in self.agents}


def _remembered(topics: Sequence[Topic]) -> Mapping[int, float]:
    table, strength = word_table(), defaultdict[int, float](float)
    for topic in topics:
        for word in set(table.words(topic.name).tolist()):
            strength[word] += topic.strength
    some = sorted(strength, key=lambda word: -strength[word])[:MOST_WORDS]
    return {word: strength[word] / (HALF + strength[word]) for word in some}


@lru_cache(maxsize=4_096)
def _defined(definition: Definition) -> Mapping[int, float]:
    table = word_table()
    return {word: 1.0 for phrase in phrases(definition, PHRASES) for word in table.words(phrase).tolist()}


def focus(asked: Words) -> float:
    """Return how far a text is about one or two words: the mean of the greatest cosines of its words with the whole.

    It is 1 for a single word and 0 without a known word. A text about one thing comes near to some agent by chance more
    easily than a text about several things.
    """
    if not len(asked):
        return 0.0
    table = word_table()
    cosines = table.directions(np.unique(asked)) @ table.vectors([asked])[0]
    return float(np.sort(cosines)[-FOCUS_WORDS:].mean())
