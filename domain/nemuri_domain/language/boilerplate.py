"""Detection of texts without content: texts without words, and texts of set phrases only."""

import re
import unicodedata
from typing import Final

from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.word_files import WordFile

WORDLESS: Final = "it has no words"
SET_PHRASE: Final = "it says nothing but set phrases"

_WORDS: Final = WordFile("language/set_phrases")
_SPLIT = re.compile(r"[,、，;；]|\band\b|\bbut\b|[-–—:：]\s")
_EDGES: Final = " \t.,;:!?…。、，！？：；\"'“”‘’「」『』()（）[]*-–—~〜"
_MAX_PHRASE_CHARACTERS: Final = 300
"""Maximum characters of a sentence that may be a set phrase."""


def boilerplate_reason(text: str) -> str | None:
    """Return the reason why a text is not worth keeping; None if it is.

    A text is not worth keeping if it has no letter or digit, or if every sentence is a set phrase in English or
    Japanese.
    """
    if is_wordless(text):
        return WORDLESS
    told = [
        sentence
        for sentence in sentences(unicodedata.normalize("NFKC", text).replace("’", "'"))
        if not is_wordless(sentence)
    ]
    return SET_PHRASE if all(map(_is_phrase, told)) else None


def is_wordless(text: str) -> bool:
    """Return True if the text has neither a letter nor a digit."""
    return not any(character.isalnum() for character in text)


def _is_phrase(sentence: str) -> bool:
    folded = " ".join(sentence.casefold().split()).strip(_EDGES)
    if len(folded) > _MAX_PHRASE_CHARACTERS:
        return False
    if _WORDS.pattern("phrase").fullmatch(folded):
        return True
    parts = [part for piece in _SPLIT.split(folded) if (part := piece.strip(_EDGES))]
    return len(parts) > 1 and all(_WORDS.pattern("phrase").fullmatch(part) for part in parts)
