"""Parser that prepares statements for their comparison: words, values, negation and conditions."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.writing_systems import HANGUL, HIRAGANA, KANJI, KATAKANA, WORD

WORDS: Final = WordFile("language/statements")
"""Words and patterns by which statements are read and compared."""
_ANY_CASE: Final = WordFile("language/statements", re.IGNORECASE)
VALUE: Final = "#"
"""Placeholder in the words of a statement for a value."""
_PIECE = re.compile(
    r"(?P<number>(?:(?<![\w.)\]])-)?\d+(?:[.,:/-]\d+)*)"
    rf"|(?P<numeral>[〇一二三四五六七八九十百千万億]+)(?=[年月日時分秒円人個件名枚台歳階])"
    r"|(?P<weekday>[月火水木金土日]曜日?)"
    rf"|(?P<word>{WORD}+(?:[.'’-]{WORD}+)*)"
    rf"|(?P<katakana>[{KATAKANA}]+)|(?P<kanji>[{KANJI}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<comma>[,、，;；])|(?P<quote>[\"`“”「」『』])"
    r"|(?P<symbol>(?<![<>=+*/%&^~|])[<>=+*/%&^~|]{1,3}(?![<>=+*/%&^~|]))"
)
_OPERATORS: Final = frozenset("<>=+/%&^~")
_NOT = re.compile(r"(?<=\w)n['’]t\b|\bcannot\b")
_ENUMERATION = re.compile(r"(?<!\s)\s*+(?:\d+[.)]\s|[-*•]\s|第?\d+[章節]\s)")
_POLITE: Final = (("でした", "だった"), ("です", ""), ("である", ""), ("ました", "た"), ("だ", ""))
_TO_PLAIN: Final = str.maketrans("いきぎしちにびみり", "うくぐすつぬぶむる")
_BEFORE_DENIAL: Final = frozenset("あかがさたなばまらわいきぎしちにびみり")


@dataclass(frozen=True, slots=True)
class ParsedStatement:
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
def parse_statement(text: str) -> ParsedStatement:
    """Return the parsed statement of a text."""
    whole = unicodedata.normalize("NFKC", text)
    plain = "".join(character for character in whole.casefold() if character.isalnum() or character in _OPERATORS)
    folded = _NOT.sub(" not ", _ENUMERATION.sub("", whole, count=1))
    cues = [match.group() for match in WORDS.pattern("change").finditer(folded.casefold())]
    told, filled = bool(cues), all(map(WORDS.pattern("filling").fullmatch, cues))
    denied = len(re.findall(r"\bno longer\b|廃止", folded.casefold())) if told else 0
    return _Reader().read(_unchanging(folded) if told else folded, plain, told=told, filled=filled, denied=denied)


def _unchanging(text: str) -> str:
    """Return the text without its words of change. `parse_statement` counts "no longer" as a negation."""
    return _ANY_CASE.pattern("change").sub(" ", text)


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

    def read(self, text: str, plain: str, *, told: bool, filled: bool, denied: int) -> ParsedStatement:
        matches = list(_PIECE.finditer(text))
        self.denials += [False] * denied
        for match, following in pairwise([*matches, None]):
            if match is not None:
                self._piece(match, following, text)
        return ParsedStatement(
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
        if WORDS.pattern("condition").search(said + text[match.end() : match.end() + 1]):
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
        sets, before = _sets(), self.before.casefold()
        named = self.before[:1].isupper() and before not in sets["empty"] and before not in sets["values"]
        label = bracketed or named or before in sets["labels"] or before.endswith("第")
        if label or following.casefold() in sets["label counters"] or not self.words:
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
        sets = _sets()
        if folded in sets["conditions"]:
            self.condition = True
        if folded in sets["denying"]:
            self.denials.append(self.condition)
        elif folded in sets["values"] and self.words:
            self._value(_value_of(folded))
        elif folded in _opposites() and (folded in sets["opposite verbs"] or _ends(following)):
            self._opposite(folded)
        elif folded not in sets["empty"]:
            self._say(stem(folded))

    def _run(self, said: str, following: re.Match[str] | None) -> None:
        if said in _opposites() and not self.quoted and _ends(following):
            self._opposite(said)
        else:
            self._say(said)

    def _opposite(self, said: str) -> None:
        word, opposite = _opposites()[said]
        if opposite:
            self.denials.append(self.condition)
        self._say(stem(word))

    def _hiragana(self, said: str, *, last: bool) -> None:
        joined = f"{self.before[-1:]}{said}"
        denials = WORDS.pattern("denial").findall(WORDS.pattern("assertion").sub("", joined))
        self.denials += [self.condition] * len(denials)
        particle = "" if last else next((word for word in WORDS.words("particles") if said.endswith(word)), "")
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
    if following.lastgroup == "hiragana":
        return said[0] not in "なの"
    return said in _sets()["empty"] or said in _sets()["qualifying"]


def _bare(run: str, *, denied: bool) -> str:
    """Return a run of hiragana without politeness and negation.

    So the endings of 使います and 使う are equal, and those of 使いません and 使わない.
    """
    if denied:
        head = WORDS.pattern("denial").split(run.replace("ありません", "ない").replace("じゃ", "では"))[0]
        return head[:-1] if head[-1:] in _BEFORE_DENIAL else head
    for polite, plain in _POLITE:
        if run.endswith(polite):
            return run.removesuffix(polite) + plain
    if run.endswith("ます"):
        head = run.removesuffix("ます")
        run = head[:-1] + head[-1:].translate(_TO_PLAIN)
    return run.removesuffix("る")


@cache
def _sets() -> dict[str, frozenset[str]]:
    """Return the words of each section. A statement asks for them word by word."""
    return {section: WORDS.word_set(section) for section in WORDS.sections()}


def _value_of(word: str) -> str:
    """Return a numeral in digits, any other word as it is."""
    numerals = WORDS.words("numerals")
    return str(numerals.index(word)) if word in numerals else word


@cache
def _opposites() -> dict[str, tuple[str, bool]]:
    """Return each antonym with the first word of its pair, and True if it is the opposite of this first word.

    A word of several pairs counts in the last one.
    """
    pairs = (pair.split("/") for pair in WORDS.words("opposites"))
    return {word: (pair[0], word != pair[0]) for pair in pairs for word in pair}
