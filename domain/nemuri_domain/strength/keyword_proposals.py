"""Proposals for the keywords of an agent's perspectives, from the words of its memories (document 003 §4.7)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from nemuri_contracts.agents import MAX_KEYWORDS, Definition, Perspective
from nemuri_contracts.memory_views import ProposedKeyword
from nemuri_domain.language.keywords import candidates, tags_in

FEWEST: Final = 2
"""Minimum number of memories that have a proposed keyword. So no word of a single memory becomes a keyword."""
MOST: Final = 8
"""Maximum number of keywords proposed for a perspective."""
COMMON: Final = 0.5
"""Share of an agent's memories from which a word is too common to be a keyword. It applies from `FEW` memories on."""
FEW: Final = 8


@dataclass(frozen=True, slots=True)
class SampledMemory:
    """The part of a memory that proposals read."""

    content: str
    learnings: Mapping[str, str]
    """The learnings of the memory, by perspective."""


def proposed_keywords(
    definition: Definition, memories: Sequence[SampledMemory]
) -> dict[str, tuple[ProposedKeyword, ...]]:
    """Return keywords for each perspective of a definition, best first; perspectives without any are left out.

    A memory belongs to the perspectives under which it teaches something, or else to those whose name or keywords it
    has. If no memory belongs to the only perspective of an agent, all do. A word is proposed for the perspective in
    whose memories it is most telling: the number of these memories with the word × the logarithm of how much more
    frequent the word is among them than among the others. The words of the definition are left out.
    """
    texts = [_words("\n".join((memory.content, *memory.learnings.values()))) for memory in memories]
    groups = _groups(definition, memories)
    everywhere = Counter(key for words in texts for key in words)
    surfaces = _surfaces(texts)
    known = {
        key
        for perspective in definition.perspectives
        for text in (perspective.name, *perspective.keywords)
        for key in _words(text)
    }
    best: dict[str, tuple[float, str, int]] = {}
    for name, places in groups.items():
        for key, number in Counter(key for index in places for key in texts[index]).items():
            told = _telling(number, len(places), everywhere[key] - number, len(texts) - len(places))
            is_common = len(texts) >= FEW and everywhere[key] > COMMON * len(texts)
            if number >= FEWEST and told > 0 and key not in known and not is_common:
                best[key] = max(best.get(key, (0.0, "", 0)), (told, name, number))
    found: defaultdict[str, list[ProposedKeyword]] = defaultdict(list)
    room = {
        perspective.name: min(MOST, MAX_KEYWORDS - len(perspective.keywords)) for perspective in definition.perspectives
    }
    for key, (_, name, number) in sorted(best.items(), key=lambda pair: (-pair[1][0], pair[0])):
        if len(found[name]) < room[name]:
            found[name].append(ProposedKeyword(keyword=surfaces[key], memories=number))
    return {name: tuple(words) for name, words in found.items() if words}


def with_keywords(definition: Definition, added: Mapping[str, Iterable[str]]) -> Definition:
    """Return the definition with these keywords added to its perspectives, each once and as many as there is room."""

    def extended(each: Perspective) -> Perspective:
        words = tuple(dict.fromkeys((*each.keywords, *added.get(each.name, ()))))
        return each.model_copy(update={"keywords": words[:MAX_KEYWORDS]})

    return definition.model_copy(update={"perspectives": tuple(map(extended, definition.perspectives))})


def _groups(definition: Definition, memories: Sequence[SampledMemory]) -> dict[str, list[int]]:
    """Return the positions of the memories that belong to each perspective."""
    names = {perspective.name: (perspective.name, *perspective.keywords) for perspective in definition.perspectives}
    found: dict[str, list[int]] = {name: [] for name in names}
    for index, memory in enumerate(memories):
        taught = [name for name in names if name in memory.learnings]
        for name in taught or (name for name, words in names.items() if tags_in(words, memory.content)):
            found[name].append(index)
    if len(found) == 1 and not any(found.values()):
        return {name: list(range(len(memories))) for name in found}
    return found


def _telling(here: int, of: int, others: int, of_others: int) -> float:
    """Return how much a word tells about the memories of a perspective; positive if it is more frequent in them."""
    if not of_others:
        return float(here)
    return here * log(((here + 0.5) / (of + 1)) / ((others + 0.5) / (of_others + 1)))


def _words(text: str) -> dict[str, str]:
    """Return the possible keywords of a text, each key with the form in which it occurs first."""
    found: dict[str, str] = {}
    for key, surface in candidates(text):
        found.setdefault(key, surface)
    return found


def _surfaces(texts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Return the most frequent form of each key; a form in small letters if two are equally frequent."""
    forms: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for words in texts:
        for key, surface in words.items():
            forms[key][surface] += 1
    return {
        key: min(counts, key=lambda form: (-counts[form], form != form.lower(), form)) for key, counts in forms.items()
    }
