"""The form of an entry in the lexicon of emotions."""

import re
from dataclasses import dataclass
from typing import Final, Literal

from nemuri_contracts.affective import Tag


@dataclass(frozen=True, slots=True)
class EmotionPattern:
    """An emotion with the pattern of the words that express it."""

    tags: tuple[Tag, ...]
    sign: Literal[-1, 0, 1]
    strength: Literal[1, 2, 3]
    """Strength of the emotion: 1 weak, 2 normal, 3 strong."""
    arousal: int
    """Amount that the emotion adds to the arousal of a text; may be negative."""
    words: re.Pattern[str]


def feeling(
    tags: str, sign: Literal[-1, 0, 1], strength: Literal[1, 2, 3], arousal: int, japanese: str, english: str
) -> EmotionPattern:
    """Return an entry. `tags` are separated by spaces; the English words begin and end at the border of a word."""
    named = tuple(_TAGS[tag] for tag in tags.split())
    return EmotionPattern(
        named, sign, strength, arousal, re.compile(rf"(?:{japanese})|(?<![a-z0-9_'])(?:{english})(?![a-z0-9_])")
    )


KNOWN_TAGS: Final[tuple[Tag, ...]] = (
    "joy", "satisfaction", "relief", "excitement", "gratitude", "pride", "hope", "love", "curiosity", "sadness",
    "anger", "frustration", "anxiety", "fear", "disgust", "regret", "loneliness", "guilt", "resignation", "nostalgia",
    "surprise", "confusion", "determination",
)  # fmt: skip
_TAGS: Final[dict[str, Tag]] = {tag: tag for tag in KNOWN_TAGS}
