"""What a person says in a prompt, without what is only pasted into it, and the marks by which a voice is heard.

The marks are those of document 001 (arousal): punctuation, length, strong words, repetition.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

HEARD: Final = 4_000
"""Characters from the beginning of what is said, and a quarter of it from its end; between them nothing is heard."""

_FENCED = re.compile(r"^[ \t]{0,9}(```|~~~).*?(?:^[ \t]{0,9}\1[^\n]*$|\Z)", re.MULTILINE | re.DOTALL)
_PASTED = re.compile(
    r"^(?:[ \t]*>|[ \t]*(?:Traceback|File \"|at [\w.$]+\()|[ \t]*[$❯] |[+-]{3} |@@ |\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d"
    r"|(?:ERROR|WARN|INFO|DEBUG|FATAL)\b|[\w.]+(?:Error|Exception): ).*$",
    re.MULTILINE,
)
_INLINE = re.compile(r"`[^`\n]{1,200}`|https?://[^\s、。」）)]{1,400}")

_ELLIPSIS = re.compile(r"\.{3,}|。{2,}|・{2,}|、{2,}")
_STRONG = re.compile(
    r"とても|すごく|めっちゃ|めちゃくちゃ|めちゃ|超(?![え過音高])|本当に|ほんとに|ほんと|マジで|まじで|絶対"
    r"|死ぬほど|心から|最高に|めちゃめちゃ|ひどく|あまりに|どれだけ|一体"
    r"|(?<![a-z0-9_'])(?:very|really|so(?!-)|such|absolutely|totally|completely|extremely|incredibly|insanely"
    r"|utterly|deeply"
    r"|truly|seriously|literally)(?![a-z0-9_])"
)
_MILD = re.compile(
    r"まあ|と思う|かな(?=[。、ー~?]|$)|かも(?=[。、しね]|$)|ちょっと|なんとなく|(?:です|だ|い|か|よ)?ね(?=[。、.]|$)"
    r"|(?<![a-z0-9_'])(?:maybe|perhaps|i guess|i suppose|kind of|sort of|a bit|a little|somewhat|fairly"
    r"|so-so)(?![a-z0-9_])"
)
_AGAIN = re.compile(
    r"(?<![a-z0-9_'])([a-z']{2,12})(?:[ ,!.]{1,3}\1(?![\w']))+|([ぁ-んァ-ヶー一-龥]{3,10}?)[、,!ー~ ]{0,3}\2"
    r"|([a-zぁ-んァ-ヶー])\3{3,}|w{3,}|草$"
)
_STRETCHED = re.compile(r"ー{2,}|~{2,}|[ぁぃぅぇぉっ]{2,}|!\?|\?!")
_CAPITALS = re.compile(r"\b[A-Z][A-Z']+\b")
_LATIN = re.compile(r"\b[A-Za-z][A-Za-z']+\b")

_CALM: Final = 45
_SHORT: Final = 24
_LONG: Final = 300
_VERY_LONG: Final = 1_000
_MUCH_FELT: Final = 61


@dataclass(frozen=True, slots=True)
class Voice:
    """How something is said."""

    text: str
    """What is heard, NFKC and case-folded."""
    length: int
    """Characters of all that is said."""
    exclamations: int
    ellipses: int
    strong: int
    """Different words that strengthen others."""
    mild: int
    """Words that take something back."""
    repeats: bool
    """Whether words or letters are said again and again, or stretched."""
    shouted: bool
    """Whether it is mostly in capitals."""

    def arousal(self, felt: int, *, acknowledging: bool) -> int:
        """0 to 100: how awake it sounds, where the feelings in it add `felt`."""
        loud = (0, 22, 31)[self.exclamations] if self.exclamations < 3 else 38
        brief = 8 if loud and self.length <= _SHORT else 0
        strong = min(12, 6 * self.strong) + 10 * self.repeats + 18 * self.shouted
        calm = (12 if self.ellipses == 1 else 16 if self.ellipses else 0) + min(12, 6 * self.mild)
        calm += 15 * acknowledging + (12 if self.length > _VERY_LONG else 6 if self.length > _LONG else 0)
        return max(0, min(100, _CALM + loud + brief + strong + felt - calm))


def spoken(prompt: str) -> str:
    """The prompt without code, quotations, logs and addresses, which say nothing of who pastes them."""
    said = _INLINE.sub(" ", _PASTED.sub("", _FENCED.sub("", prompt)))
    return said.strip()


def own_lines(prompt: str) -> str:
    """Return the prompt without blocks of code, quotations and logs, or all of it where it has nothing else."""
    return _PASTED.sub("", _FENCED.sub("", prompt)).strip() or prompt


def unfenced(text: str) -> str:
    """The text without its blocks of code, where there is anything else in it."""
    return _FENCED.sub("\n", text) if _FENCED.sub("", text).strip() else text


def heard(said: str) -> Voice:
    """How this is said."""
    part = said if len(said) <= HEARD + HEARD // 4 else f"{said[:HEARD]}\n{said[-(HEARD // 4) :]}"
    plain = unicodedata.normalize("NFKC", part).replace("’", "'")
    text = " ".join(plain.casefold().split())
    latin = _LATIN.findall(plain)
    capitals = sum(len(each) > 1 and each.isupper() for each in latin)
    return Voice(
        text=text,
        length=len(said),
        exclamations=text.count("!"),
        ellipses=len(_ELLIPSIS.findall(text)),
        strong=len(set(_STRONG.findall(text))),
        mild=len(_MILD.findall(text)),
        repeats=_AGAIN.search(text) is not None or _STRETCHED.search(text) is not None,
        shouted=len(latin) > 1
        and 2 * capitals > len(latin)
        and any(len(each) > 3 and each.isupper() for each in latin),
    )


def awake(arousal: int) -> bool:
    """Whether it is of the highest band of the document."""
    return arousal >= _MUCH_FELT
