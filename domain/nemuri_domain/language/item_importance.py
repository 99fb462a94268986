"""Importance of items by their words: urgency and consequence before centrality, each with its reason (document 000
§3.9).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.importance_words import CALM, CUES
from nemuri_domain.language.item_selection import most_representative
from nemuri_domain.language.writing_systems import is_cjk

_DENIED_BEFORE: Final = re.compile(
    r"(?:\b(?:no|not|never|without|nor|isn['’]t|hasn['’]t|didn['’]t|doesn['’]t|won['’]t)\s+(?:\w+\s+)?)$", re.IGNORECASE
)
_DENIED_AFTER: Final = re.compile(
    r"(?:は|が|も|で)?(?:なし|ない|なく|無し|ありません|ございません|しません|していない|していません|ではな)"
)


@dataclass(frozen=True, slots=True)
class _Cue:
    """A kind of words that tells the importance of an item."""

    weight: float
    """Weight of the kind. It counts once for an item. Figures of our own, tuned on `bench/items.py`, tuning half."""
    words: re.Pattern[str]


def _cue(weight: float, english: str, japanese: str) -> _Cue:
    return _Cue(weight, re.compile(rf"\b(?:{english})\b|{japanese}", re.IGNORECASE))


_CUES: Final = tuple(_cue(*each) for each in CUES)
_CALM: Final = _cue(*CALM)


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


def _cues(item: str) -> tuple[float, tuple[str, ...]]:
    """Return the weight of an item's words of urgency and consequence, and these words, most telling kind first."""
    weight, words = 0.0, list[str]()
    for cue in _CUES:
        found = next((match for match in cue.words.finditer(item) if not _denied(item, match)), None)
        if found:
            weight += cue.weight
            words.append(found.group())
    calm = _CALM.words.search(item)
    return weight + (_CALM.weight if calm else 0.0), tuple(words)


def _denied(item: str, match: re.Match[str]) -> bool:
    return bool(_DENIED_BEFORE.search(item, 0, match.start()) or _DENIED_AFTER.match(item, match.end()))


def _reason(item: str, words: Sequence[str]) -> str:
    japanese = any(map(is_cjk, item))
    if words:
        named = "、".join(words) if japanese else ", ".join(words)
        return f"緊急または影響が大きい（{named}）" if japanese else f"urgent or of consequence ({named})"
    return "多くの項目に共通する内容" if japanese else "represents many of the items"
