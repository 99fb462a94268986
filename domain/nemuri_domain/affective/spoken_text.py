"""Extraction of a person's own words from a prompt, and of the features of their style that indicate arousal.

The features are those of document 001 (arousal): punctuation, length, strong words, repetition.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.word_files import WordFile

SPEECH: Final = WordFile("affective/speech")
"""Intensifiers, hedges and denials."""

ANALYSED_CHARACTERS: Final = 4_000
"""Number of characters at the beginning of a text that are analysed. A quarter of this number is also analysed at the
end.
"""

_FENCED = re.compile(r"^[ \t]{0,9}(```|~~~).*?(?:^[ \t]{0,9}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_PASTED = re.compile(
    r"^(?:[ \t]*>|[ \t]*(?:Traceback|File \"|at [\w.$]+\()|[ \t]*[$❯] |[+-]{3} |@@ |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:ERROR|WARN|INFO|DEBUG|FATAL)\b|[\w.]+(?:Error|Exception): ).*$",
    re.MULTILINE,
)
_INLINE = re.compile(r"`[^`\n]{1,200}`|https?://[^\s、。」）)]{1,400}")

_ELLIPSIS = re.compile(r"\.{3,}|。{2,}|・{2,}|、{2,}")
_AGAIN = re.compile(
    r"(?<![a-z0-9_'])([a-z']{2,12})(?:[ ,!.]{1,3}\1(?![\w']))+|([ぁ-んァ-ヶー一-龥]{3,10}?)[、,!ー~ ]{0,3}\2"
    r"|([a-zぁ-んァ-ヶー])\3{3,}|w{3,}|草$"
)
_STRETCHED = re.compile(r"ー{2,}|~{2,}|[ぁぃぅぇぉっ]{2,}|!\?|\?!")
_LATIN = re.compile(r"\b[A-Za-z][A-Za-z']+\b")

_CALM: Final = 45
_SHORT: Final = 24
_LONG: Final = 300
_VERY_LONG: Final = 1_000
_MUCH_FELT: Final = 61


@dataclass(frozen=True, slots=True)
class SpeechFeatures:
    """The features of a text that indicate arousal."""

    text: str
    """The analysed text, NFKC and case-folded."""
    length: int
    """Number of characters of the whole text."""
    exclamations: int
    ellipses: int
    strong: int
    """Number of distinct intensifiers, such as "very"."""
    mild: int
    """Number of hedging words, such as "maybe"."""
    repeats: bool
    """True if words or letters are repeated or stretched."""
    shouted: bool
    """True if most of the words are in capitals."""

    def arousal(self, felt: int, *, acknowledging: bool) -> int:
        """Return the arousal, 0 to 100.

        `felt` is the amount that the emotions in the text add. A text that only agrees (`acknowledging`) has less
        arousal.
        """
        loud = (0, 22, 31)[self.exclamations] if self.exclamations < 3 else 38
        brief = 8 if loud and self.length <= _SHORT else 0
        strong = min(12, 6 * self.strong) + 10 * self.repeats + 18 * self.shouted
        calm = (12 if self.ellipses == 1 else 16 if self.ellipses else 0) + min(12, 6 * self.mild)
        calm += 15 * acknowledging + (12 if self.length > _VERY_LONG else 6 if self.length > _LONG else 0)
        return max(0, min(100, _CALM + loud + brief + strong + felt - calm))


def own_words(prompt: str) -> str:
    """Return the prompt without code, quotations, logs and addresses, which are usually pasted."""
    said = _INLINE.sub(" ", _PASTED.sub("", _FENCED.sub("", prompt)))
    return said.strip()


def own_lines(prompt: str) -> str:
    """Return the prompt without blocks of code, quotations and logs; the whole prompt if nothing else is left."""
    return _PASTED.sub("", _FENCED.sub("", prompt)).strip() or prompt


def without_code_blocks(text: str) -> str:
    """Return the text without its blocks of code; the whole text if nothing else is left."""
    return _FENCED.sub("\n", text) if _FENCED.sub("", text).strip() else text


def speech_features(said: str) -> SpeechFeatures:
    """Return the features of a text."""
    part = (
        said
        if len(said) <= ANALYSED_CHARACTERS + ANALYSED_CHARACTERS // 4
        else f"{said[:ANALYSED_CHARACTERS]}\n{said[-(ANALYSED_CHARACTERS // 4) :]}"
    )
    plain = unicodedata.normalize("NFKC", part).replace("’", "'")
    text = " ".join(plain.casefold().split())
    latin = _LATIN.findall(plain)
    capitals = sum(len(word) > 1 and word.isupper() for word in latin)
    return SpeechFeatures(
        text=text,
        length=len(said),
        exclamations=text.count("!"),
        ellipses=len(_ELLIPSIS.findall(text)),
        strong=len(set(SPEECH.whole_words("strong").findall(text))),
        mild=len(SPEECH.whole_words("mild").findall(text)),
        repeats=_AGAIN.search(text) is not None or _STRETCHED.search(text) is not None,
        shouted=len(latin) > 1
        and 2 * capitals > len(latin)
        and any(len(word) > 3 and word.isupper() for word in latin),
    )


def is_high_arousal(arousal: int) -> bool:
    """Return True if the arousal is in the highest band of document 001."""
    return arousal >= _MUCH_FELT
