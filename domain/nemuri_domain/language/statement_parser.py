"""Parser that prepares statements for their comparison: words, values, negation and conditions."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from nemuri_domain.language.statement_word_lists import (
    CHANGE,
    COMMA,
    CONDITIONS,
    DENYING,
    EMPTY,
    FILLING,
    JAPANESE_ASSERTION,
    JAPANESE_CONDITION,
    JAPANESE_DENIAL,
    LABEL_COUNTERS,
    LABELS,
    MONTHS,
    NUMERALS,
    OPPOSITES,
    PARTICLES,
    QUALIFYING,
    VERBS,
)
from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.writing_systems import HANGUL, HIRAGANA, KANJI, KATAKANA, WORD

VALUE: Final = "#"
"""Placeholder in the words of a statement for a value."""
_PIECE = re.compile(
    r"(?P<number>(?:(?<![\w.)\]])-)?\d+(?:[.,:/-]\d+)*)"
    rf"|(?P<numeral>[〇一二三四五六七八九十百千万億]+)(?=[年月日時分秒円人個件名枚台歳階])"
    r"|(?P<weekday>[月火水木金土日]曜日?)"
    rf"|(?P<word>{WORD}+(?:[.'’-]{WORD}+)*)"
    rf"|(?P<katakana>[{KATAKANA}]+)|(?P<kanji>[{KANJI}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<comma>{COMMA.pattern})|(?P<quote>[\"`“”「」『』])"
    r"|(?P<symbol>(?<![<>=+*/%&^~|])[<>=+*/%&^~|]{1,3}(?![<>=+*/%&^~|]))"
)
_OPERATORS: Final = frozenset("<>=+/%&^~")
_NOT = re.compile(r"(?<=\w)n['’]t\b|\bcannot\b")
_ENUMERATION = re.compile(r"\s*(?:\d+[.)]\s|[-*•]\s|第?\d+[章節]\s)")
_POLITE: Final = (("でした", "だった"), ("です", ""), ("である", ""), ("ました", "た"), ("だ", ""))
_TO_PLAIN: Final = str.maketrans("いきぎしちにびみり", "うくぐすつぬぶむる")
_BEFORE_DENIAL: Final = frozenset("あかがさたなばまらわいきぎしちにびみり")


@dataclass(frozen=True, slots=True)
class Statement:
    """A parsed statement."""

    plain: str
    """Letters, digits and operators of the text, in NFKC and case-folded."""
    words: tuple[str, ...]
    """Words of the text in order: stems, runs of one Japanese script, and a placeholder for each value."""
    core: tuple[str, ...]
    """The words without Japanese inflection. Of a run of hiragana only the particle remains."""
    values: tuple[str, ...]
    """Numbers, days and months. A number that is a label counts as a word."""
    conditional: tuple[bool, ...]
    """True for each value that is part of a condition, in the order of `values`."""
    denied: bool
    denied_condition: bool
    changed: bool
    """True if the statement says that something has changed."""
    filled: bool
    """True if all its words of change are often mere fillers, such as "now"."""


@lru_cache(maxsize=4_096)
def parse_statement(text: str) -> Statement:
    """Return the parsed statement of a text."""
    whole = unicodedata.normalize("NFKC", text)
    plain = "".join(each for each in whole.casefold() if each.isalnum() or each in _OPERATORS)
    folded = _NOT.sub(" not ", _ENUMERATION.sub("", whole, count=1))
    cues = [match.group() for match in CHANGE.finditer(folded.casefold())]
    told, filled = bool(cues), all(map(FILLING.fullmatch, cues))
    denied = len(re.findall(r"\bno longer\b|廃止", folded.casefold())) if told else 0
    return _Reader().read(_unchanging(folded) if told else folded, plain, told=told, filled=filled, denied=denied)


def _unchanging(text: str) -> str:
    """Return the text without its words of change. `parse_statement` counts "no longer" as a negation."""
    return re.compile(CHANGE.pattern, re.IGNORECASE).sub(" ", text)


class _Reader:
    """The parser of one statement."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.core: list[str] = []
        self.values: list[str] = []
        self.conditional: list[bool] = []
        self.denials: list[bool] = []
        """True for each negation that is part of a condition, in the order of the negations."""
        self.condition = False
        self.clause = (0, 0)
        """Number of values and number of negations at the start of the present clause."""
        self.before = ""
        self.quoted = False

    def read(self, text: str, plain: str, *, told: bool, filled: bool, denied: int) -> Statement:
        matches = list(_PIECE.finditer(text))
        self.denials += [False] * denied
        for match, following in pairwise([*matches, None]):
            if match is not None:
                self._piece(match, following, text)
        return Statement(
            plain, tuple(self.words), tuple(self.core), tuple(self.values), tuple(self.conditional),
            denied=self.denials.count(False) % 2 == 1, denied_condition=self.denials.count(True) % 2 == 1,
            changed=told, filled=filled,
        )  # fmt: skip

    def _piece(self, match: re.Match[str], following: re.Match[str] | None, text: str) -> None:
        kind, said = match.lastgroup or "word", match.group()
        if kind == "comma":
            self.condition, self.clause = False, (len(self.values), len(self.denials))
        elif kind == "quote":
            self.quoted = not self.quoted
        elif kind in {"number", "numeral", "weekday"}:
            bracketed = text[: match.start()].endswith(("[", "("))
            self._number(said.replace(",", ""), following.group() if following else "", bracketed=bracketed)
        elif kind == "hiragana":
            self._hiragana(said, last=following is None)
        elif kind == "word":
            self._word(said, following)
        else:
            self._run(said, following)
        if JAPANESE_CONDITION.search(said + text[match.end() : match.end() + 1]):
            self._conditioned()
        self.before = said

    def _conditioned(self) -> None:
        """Mark the clause up to here as a condition, because in Japanese the word of a condition comes last."""
        values, denials = self.clause
        self.conditional[values:] = [True] * (len(self.conditional) - values)
        self.denials[denials:] = [True] * (len(self.denials) - denials)

    def _say(self, word: str) -> None:
        self.words.append(word)
        self.core.append(word)

    def _number(self, value: str, following: str, *, bracketed: bool) -> None:
        named = self.before[:1].isupper() and self.before.casefold() not in EMPTY | MONTHS
        label = bracketed or named or self.before.casefold() in LABELS or self.before.endswith("第")
        if label or following.casefold() in LABEL_COUNTERS or not self.words:
            self._say(f"{VALUE}{value}")
        else:
            self._value(value)

    def _value(self, value: str) -> None:
        self._say(VALUE)
        self.values.append(value)
        self.conditional.append(self.condition)

    def _word(self, said: str, following: re.Match[str] | None) -> None:
        folded = said.casefold().replace("’", "'").removesuffix("'s")
        if self.quoted:
            self._say(stem(folded))
            return
        if folded in CONDITIONS:
            self.condition = True
        if folded in DENYING:
            self.denials.append(self.condition)
        elif folded in MONTHS and self.words:
            self._value(NUMERALS.get(folded, folded))
        elif folded in OPPOSITES and (folded in VERBS or _ends(following)):
            self._opposite(folded)
        elif folded not in EMPTY:
            self._say(stem(folded))

    def _run(self, said: str, following: re.Match[str] | None) -> None:
        if said in OPPOSITES and not self.quoted and _ends(following):
            self._opposite(said)
        else:
            self._say(said)

    def _opposite(self, said: str) -> None:
        word, opposite = OPPOSITES[said]
        if opposite:
            self.denials.append(self.condition)
        self._say(stem(word))

    def _hiragana(self, said: str, *, last: bool) -> None:
        joined = f"{self.before[-1:]}{said}"
        denials = JAPANESE_DENIAL.findall(JAPANESE_ASSERTION.sub("", joined))
        self.denials += [self.condition] * len(denials)
        particle = "" if last else next((each for each in PARTICLES if said.endswith(each)), "")
        if particle:
            self.core.append("は" if particle == "が" else particle)
        bare = _bare(said, denied=bool(denials))
        if bare:
            self.words.append("は" if bare == "が" else bare)


def _ends(following: re.Match[str] | None) -> bool:
    """Return True if the word before `following` ends a phrase, so that it is not part of a noun phrase that
    follows.
    """
    if following is None or following.lastgroup in {"comma", "quote", "symbol"}:
        return True
    said = following.group().casefold()
    return said[0] not in "なの" if following.lastgroup == "hiragana" else said in EMPTY | QUALIFYING


def _bare(run: str, *, denied: bool) -> str:
    """Return a run of hiragana without politeness and negation.

    So the endings of 使います and 使う are equal, and those of 使いません and 使わない.
    """
    if denied:
        head = JAPANESE_DENIAL.split(run.replace("ありません", "ない").replace("じゃ", "では"))[0]
        return head[:-1] if head[-1:] in _BEFORE_DENIAL else head
    for polite, plain in _POLITE:
        if run.endswith(polite):
            return run.removesuffix(polite) + plain
    if run.endswith("ます"):
        head = run.removesuffix("ます")
        run = head[:-1] + head[-1:].translate(_TO_PLAIN)
    return run.removesuffix("る")
