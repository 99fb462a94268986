"""Comparison of a text with the words of a memory, to detect uses that were not recorded."""

from collections.abc import Iterable

from nemuri_domain.language.tokenization import terms

LONGEST_QUOTED = 12
"""Minimum number of characters of a text that counts as a quotation when another text contains it."""


def quotes(text: str, memory: str, given: Iterable[str]) -> bool:
    """Return True if a text has a word of the memory that is in none of the `given` texts, the author's other
    inputs.
    """
    own = set(terms(memory)).difference(*map(terms, given))
    return not own.isdisjoint(terms(text))


def contains_memory(text: str, memory: str) -> bool:
    """Return True if a text equals the memory's text or contains it, ignoring spaces and case.

    A memory's text with fewer than `LONGEST_QUOTED` characters must be equal.
    """
    whole, part = (" ".join(each.casefold().split()) for each in (text, memory))
    return whole == part or (len(part) >= LONGEST_QUOTED and part in whole)
