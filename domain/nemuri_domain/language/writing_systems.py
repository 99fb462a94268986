"""Code point ranges of scripts, and letters without what is written on them. No other module lists code points."""

import re
import unicodedata
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
MARKS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"
    "\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u0900-\u0963\u0966-\u0df3\u0f18-\u0f39\u0f71-\u0fbc"
    "\u200c\u200d\u20d0-\u20f0"
)
"""Accents, points and vowel signs of scripts with spaces, with the letters of Indic scripts, and joiners."""

WORD: Final = rf"[^\W{UNSPACED}]"
"""Pattern of one letter, digit or underscore of a script with spaces between words (Latin, Cyrillic, …)."""
LETTERS: Final = rf"{WORD}+(?:[{MARKS}]+{WORD}*)*"
"""Pattern of a run of `WORD` with the marks on its letters."""

_CJK, _KANJI = re.compile(f"[{CJK}]"), re.compile(f"[{KANJI}]")
_HANGUL, _HIRAGANA, _UNSPACED = (re.compile(f"[{script}]") for script in (HANGUL, HIRAGANA, UNSPACED))
_ACCENTED = re.compile("([A-Za-z])[\u0300-\u036f]+")


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


def plain_letters(text: str) -> str:
    """Return a text in NFKC, with Latin letters without accents: *Café* becomes *Cafe*. Other scripts keep marks."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFKC", _ACCENTED.sub(r"\1", unicodedata.normalize("NFKD", text)))
