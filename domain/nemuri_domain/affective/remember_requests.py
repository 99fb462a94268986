"""Detection of requests to remember, and of references to earlier turns, in a prompt.

It implements three sections of document 001: exclusion (a prompt that asks not to be remembered), protected memories
(a request to remember), and types of relations (a reference to an earlier turn).
"""

import re
import unicodedata
from functools import cache
from typing import Final

from nemuri_contracts.affective import LinkSort
from nemuri_domain.affective.spoken_text import own_words
from nemuri_domain.language.word_files import WordFile

_HEARD: Final = 8_000
"""Maximum characters of the user's own words that are searched."""
_QUOTED = re.compile(
    r"「[^「」]{0,200}」(?=と|って)|『[^『』]{0,200}』(?=と|って|を|は)|\"[^\"]{0,200}\"|“[^“”]{0,200}”"
)
"""Quotations inside a sentence. A prompt that is in brackets as a whole is not a quotation."""

_TAG_QUESTION = re.compile(r", *(?:ok|okay|alright|right|please|will you|yes)\?$")

_WORDS: Final = WordFile("affective/remember")
_RELATIONS: Final[tuple[LinkSort, ...]] = ("contradicts", "derived_from", "continues", "references")
"""Relations to earlier turns that words express, most specific first."""


def asks_to_remember(prompt: str) -> bool:
    """Return True if the user asks that the turn be remembered, in Japanese or English.

    These do not count: a question whether something is remembered, a statement that somebody remembers something, and a
    request not to remember.
    """
    text = _said(prompt)
    return _WORDS.pattern("remember", "japanese").search(text) is not None or any(
        not match["rest"].endswith("?") or match["asks"] is not None or _TAG_QUESTION.search(match["rest"])
        for match in _request().finditer(text)
    )


def relation_in(prompt: str) -> LinkSort | None:
    """Return the relation to an earlier turn that the words of a prompt express; None if they express none.

    If they express several, the most specific one is returned, in this order: contradicts, derived_from, continues,
    references.
    """
    text = _said(prompt)
    return next((relation for relation in _RELATIONS if _relation(relation).search(text)), None)


@cache
def _request() -> re.Pattern[str]:
    beginning, asked = _WORDS.alternatives("beginning"), _WORDS.alternatives("remember", "english")
    return re.compile(rf"(?:{beginning})(?:{asked})(?P<rest>[^.!?\n]{{0,300}}\??)")


@cache
def _relation(sort: LinkSort) -> re.Pattern[str]:
    english, japanese = _WORDS.alternatives(sort, "english"), _WORDS.alternatives(sort, "japanese")
    return re.compile(f"{japanese}|(?<![a-z0-9_'])(?:{english})")


def _said(prompt: str) -> str:
    """Return the user's own words without quotations, in NFKC and case-folded."""
    plain = unicodedata.normalize("NFKC", own_words(prompt)[:_HEARD]).replace("’", "'").casefold()
    return _QUOTED.sub(" ", plain)
