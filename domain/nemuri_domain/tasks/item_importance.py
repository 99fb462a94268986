"""Importance of items by their words: urgency and consequence before centrality, each with its reason (document 000
§3.9).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.word_table import word_table
from nemuri_domain.language.writing_systems import is_cjk

_WORDS: Final = WordFile("language/importance", re.IGNORECASE)
CALM: Final = 4
"""Amount by which words of ease lower the weight of an item."""


@dataclass(frozen=True, slots=True)
class Importance:
    """An important item."""

    index: int
    """Index of the item, from 0."""
    reason: str
    """Reason why it is important, in one line, in the item's language."""


def most_important(items: Sequence[str], k: int) -> tuple[Importance, ...]:
    """Return the `k` most important items, most important first, or all items if there are fewer. Deterministic.

    Items with words of urgency (failures, deadlines, danger) and of consequence (production, customers, law) come
    first, by the sum of the weights of these kinds of words. A word that is negated does not count, and words of ease
    ("no hurry") lower the sum. The rest are the items that represent most others.
    """
    said = [_cues(item) for item in items]
    urgent = sorted((at for at, (weight, _) in enumerate(said) if weight > 0), key=lambda at: (-said[at][0], at))[:k]
    calm = {at for at, (weight, _) in enumerate(said) if weight < 0}
    central = [at for at in most_representative(items, len(items)) if at not in urgent] if len(urgent) < k else []
    rest = sorted(central, key=lambda at: at in calm)[: k - len(urgent)]
    return (
        *(Importance(at, _reason(items[at], said[at][1])) for at in urgent),
        *(Importance(at, _reason(items[at], ())) for at in rest),
    )


def most_representative(items: Sequence[str], k: int) -> tuple[int, ...]:
    """Return the indexes of the `k` items that stand for most others, in the order of choice, or of all items if there
    are fewer. Deterministic.

    The centrality of an item is its cosine with the sum of the other items. The next item is the one whose centrality
    most exceeds its likeness to the items already chosen (maximal marginal relevance).
    """
    table = word_table()
    vectors = table.vectors([table.words(item) for item in items])
    central = np.round(vectors @ vectors.sum(axis=0) - (vectors * vectors).sum(axis=1), 4)
    gain = central / (max(central.max(initial=0.0), 0.0) or 1.0)
    likeness = np.zeros(len(items))
    chosen: list[int] = []
    while len(chosen) < min(k, len(items)):
        best = int(np.argmax(gain - likeness))
        chosen.append(best)
        likeness = np.maximum(likeness, np.round(vectors @ vectors[best], 4))
        gain[best] = -np.inf
    return tuple(chosen)


def _cues(item: str) -> tuple[float, tuple[str, ...]]:
    """Return the weight of an item's words of urgency and consequence, and these words, most telling kind first."""
    weight, words = 0.0, list[str]()
    for section, worth in _kinds().items():
        found = next((match for match in _WORDS.whole_words(section).finditer(item) if not _denied(item, match)), None)
        if found:
            weight += worth
            words.append(found.group())
    calm = _WORDS.whole_words("calm").search(item) is not None
    return weight - CALM * calm, tuple(words)


@cache
def _kinds() -> dict[str, float]:
    """Return the sections of words of urgency and consequence with their weights. A kind counts once for an item."""
    return {section: float(section.split(" | ")[0]) for section in _WORDS.sections() if " | " in section}


@cache
def _denial_before() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_WORDS.alternatives('denied', 'english')})\s+(?:\w+\s+)?$", re.IGNORECASE)


@cache
def _denial_behind() -> re.Pattern[str]:
    return re.compile(f"[はがもで]?(?:{_WORDS.alternatives('denied', 'japanese')})")


def _denied(item: str, match: re.Match[str]) -> bool:
    return bool(_denial_before().search(item, 0, match.start()) or _denial_behind().match(item, match.end()))


def _reason(item: str, words: Sequence[str]) -> str:
    japanese = any(map(is_cjk, item))
    if words:
        named = "、".join(words) if japanese else ", ".join(words)
        return f"緊急または影響が大きい（{named}）" if japanese else f"urgent or of consequence ({named})"
    return "多くの項目に共通する内容" if japanese else "represents many of the items"
