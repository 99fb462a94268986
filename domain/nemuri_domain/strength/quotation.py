"""Whether a text came from a memory: what nobody recorded is judged by the words."""

from collections.abc import Iterable

from nemuri_domain.language.search_terms import terms

LONGEST_QUOTED = 12
"""Characters from which on a text that stands in another one is a quotation, and no accident."""


def quotes(text: str, memory: str, given: Iterable[str]) -> bool:
    """Whether a text has a word of the memory that nothing else had which was given to who wrote it."""
    own = set(terms(memory)).difference(*map(terms, given))
    return not own.isdisjoint(terms(text))


def says_the_same(text: str, memory: str) -> bool:
    """Whether a text is the memory's, or has the whole of it in it; spaces and case aside."""
    whole, part = (" ".join(each.casefold().split()) for each in (text, memory))
    return whole == part or (len(part) >= LONGEST_QUOTED and part in whole)
