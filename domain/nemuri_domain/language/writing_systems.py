"""Code point ranges of hiragana, katakana, kanji and hangul. No other module lists code points."""

import re
from typing import Final

HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
KANJI: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
CJK: Final = HIRAGANA + KATAKANA + KANJI + HANGUL
"""Characters of these scripts, in the form of a regular expression's character class without its brackets."""

SOUTH_EAST_ASIAN: Final = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u1000-\u103f\u1050-\u109f\u1780-\u17d3"
"""Thai, Lao, Burmese and Khmer, without digits and punctuation."""
UNSPACED: Final = CJK + SOUTH_EAST_ASIAN
"""Scripts whose texts are divided into words by frequency: most have no spaces between words, Korean has particles."""

WORD: Final = rf"[^\W{CJK}]"
"""Pattern of one letter, digit or underscore of a script with spaces between words (Latin, Cyrillic, …)."""

_CJK, _KANJI = re.compile(f"[{CJK}]"), re.compile(f"[{KANJI}]")
_HANGUL, _HIRAGANA, _UNSPACED = (re.compile(f"[{each}]") for each in (HANGUL, HIRAGANA, UNSPACED))


def is_cjk(character: str) -> bool:
    """Return True if the character is kana, kanji or hangul. Punctuation such as 。 or ・ is not."""
    return _CJK.match(character) is not None


def is_kanji(character: str) -> bool:
    """Return True if the character is kanji (Chinese characters included)."""
    return _KANJI.match(character) is not None


def is_hangul(character: str) -> bool:
    """Return True if the character is hangul."""
    return _HANGUL.match(character) is not None


def is_hiragana(character: str) -> bool:
    """Return True if the character is hiragana."""
    return _HIRAGANA.match(character) is not None


def is_unspaced(character: str) -> bool:
    """Return True if the character belongs to a script that is divided into words by frequency."""
    return _UNSPACED.match(character) is not None
