"""The text that the agents of the experiments remember, and the tasks that need it."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Final, Literal

from nemuri.demo.texts import topics
from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.passage_ranking import passages

Condition = Literal["recurring", "one-off"]
"""Whether needs come again, worded otherwise, or each of them once."""

AREAS: Final[dict[str, tuple[str, ...]]] = {
    "values": ("objects", "types", "specialnames", "typesmapping", "typesseq", "numeric-types", "comparisons"),
    "flow": ("compound", "execmodel", "exceptions", "import", "raise", "assignment", "calls", "async", "debugger"),
    "text": ("strings", "string-methods", "formatstrings", "identifiers", "floating", "integers"),
}
"""Areas of the Python language reference by their topics; each area is a perspective of the agents."""
KEYWORDS: Final[dict[str, tuple[str, ...]]] = {
    "values": ("object", "attribute", "type"),
    "flow": ("statement", "exception", "scope"),
    "text": ("string", "format", "character"),
}

TELLING_WORDS: Final = 2
"""Content words that a question has of the passage that it needs, drawn anew every time: so it is worded otherwise."""
OTHER_WORDS: Final = 2
"""Content words that it has of some other passage of the same area: people do not ask in the words of the answer."""
FEWEST_WORDS: Final = 8
LONGEST: Final = 400
"""Characters of a passage."""
STANDS_ALONE: Final = 0.7
"""The least fitness of a sentence that is taken: code and fragments are left out."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of the language reference: one memory, and one thing that can be needed."""

    area: str
    text: str
    words: tuple[str, ...]
    """Its content words, each once."""


@dataclass(frozen=True, slots=True)
class Task:
    """Something asked, and the one passage that answers it: the truth that no agent sees."""

    query: str
    needed: Passage


@cache
def library() -> tuple[Passage, ...]:
    """Every passage, no two with the same text; raises `TextsMissing` when Python came without its reference."""
    known = topics()
    found: dict[str, Passage] = {}
    for area, names in AREAS.items():
        for sentence in (each for name in names if name in known for each in passages("", known[name])):
            words = tuple(dict(candidates(sentence.text)).values())
            fits = sentence.fitness >= STANDS_ALONE and len(sentence.text) <= LONGEST and len(words) >= FEWEST_WORDS
            if fits and sentence.text not in found:
                found[sentence.text] = Passage(area, sentence.text, words)
    return tuple(found.values())


def memories(chance: random.Random, number: int) -> tuple[Passage, ...]:
    """So many passages, drawn evenly from the areas as far as these have them."""
    by_area = [chance.sample(each, len(each)) for each in (_of_area(area) for area in AREAS)]
    longest = max(map(len, by_area))
    mixed = (area[place] for place in range(longest) for area in by_area if place < len(area))
    return tuple(islice(mixed, number))


def worded(chance: random.Random, needed: Passage) -> Task:
    """A task that needs the passage, in words drawn now and in any order."""
    other = chance.choice(_of_area(needed.area))
    words = [*chance.sample(needed.words, TELLING_WORDS), *chance.sample(other.words, OTHER_WORDS)]
    return Task(" ".join(chance.sample(words, len(words))), needed)


def stream(chance: random.Random, needs: Sequence[Passage], tasks: int, condition: Condition) -> Iterator[Task]:
    """So many tasks: recurring needs by Zipf's law (the nth need with weight 1/n), or each need once, in any order.

    Raises ValueError when there are fewer needs than tasks that need each of them once.
    """
    if condition == "recurring":
        weights = [1 / rank for rank in range(1, len(needs) + 1)]
        drawn = chance.choices(needs, weights, k=tasks)
    else:
        drawn = chance.sample(needs, tasks)
    return (worded(chance, each) for each in drawn)


@cache
def _of_area(area: str) -> tuple[Passage, ...]:
    return tuple(each for each in library() if each.area == area)
