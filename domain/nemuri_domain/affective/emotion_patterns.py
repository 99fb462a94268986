"""The form of an entry in the lexicon of emotions.

Patterns are compiled when a text is read for the first time, because every process of the platform imports the lexicon.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from nemuri_contracts.affective import Tag


@dataclass(frozen=True, eq=False)
class EmotionPattern:
    """An emotion with the patterns of the words that express it."""

    tags: tuple[Tag, ...]
    sign: Literal[-1, 0, 1]
    strength: Literal[1, 2, 3]
    """Strength of the emotion: 1 weak, 2 normal, 3 strong."""
    arousal: int
    """Amount that the emotion adds to the arousal of a text; may be negative."""
    japanese_words: str
    """Pattern of words in Japanese, emoji and Japanese emoticons."""
    english_words: str
    """Pattern of words in English."""

    @cached_property
    def japanese(self) -> re.Pattern[str]:
        """The words in Japanese, emoji and Japanese emoticons."""
        return re.compile(self.japanese_words)

    @cached_property
    def english(self) -> re.Pattern[str]:
        """The words in English, which begin and end at the border of a word."""
        return bordered(self.english_words)


def feeling(
    tags: str, sign: Literal[-1, 0, 1], strength: Literal[1, 2, 3], arousal: int, japanese: str, english: str
) -> EmotionPattern:
    """Return an entry. `tags` are separated by spaces. An empty pattern matches nothing."""
    named = tuple(_TAGS[tag] for tag in tags.split())
    return EmotionPattern(named, sign, strength, arousal, japanese or _NOTHING, english or _NOTHING)


def bordered(english: str) -> re.Pattern[str]:
    """Return the pattern of English words that begin and end at the border of a word."""
    return re.compile(rf"{_BEFORE_WORD}(?:{english}){_BEHIND_WORD}")


def first_letters(patterns: Iterable[EmotionPattern]) -> re.Pattern[str]:
    """Return a pattern for the places where an English word of any of the emotions begins."""
    flat = "|".join(each.english_words for each in patterns)
    return re.compile(rf"{_BEFORE_WORD}(?=[a-z0-9:;=<\\])(?=(?:{flat}){_BEHIND_WORD})")


def adjectives(stems: str) -> str:
    """Return a pattern for the forms of Japanese adjectives in -i, from stems separated by "|".

    It matches the plain form, the adverb, the past, the excess (-sugiru), the noun and the spoken forms.
    """
    return rf"(?:{stems})(?:い|く|かっ|すぎ|過ぎ|さ(?!れ)|ぃ|ー|っ(?=[!。、ー]|$)|え[ーよわ])"


_BEFORE_WORD: Final = "(?<![a-z0-9_'])"
_BEHIND_WORD: Final = "(?![a-z0-9_])"
_NOTHING: Final = r"(?!)"
KNOWN_TAGS: Final[tuple[Tag, ...]] = (
    "joy", "satisfaction", "relief", "excitement", "gratitude", "pride", "hope", "love", "curiosity", "sadness",
    "anger", "frustration", "anxiety", "fear", "disgust", "regret", "loneliness", "guilt", "resignation", "nostalgia",
    "surprise", "confusion", "determination",
)  # fmt: skip
_TAGS: Final[dict[str, Tag]] = {tag: tag for tag in KNOWN_TAGS}
