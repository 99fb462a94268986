"""Division of a long list of items into categories (document 000 §3.9)."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.writing_systems import is_cjk

_MIN_SHARED: Final = 2
"""Minimum number of items that share the word of a category."""


@dataclass(frozen=True, slots=True)
class Category:
    """Items that share a word."""

    title: str
    """The shared word as the items spell it; "other" or "その他" for the items that share no word."""
    indices: tuple[int, ...]
    """Ascending indexes of the items."""


def categories(items: Sequence[str], limit: int) -> tuple[Category, ...]:
    """Return the items in at most `limit` groups, each item in exactly one group. Large groups come first.

    Step by step, the word that most of the ungrouped items share makes a group of these items. A word that nearly all
    items share has a low weight. The last group takes the items that are left. Raises ValueError if `limit` is below 1.
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    words = [dict(candidates(item)) for item in items]
    spread = Counter(key for keys in words for key in keys)
    open_items = dict.fromkeys(range(len(items)))
    found: list[Category] = []
    while open_items and len(found) < limit - 1:
        count = Counter(key for index in open_items for key in words[index])
        shared = [key for key, n in count.items() if n >= _MIN_SHARED]
        if not shared:
            break
        key = max(shared, key=lambda word: count[word] * math.log((1 + len(items)) / spread[word]))
        members = tuple(index for index in open_items if key in words[index])
        found.append(Category(Counter(words[index][key] for index in members).most_common(1)[0][0], members))
        for index in members:
            del open_items[index]
    if open_items:
        found.append(Category(_other(items), tuple(open_items)))
    return tuple(found)


def _other(items: Sequence[str]) -> str:
    japanese = sum(any(map(is_cjk, item)) for item in items)
    return "その他" if 2 * japanese > len(items) else "other"
