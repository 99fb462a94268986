"""The parts of a question that the passages found so far leave open."""

import re
from collections.abc import Callable
from typing import Final

from nemuri_domain.language.tokenization import content_terms, terms, topic_weight
from nemuri_domain.retrieval.inverted_index import InvertedIndex

MOST_PARTS: Final = 4
"""Maximum number of open parts of a request that are searched."""
RARE_SHARE: Final = 0.1
"""A word is telling if at most this share of all units has it."""

_CLAUSE = re.compile(
    r"[。．！？!?;；、，,]+\s*|\.\s+|\s+(?:and|or|but|as well as|compared with|versus|vs\.?)\s+"
    r"|(?:および|または|ならびに)"
)


def open_parts(request: str, seen: str, postings: InvertedIndex) -> tuple[str, ...]:
    """Return the parts of a request that the text `seen` leaves open, at most `MOST_PARTS`.

    A part is a clause of the request. It is open if it has a telling word that occurs in the documents, but not in
    `seen`. What is returned of it are these words alone, so that the words already found do not lead to the same
    passages again.
    """
    known = frozenset(terms(seen))
    most = max(1, RARE_SHARE * len(postings))

    def missing(term: str) -> bool:
        return term not in known and topic_weight(term) >= 1 and 0 < postings.holding(term) <= most

    parts = (" ".join(_left(word, missing) for word in clause.split()) for clause in _CLAUSE.split(request))
    return tuple(dict.fromkeys(" ".join(part.split()) for part in parts if part.strip()))[:MOST_PARTS]


def _left(word: str, missing: Callable[[str], bool]) -> str:
    """Return the word if all its terms are missing, otherwise its missing terms."""
    found = content_terms(word)
    left = [term for term in terms(word) if term in found and missing(term)]
    return word if found and len({*left}) == len(found) else " ".join(dict.fromkeys(left))
