"""The texts that the agents of the experiments remember, and the tasks that need them."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Literal

from nemuri.demo.texts import topics
from nemuri_domain.language.keywords import candidates
from nemuri_domain.retrieval.passage_ranking import passages

Condition = Literal["recurring", "one-off"]
"""The condition of a stream of tasks: the same passages are needed again in other words, or each is needed once."""

AREAS: Final[dict[str, tuple[str, ...]]] = {
    "values": ("objects", "types", "specialnames", "typesmapping", "typesseq", "numeric-types", "comparisons"),
    "flow": ("compound", "execmodel", "exceptions", "import", "raise", "assignment", "calls", "async", "debugger"),
    "text": ("strings", "string-methods", "formatstrings", "identifiers", "floating", "integers"),
}
"""Areas of the Python language reference with their topics. Each area is a perspective of the agents."""
KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "values": ("object", "attribute", "type"),
    "flow": ("statement", "exception", "scope"),
    "text": ("string", "format", "character"),
}

SHARED_WORDS: Final = 2
"""Number of content words that a question shares with the needed passage, drawn again for each question."""
OTHER_WORDS: Final = 2
"""Number of words of a question that come from another passage, because people do not ask in the words of the answer.
"""
FEWEST_WORDS: Final = 8
MAX_PASSAGE_LENGTH: Final = 400
"""Maximum characters of a passage."""
SELF_CONTAINED: Final = 0.7
"""Minimum fitness of a sentence. Code and fragments score lower and are left out."""


@dataclass(frozen=True, slots=True)
class CorpusPassage:
    """A sentence of the language reference. It is the content of one memory, and may be what a task needs."""

    area: str
    text: str
    words: tuple[str, ...]
    """The distinct content words."""


@dataclass(frozen=True, slots=True)
class CorpusTask:
    """A question and the one passage that answers it. The passage is the ground truth, which the agents do not see."""

    query: str
    needed: CorpusPassage


@cache
def library() -> tuple[CorpusPassage, ...]:
    """Return all passages with distinct texts. Raise `TextsMissing` if Python has no language reference."""
    known = topics()
    found: dict[str, CorpusPassage] = {}
    for area, names in AREAS.items():
        for sentence in (passage for name in names if name in known for passage in passages("", known[name])):
            words = tuple(dict(candidates(sentence.text)).values())
            fits = (
                sentence.fitness >= SELF_CONTAINED
                and len(sentence.text) <= MAX_PASSAGE_LENGTH
                and len(words) >= FEWEST_WORDS
            )
            if fits and sentence.text not in found:
                found[sentence.text] = CorpusPassage(area, sentence.text, words)
    return tuple(found.values())


def memories(chance: random.Random, number: int) -> tuple[CorpusPassage, ...]:
    """Return `number` random passages, in equal parts from all areas unless an area has too few."""
    by_area = [chance.sample(area_texts, len(area_texts)) for area_texts in (_of_area(area) for area in AREAS)]
    longest = max(map(len, by_area))
    mixed = (area[index] for index in range(longest) for area in by_area if index < len(area))
    return tuple(islice(mixed, number))


def task_needing(chance: random.Random, needed: CorpusPassage) -> CorpusTask:
    """Return a task that needs the passage. Its query has random words of the passage and of another one, in random
    order.
    """
    other = chance.choice(_of_area(needed.area))
    words = [*chance.sample(needed.words, SHARED_WORDS), *chance.sample(other.words, OTHER_WORDS)]
    return CorpusTask(" ".join(chance.sample(words, len(words))), needed)


def stream(
    chance: random.Random, needs: Sequence[CorpusPassage], tasks: int, condition: Condition
) -> Iterator[CorpusTask]:
    """Yield `tasks` tasks whose needed passages are drawn from `needs`.

    With "recurring", the passages are drawn by Zipf's law (the nth with weight 1/n). With "one-off", each is needed at
    most once, in random order; raises ValueError if there are fewer `needs` than tasks.
    """
    if condition == "recurring":
        weights = [1 / rank for rank in range(1, len(needs) + 1)]
        drawn = chance.choices(needs, weights, k=tasks)
    else:
        drawn = chance.sample(needs, tasks)
    return (task_needing(chance, corpus_passage) for corpus_passage in drawn)


@cache
def _of_area(area: str) -> tuple[CorpusPassage, ...]:
    return tuple(passage for passage in library() if passage.area == area)
