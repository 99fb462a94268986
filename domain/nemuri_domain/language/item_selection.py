"""Selection of items from a long list: the most representative ones, categories and batches (document 000 §3.9)."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from nemuri_domain.language.keywords import candidates
from nemuri_domain.language.tokenization import term_counts
from nemuri_domain.language.writing_systems import is_cjk

T = TypeVar("T")

_MIN_SHARED: Final = 2
"""Minimum number of items that share the word of a category."""


@dataclass(frozen=True, slots=True)
class Category:
    """Items that share a word."""

    title: str
    """The shared word as the items spell it; "other" or "その他" for the items that share no word."""
    indices: tuple[int, ...]
    """Ascending indexes of the items."""


def most_representative(items: Sequence[str], k: int) -> tuple[int, ...]:
    """Return the indexes of the `k` most representative items in the order of choice, or of all items if there are
    fewer. Deterministic.

    The centrality of an item is its cosine to the sum of the other items, over weighted terms. The items are chosen one
    by one: the next item is the one whose centrality most exceeds its similarity to the items already chosen (maximal
    marginal relevance).
    """
    vectors = _vectors(items)
    holders: dict[str, list[int]] = {}
    for index, vector in enumerate(vectors):
        for term in vector:
            holders.setdefault(term, []).append(index)
    total = {term: sum(vectors[index][term] for index in held) for term, held in holders.items()}
    central = [sum(weight * (total[term] - weight) for term, weight in vector.items()) for vector in vectors]
    most = max(central, default=0.0) or 1.0
    likeness = [0.0] * len(items)
    left = dict.fromkeys(range(len(items)))
    chosen: list[int] = []
    while left and len(chosen) < k:
        best = max(left, key=lambda i: (central[i] / most - likeness[i], -likeness[i], -i))
        del left[best]
        chosen.append(best)
        for other, alike in _likenesses(vectors, holders, best).items():
            likeness[other] = max(likeness[other], alike)
    return tuple(chosen)


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


def batches(items: Sequence[T], size: int) -> tuple[tuple[T, ...], ...]:
    """Return the items in order, in groups of `size`. The last group may be smaller. Raises ValueError if `size` is
    below 1.
    """
    if size < 1:
        raise ValueError(f"size must be at least 1, not {size}")
    return tuple(tuple(items[at : at + size]) for at in range(0, len(items), size))


def _vectors(items: Sequence[str]) -> list[dict[str, float]]:
    """Return the unit vector of each item's terms, weighted by their rarity among the items."""
    counted = [term_counts(item) for item in items]
    spread = Counter(term for counts in counted for term in counts)
    vectors = []
    for counts in counted:
        weights = {term: math.log(1 + len(items) / spread[term]) for term in counts}
        length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        vectors.append({term: weight / length for term, weight in weights.items()})
    return vectors


def _likenesses(vectors: list[dict[str, float]], holders: dict[str, list[int]], index: int) -> dict[int, float]:
    """Return the cosine of one vector with each vector that shares a term with it."""
    alike: dict[int, float] = {}
    for term, weight in vectors[index].items():
        for other in holders[term]:
            alike[other] = alike.get(other, 0.0) + weight * vectors[other][term]
    return alike


def _other(items: Sequence[str]) -> str:
    japanese = sum(any(map(is_cjk, item)) for item in items)
    return "その他" if 2 * japanese > len(items) else "other"
