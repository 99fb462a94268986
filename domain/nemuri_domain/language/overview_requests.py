"""Recognition of requests about documents as a whole: summaries, comparisons, lists of everything, counts."""

from functools import cache
from typing import Final

from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language.overview_patterns import (
    ASKING,
    ENGLISH,
    ENGLISH_DOCUMENT_WORDS,
    ENGLISH_IMPERATIVES,
    ENGLISH_PART,
    JAPANESE,
    JAPANESE_DOCUMENT_WORDS,
    JAPANESE_PART,
    WHOLE_PARTS,
)
from nemuri_domain.language.request_items import read_listing, requests
from nemuri_domain.language.request_sentences import asks_for_something
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.tokenization import content_terms, terms, topic_weight

_LONGEST: Final = 400
"""Maximum characters of a sentence that is examined. Longer ones are pasted material."""


def overview_kind(text: str) -> OverviewKind | None:
    """Return the kind of overview that the text of a task asks for; None if it asks for details.

    In a text with requests, other sentences do not count. A text with several requests asks for an overview if at least
    half of them do. The kind is that of the first one. A request about a named part ("summarise chapter 3",
    費用の節を要約して) asks for details. English and Japanese.
    """
    listing = read_listing(text)
    asked = requests(text)
    if len(asked) > 1 and listing.lines:
        introduced = _first_kind(sentences(listing.around))
        kinds = [kind for each in asked if (kind := _kind(each)) is not None]
        return introduced or (kinds[0] if 2 * len(kinds) >= len(asked) else None)
    said = sentences(text)
    said = [each for each in said if asks_for_something(each)] or said
    kinds = [kind for each in said if (kind := _kind(each)) is not None]
    return kinds[0] if kinds and 2 * len(kinds) >= len(asked) else None


def subject_terms(text: str) -> frozenset[str]:
    """Return the terms of a request that name its subject, without the words of requests and of documents.

    Empty if the request is about the documents themselves ("summarise this report").
    """
    found = content_terms(JAPANESE_DOCUMENT_WORDS.sub(" ", text)) - _formal_terms()
    return frozenset(term for term in found if topic_weight(term) == 1)


@cache
def _formal_terms() -> frozenset[str]:
    return frozenset(term for word in ENGLISH_DOCUMENT_WORDS for term in terms(word))


def _first_kind(said: list[str]) -> OverviewKind | None:
    return next((kind for each in said if (kind := _kind(each)) is not None), None)


def _kind(sentence: str) -> OverviewKind | None:
    text = sentence.strip()
    if len(text) > _LONGEST or _names_a_part(text):
        return None
    for kind, pattern in JAPANESE.items():
        if pattern.search(text):
            return kind
    asking = ASKING.match(text) is not None
    for kind, pattern in ENGLISH.items():
        if pattern.search(text) or (not asking and ENGLISH_IMPERATIVES[kind].search(text)):
            return kind
    return None


def _names_a_part(text: str) -> bool:
    """Return True if the sentence is about one part of a document, such as a chapter or a page."""
    rest = WHOLE_PARTS.sub(" ", text)
    return bool(ENGLISH_PART.search(rest) or JAPANESE_PART.search(rest))
