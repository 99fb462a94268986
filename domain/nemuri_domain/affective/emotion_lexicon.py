"""The whole lexicon of emotions, and the search for its words in a text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from typing import Final

from nemuri_domain.affective.emotion_burdens import EMOTION_BURDENS
from nemuri_domain.affective.emotion_exclamations import EMOTION_EXCLAMATIONS
from nemuri_domain.affective.emotion_idioms import EMOTION_IDIOMS
from nemuri_domain.affective.emotion_judgements import EMOTION_JUDGEMENTS
from nemuri_domain.affective.emotion_patterns import KNOWN_TAGS, EmotionPattern, first_letters
from nemuri_domain.affective.emotion_sarcasm import EMOTION_SARCASM
from nemuri_domain.affective.emotion_situations import EMOTION_SITUATIONS
from nemuri_domain.affective.emotion_words import EMOTION_WORDS

EMOTION_PATTERNS: Final = (
    *EMOTION_WORDS, *EMOTION_IDIOMS, *EMOTION_EXCLAMATIONS, *EMOTION_SITUATIONS, *EMOTION_BURDENS, *EMOTION_JUDGEMENTS,
    *EMOTION_SARCASM,
)  # fmt: skip
TAG_ORDER: Final = {tag: place for place, tag in enumerate(KNOWN_TAGS)}
"""Position of each tag in the vocabulary of document 001, from 0."""

_LATIN: Final = re.compile(r"[a-z]|[:;=/<]")


@dataclass(frozen=True, slots=True)
class FoundWords:
    """Words in a text that express an emotion."""

    feeling: EmotionPattern
    start: int
    end: int


def words_of_emotion(text: str) -> Iterator[FoundWords]:
    """Yield the words of emotions in a text in NFKC and case-folded, emotion by emotion; they may overlap."""
    starts = [match.start() for match in _english_starts().finditer(text)] if _LATIN.search(text) else []
    japanese = not text.isascii()
    for feeling in EMOTION_PATTERNS:
        if japanese:
            for said in feeling.japanese.finditer(text):
                yield FoundWords(feeling, *said.span())
        for start in starts:
            if found := feeling.english.match(text, start):
                yield FoundWords(feeling, *found.span())


@cache
def _english_starts() -> re.Pattern[str]:
    """Return the places where an English word of any emotion begins. One search for all is faster than one for each."""
    return first_letters(EMOTION_PATTERNS)


def without_parts(words: Iterable[FoundWords]) -> list[FoundWords]:
    """Return the words that are no part of longer ones with the opposite sign, as "bad" is a part of "not bad"."""
    kept: list[FoundWords] = []
    reach = {-1: 0, 0: 0, 1: 0}
    for (_, end), same in groupby(sorted(words, key=_place), key=_place):
        alike = list(same)
        kept += [each for each in alike if not each.feeling.sign or -end > reach[-each.feeling.sign]]
        for each in alike:
            reach[each.feeling.sign] = max(reach[each.feeling.sign], each.end)
    return kept


def _place(words: FoundWords) -> tuple[int, int]:
    """Return the sort key that puts longer words before shorter ones that begin at the same place."""
    return words.start, -words.end


def expresses_emotion(text: str) -> bool:
    """Return True if a text, in NFKC and case-folded, has words of an emotion."""
    return next(words_of_emotion(text), None) is not None
