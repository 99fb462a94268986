"""The lexicon of emotions, `data/emotions.txt`, and the search for its words in a text.

Patterns are compiled when a text is read for the first time, because every process of the platform imports the lexicon.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from typing import Final, Literal

from nemuri_contracts.affective import Tag
from nemuri_domain.language.word_files import WordFile

_LEXICON: Final = WordFile("affective/emotions")
_CALM: Final = WordFile("affective/calm")
_TAGS: Final[tuple[Tag, ...]] = (
    "joy", "satisfaction", "relief", "excitement", "gratitude", "pride", "hope", "love", "curiosity", "sadness",
    "anger", "frustration", "anxiety", "fear", "disgust", "regret", "loneliness", "guilt", "resignation", "nostalgia",
    "surprise", "confusion", "determination",
)  # fmt: skip
TAG_ORDER: Final[dict[Tag, int]] = {tag: place for place, tag in enumerate(_TAGS)}
"""Position of each tag in the vocabulary of document 001, from 0."""

_BEFORE_WORD: Final = "(?<![a-z0-9_'])"
_BEHIND_WORD: Final = "(?![a-z0-9_])"
_NOTHING: Final = "(?!)"
_LATIN: Final = re.compile(r"[a-z]|[:;=/<]")


@dataclass(frozen=True, eq=False)
class EmotionPattern:
    """An emotion with the patterns of the words that express it."""

    tags: tuple[Tag, ...]
    sign: Literal[-1, 0, 1]
    strength: Literal[1, 2, 3]
    """Strength of the emotion: 1 weak, 2 normal, 3 strong."""
    arousal: int = 0
    """Amount that the emotion adds to the arousal of a text; may be negative."""
    section: str = ""
    """Section of the lexicon with its words. An emotion without one has no words."""

    @cached_property
    def japanese(self) -> re.Pattern[str]:
        """The words in Japanese, emoji and Japanese emoticons."""
        return _LEXICON.pattern(self.section, "japanese")

    @cached_property
    def english(self) -> re.Pattern[str]:
        """The words in English, which begin and end at the border of a word."""
        return re.compile(f"{_BEFORE_WORD}(?:{self.english_words}){_BEHIND_WORD}")

    @property
    def english_words(self) -> str:
        """The words in English as one expression without brackets."""
        return _LEXICON.alternatives(self.section, "english") or _NOTHING


@dataclass(frozen=True, slots=True)
class FoundWords:
    """Words in a text that express an emotion."""

    feeling: EmotionPattern
    start: int
    end: int


@cache
def emotion_patterns() -> tuple[EmotionPattern, ...]:
    """Return all emotions of the lexicon: the sections that are named by tags, valence, strength and arousal."""
    known = {str(tag): tag for tag in _TAGS}
    rows = [(section, *section.split(" | ")) for section in _LEXICON.sections() if section.count(" | ") == 3]
    return tuple(
        EmotionPattern(
            tuple(known[tag] for tag in tags.split() if tag != "-"),
            int(sign),  # type: ignore[arg-type]  # a test compares the lexicon with the ranges
            int(strength),  # type: ignore[arg-type]
            int(arousal),
            section,
        )
        for section, tags, sign, strength, arousal in rows
    )


def words_of_emotion(text: str) -> Iterator[FoundWords]:
    """Yield the words of emotions in a text in NFKC and case-folded, emotion by emotion; they may overlap."""
    starts = [match.start() for match in _english_starts().finditer(text)] if _LATIN.search(text) else []
    japanese = not text.isascii()
    for feeling in emotion_patterns():
        if japanese:
            for said in feeling.japanese.finditer(text):
                yield FoundWords(feeling, *said.span())
        for start in starts:
            if found := feeling.english.match(text, start):
                yield FoundWords(feeling, *found.span())


def without_calm_words(text: str) -> str:
    """Return the text without words that express no emotion of the user although they sound like one."""
    return _CALM.pattern("calm").sub(" ", text)


def without_parts(words: Iterable[FoundWords]) -> list[FoundWords]:
    """Return the words that are no part of longer ones with the opposite sign, as "bad" is a part of "not bad"."""
    kept: list[FoundWords] = []
    reach = {-1: 0, 0: 0, 1: 0}
    for (_, end), same in groupby(sorted(words, key=_place), key=_place):
        alike = list(same)
        kept += [cue for cue in alike if not cue.feeling.sign or -end > reach[-cue.feeling.sign]]
        for found_words in alike:
            reach[found_words.feeling.sign] = max(reach[found_words.feeling.sign], found_words.end)
    return kept


def expresses_emotion(text: str) -> bool:
    """Return True if a text, in NFKC and case-folded, has words of an emotion."""
    return next(words_of_emotion(text), None) is not None


def _place(words: FoundWords) -> tuple[int, int]:
    """Return the sort key that puts longer words before shorter ones that begin at the same place."""
    return words.start, -words.end


@cache
def _english_starts() -> re.Pattern[str]:
    """Return the places where an English word of any emotion begins. One search for all is faster than one for each."""
    every = "|".join(pattern.english_words for pattern in emotion_patterns())
    return re.compile(rf"{_BEFORE_WORD}(?=[a-z0-9:;=<\\])(?=(?:{every}){_BEHIND_WORD})")
