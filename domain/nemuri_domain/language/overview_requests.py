"""Recognition of requests about documents as a whole, and of requests that say nothing about a subject."""

import re
from functools import cache
from typing import Final, get_args

import numpy as np

from nemuri_contracts.tasks import OverviewKind
from nemuri_domain.language.relevance import alignments
from nemuri_domain.language.request_items import read_listing, requests
from nemuri_domain.language.request_sentences import asks_for_something
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.tokenization import content_terms, terms, topic_weight
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.word_table import Words, word_table

_KINDS: Final[tuple[OverviewKind, ...]] = get_args(OverviewKind)
_REQUESTS: Final = WordFile("language/overviews", re.IGNORECASE)
COVERED: Final = 0.45
"""Nearness of a request's words to those of the examples, 0 to 1, from which on it says nothing about a subject."""
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
        kinds = [kind for request in asked if (kind := _kind(request)) is not None]
        return introduced or (kinds[0] if 2 * len(kinds) >= len(asked) else None)
    said = sentences(text)
    said = [sentence for sentence in said if asks_for_something(sentence)] or said
    kinds = [kind for sentence in said if (kind := _kind(sentence)) is not None]
    return kinds[0] if kinds and 2 * len(kinds) >= len(asked) else None


def subject_terms(text: str) -> frozenset[str]:
    """Return the terms of a request that name its subject, without the words of requests and of documents.

    Empty if the request is about the documents themselves ("summarise this report").
    """
    found = content_terms(_REQUESTS.pattern("no subject", "japanese").sub(" ", text)) - _formal_terms()
    return frozenset(term for term in found if topic_weight(term) == 1)


def about_material(request: str) -> bool:
    """Return True if a request says only what to do with documents, and nothing about a subject, also if reworded.

    English and Japanese.
    """
    asked = word_table().words(request)
    if not subject_terms(request) or not len(asked):
        return True
    return float(alignments(word_table(), [asked], [_words_of_examples()])[0, 0]) >= COVERED


@cache
def _words_of_examples() -> Words:
    return np.concatenate([word_table().words(line) for line in _REQUESTS.lines("examples")])


@cache
def _formal_terms() -> frozenset[str]:
    return frozenset(term for word in _REQUESTS.words("no subject", "english") for term in terms(word))


def _first_kind(said: list[str]) -> OverviewKind | None:
    return next((kind for sentence in said if (kind := _kind(sentence)) is not None), None)


def _kind(sentence: str) -> OverviewKind | None:
    text = sentence.strip()
    if len(text) > _LONGEST or _names_a_part(text):
        return None
    asking = _REQUESTS.pattern("asking").match(text) is not None
    for kind in _KINDS:
        if _REQUESTS.pattern(f"{kind} questions").search(text):
            return kind
        if not asking and _REQUESTS.pattern(f"{kind} orders").search(text):
            return kind
    return None


def _names_a_part(text: str) -> bool:
    """Return True if the sentence is about one part of a document, such as a chapter or a page."""
    return _REQUESTS.pattern("one part").search(_REQUESTS.pattern("all parts").sub(" ", text)) is not None
