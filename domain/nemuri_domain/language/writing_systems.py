"""Code point ranges of hiragana, katakana, kanji and hangul. No other module lists code points."""

import re
from typing import Final

HIRAGANA: Final = "\u3041-\u3096\u309d-\u309f"
KATAKANA: Final = "\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
KANJI: Final = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
HANGUL: Final = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
CJK: Final = HIRAGANA + KATAKANA + KANJI + HANGUL
"""Characters of these scripts, in the form of a regular expression's character class without its brackets."""

WORD: Final = rf"[^\W{CJK}]"
"""Pattern of one letter, digit or underscore of a script with spaces between words (Latin, Cyrillic, …)."""

_CJK = re.compile(f"[{CJK}]")


def is_cjk(character: str) -> bool:
    """Return True if the character is kana, kanji or hangul. Punctuation such as 。 or ・ is not."""
    return _CJK.match(character) is not None
