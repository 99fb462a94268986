"""Comparison of a prompt's topic with memories by meaning. Each part of the prompt is compared by its topic words.

The comparison uses the built-in table of words, whatever the embedder, so it works without a vector too. The
thresholds are fitted by `python -m bench.assistant_memory` and `tests/unit/domain/affective/coding_sessions.py`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.affective.category_classifier import probabilities
from nemuri_domain.affective.spoken_text import own_lines
from nemuri_domain.affective.topic_check import topic_weight_of, topic_words
from nemuri_domain.language.relevance import relevances
from nemuri_domain.language.request_sentences import asks_for_something
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.word_table import word_table
from nemuri_domain.strength.query_texts import message_parts
from nemuri_domain.strength.search_texts import QueryText

MAX_PROMPT_PARTS: Final = 8
"""Maximum number of sentences and clauses of a prompt that are compared; those that ask for something come first."""
WORDED: Final = 0.36
"""Minimum relevance of a memory that shares the words of the prompt's topic. Below it the words mean something else."""
MEANT: Final = 0.6
"""Minimum relevance of a memory that is about the prompt's topic in other words."""
STANDING_OUT: Final = 0.3
"""The same of a memory that is more relevant than the others by `MARGIN`."""
MARGIN: Final = 0.22
"""Minimum difference from the memory at place `RIVALS` of a memory that stands out."""
RIVALS: Final = 6
"""Place of the memory from which one must stand out. Several memories may be about one topic."""
UNRELATED: Final = 0.2
"""Relevance that many unrelated memories have. A memory stands out from it too."""
ENOUGH: Final = 2.5
"""Weight of a topic's words, in typical words, from which the relevance counts in full. A single word is often meant
in another sense."""
REMARK_WORDS: Final = 15
"""Minimum number of words of a remark about the user's life that is compared with all memories."""
ABOUT_LIFE: Final = 0.4
"""Minimum probability that such a remark is about the user's life."""
NEAREST: Final = 5
"""Number of the nearest memories that tell whether the memories often speak of a subject."""
SOME: Final = 50
"""Minimum number of memories that can tell this."""
MANY: Final = 250
"""Number of memories for which the threshold was measured."""

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TopicRelevance:
    """The relevance of memories to what a prompt is about, each of shape (memories,), 0 to 1."""

    plain: Floats
    """The relevance by the words that name a topic."""
    certain: Floats
    """The same, lowered if the prompt names little."""

    @property
    def meant(self) -> NDArray[np.bool_]:
        """True for memories that are about the prompt's topic, whatever their words."""
        others = np.sort(self.certain)[::-1]
        rival = max(others[RIVALS - 1], UNRELATED) if len(others) >= RIVALS else UNRELATED
        found: NDArray[np.bool_] = (self.certain >= MEANT) | (
            (self.certain >= STANDING_OUT) & (self.certain - rival >= MARGIN)
        )
        return found


@dataclass(frozen=True, slots=True)
class PromptTopic:
    """The topic of a prompt: its sentences and clauses."""

    parts: tuple[QueryText, ...]
    """Sentences and clauses of the user's own words."""

    @classmethod
    def of(cls, prompt: str) -> Self:
        """Return the topic of a prompt."""
        return cls(message_parts(own_lines(prompt))[:MAX_PROMPT_PARTS])

    @classmethod
    def whole(cls, prompt: str) -> Self:
        """Return the topic of a prompt that is not divided."""
        return cls((QueryText(own_lines(prompt)),))

    @property
    def texts(self) -> list[str]:
        """The texts of the parts."""
        return [part.text for part in self.parts]

    @property
    def weights(self) -> Floats:
        """The weight of each part, shape (parts,)."""
        return np.array([part.weight for part in self.parts], np.float32)

    def compare(self, texts: Sequence[str]) -> TopicRelevance:
        """Return the relevance of texts: to the part to which each is most relevant."""
        topics = [topic_words(word_table().words(text)) for text in self.texts]
        each = relevances(topics, texts) * self.weights[:, None]
        said = np.array([min(1.0, topic_weight_of(some) / ENOUGH) for some in topics], np.float32)
        return TopicRelevance(each.max(axis=0, initial=0), (each * said[:, None]).max(axis=0, initial=0))


def tells_of_life(prompt: str) -> bool:
    """Return True if a prompt is a remark about the user's life that asks for nothing and says enough to be compared.

    What such a remark depends on was often said in quite other words.
    """
    text = own_lines(prompt)
    if len(word_table().words(text)) < REMARK_WORDS or any(
        asks_for_something(sentence) for sentence in sentences(text)
    ):
        return False
    return probabilities(text)["emotional"] >= ABOUT_LIFE


def subject_threshold(threshold: float, memories: int) -> float | None:
    """Return the mean similarity of the nearest memories from which they often speak of a prompt's subject; None if the
    memories are too few to tell.

    `threshold` is that of `MANY` memories. The nearest of more memories are nearer by chance, as the greatest of random
    numbers.
    """
    if memories < SOME:
        return None
    return threshold * sqrt(log(max(memories, MANY) / NEAREST) / log(MANY / NEAREST))


def speaks_of_it(similarities: Iterable[float], threshold: float) -> bool:
    """Return True if the mean similarity of the nearest memories reaches a threshold (`subject_threshold`)."""
    best = sorted(similarities, reverse=True)[:NEAREST]
    return len(best) == NEAREST and sum(best) / NEAREST >= threshold
