"""Comparison of a text with a memory's words, for uses that were not recorded."""

from collections.abc import Iterable

from nemuri_domain.language.search_terms import terms

LONGEST_QUOTED = 12
"""Minimum number of characters for a contained text to count as a quotation."""


def quotes(text: str, memory: str, given: Iterable[str]) -> bool:
    """Return True if a text has a word of the memory that none of the author's other inputs had."""
    own = set(terms(memory)).difference(*map(terms, given))
    return not own.isdisjoint(terms(text))


def contains_memory(text: str, memory: str) -> bool:
    """Return True if a text equals or contains the memory's text, ignoring spaces and case."""
    whole, part = (" ".join(each.casefold().split()) for each in (text, memory))
    return whole == part or (len(part) >= LONGEST_QUOTED and part in whole)
