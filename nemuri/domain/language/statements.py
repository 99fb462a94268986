"""What one statement says of another: the same, the contrary, what has come in its place, or nothing.

Judged by the words alone, so in doubt two statements are unrelated: other words for the same thing are not
recognised, nor what follows only from knowing the world.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from nemuri.domain.language.scripts import HANGUL, HIRAGANA, KANJI, KATAKANA, WORD
from nemuri.domain.language.sentences import sentences
from nemuri.domain.language.statement_words import (
    CHANGE,
    COMMA,
    CONDITIONS,
    DENYING,
    EMPTY,
    IS_CJK,
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
    TOTAL,
)
from nemuri.domain.language.terms import stem

Judgement = Literal["same", "contradicts", "supersedes", "unrelated"]

LONGEST: Final = 120
"""Words; longer statements are the same when they are equal, and are not compared otherwise."""
SPARE_FOR_SAME: Final = 6
"""One word of so many may be missing from a statement that says the same."""
SPARE_FOR_CONTRARY: Final = 8
COVERED: Final = 0.6
"""The share of the older statement, in characters, that one which has come in its place takes up again."""
_LEAST_WORDS: Final = 2
_LEAST_CHARACTERS: Final = 4
_VALUE: Final = "#"
_TOTAL: Final = frozenset(map(stem, TOTAL))
_QUALIFYING: Final = frozenset(map(stem, QUALIFYING))

_PIECE = re.compile(
    r"(?P<number>\d+(?:[.,:/-]\d+)*)"
    rf"|(?P<numeral>[〇一二三四五六七八九十百千万億]+)(?=[年月日時分秒円人個件名枚台歳階])"
    r"|(?P<weekday>[月火水木金土日]曜日?)"
    rf"|(?P<word>{WORD}+(?:[.'’-]{WORD}+)*)"
    rf"|(?P<katakana>[{KATAKANA}]+)|(?P<kanji>[{KANJI}]+)|(?P<hiragana>[{HIRAGANA}]+)|(?P<hangul>[{HANGUL}]+)"
    rf"|(?P<comma>{COMMA.pattern})"
)
_NOT = re.compile(r"(?<=\w)n['’]t\b|\bcannot\b")
_ENUMERATION = re.compile(r"\s*(?:\d+[.)]\s|[-*•]\s|第?\d+[章節]\s)")
_POLITE: Final = (("でした", "だった"), ("です", ""), ("である", ""), ("ました", "た"), ("だ", ""))
_TO_PLAIN: Final = str.maketrans("いきぎしちにびみり", "うくぐすつぬぶむる")
_BEFORE_DENIAL: Final = frozenset("あかがさたなばまらわいきぎしちにびみり")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as it is compared."""

    plain: str
    """Its letters and digits, folded."""
    words: tuple[str, ...]
    """What it says, in order: stems, runs of one Japanese script, a mark for each value."""
    core: tuple[str, ...]
    """The same without Japanese inflection: of a run of hiragana only the particle remains."""
    values: tuple[str, ...]
    """Numbers, days, months; numbers that only tell things apart are words."""
    conditional: tuple[bool, ...]
    """For each value, whether it is part of a condition."""
    denied: bool
    denied_condition: bool
    changed: bool
    """Whether it says that things are not as they were."""


def judged(new: str, old: str) -> Judgement:
    """What the newer text says of the older one, of which one sentence may be meant.

    Never both the same and the contrary; a text says the same as itself.
    """
    mine = statement(new)
    if not mine.plain:
        return "same" if new.split() == old.split() else "unrelated"
    parts = sentences(old)
    found = {_compared(mine, statement(each)) for each in dict.fromkeys((old, *parts))}
    ranks: tuple[Judgement, ...] = ("same", "supersedes", "contradicts")
    return next((each for each in ranks if each in found), "unrelated")


def _compared(new: Statement, old: Statement) -> Judgement:
    if new.plain == old.plain:
        return "same"
    if not new.words or not old.words or max(len(new.words), len(old.words)) > LONGEST:
        return "unrelated"
    if new.changed and not old.changed:
        return "supersedes" if _supersedes(new, old) else "unrelated"
    if new.changed or old.changed or new.denied_condition != old.denied_condition:
        return "unrelated"
    if new.values == old.values and new.denied == old.denied:
        return "same" if _says_no_more(new.words, old.words) else "unrelated"
    return "contradicts" if _contrary(new, old) else "unrelated"


def _says_no_more(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Whether the older statement holds all words of the newer in order, or turned around, and hardly another."""
    if len(new) == len(old) > _LEAST_WORDS and any(new == old[at:] + old[:at] for at in range(len(old))):
        return True
    missing = _missing(new, old)
    return missing is not None and len(missing) * SPARE_FOR_SAME <= len(old) and not _QUALIFYING.intersection(missing)


def _missing(part: tuple[str, ...], whole: tuple[str, ...]) -> list[str] | None:
    """The words of `whole` between those of `part`, which it holds in order; None where it does not."""
    left, at = [], 0
    for word in whole:
        if at < len(part) and part[at] == word:
            at += 1
        else:
            left.append(word)
    return left if at == len(part) else None


def _contrary(new: Statement, old: Statement) -> bool:
    """Whether one denies the other, or gives another value in the same words; not both at once."""
    mine, others = (tuple(each for each in one.core if each not in _TOTAL) for one in (new, old))
    longest = max(len(mine), len(others))
    shared = _shared(mine, others)
    spare = longest // SPARE_FOR_CONTRARY
    said = sum(1 for each in shared if each != _VALUE and each not in PARTICLES)
    if len(shared) < longest - spare or not _enough(said, shared):
        return False
    if _QUALIFYING.intersection({*mine} ^ {*others}):
        return False
    if new.denied != old.denied:
        return new.values == old.values
    if len(new.values) != len(old.values):
        return False
    other = [at for at, (one, two) in enumerate(zip(new.values, old.values, strict=True)) if one != two]
    return len(other) == 1 and not (new.conditional[other[0]] or old.conditional[other[0]])


def _enough(words: int, shared: list[str]) -> bool:
    characters = sum(len(each) for each in shared if IS_CJK.match(each) and each not in PARTICLES)
    return words >= _LEAST_WORDS or characters >= _LEAST_CHARACTERS or (words > 0 and _VALUE in shared)


def _supersedes(new: Statement, old: Statement) -> bool:
    """Whether a statement that tells of a change takes up most of the older one, and not all of it unchanged."""
    mine, others = (tuple(each for each in one.core if each not in PARTICLES) for one in (new, old))
    if (mine, new.values, new.denied) == (others, old.values, old.denied):
        return False
    shared = _shared(mine, others)
    weight, whole = sum(map(len, shared)), sum(map(len, others))
    added = sum(map(len, mine)) - weight
    said = sum(1 for each in shared if each != _VALUE)
    return weight >= COVERED * whole and added <= whole and _enough(said, shared) and others[0] in mine


def _shared(one: tuple[str, ...], two: tuple[str, ...]) -> list[str]:
    """The longest common subsequence."""
    lengths = [[0] * (len(two) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one) - 1, -1, -1):
        for j in range(len(two) - 1, -1, -1):
            same = one[i] == two[j]
            lengths[i][j] = lengths[i + 1][j + 1] + 1 if same else max(lengths[i + 1][j], lengths[i][j + 1])
    found, i, j = [], 0, 0
    while i < len(one) and j < len(two):
        if one[i] == two[j]:
            found.append(one[i])
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found


@lru_cache(maxsize=4_096)
def statement(text: str) -> Statement:
    """The text as a statement: NFKC, case-folded."""
    whole = unicodedata.normalize("NFKC", text)
    plain = "".join(each for each in whole.casefold() if each.isalnum())
    folded = _NOT.sub(" not ", _ENUMERATION.sub("", whole, count=1))
    told = CHANGE.search(folded.casefold()) is not None
    denied = len(re.findall(r"\bno longer\b|\bany ?more\b|もはや|廃止", folded.casefold())) if told else 0
    return _Reader().read(_unchanging(folded) if told else folded, plain, told=told, denied=denied)


def _unchanging(text: str) -> str:
    """The text without the words that tell of a change; "no longer" and its like have been counted as denials."""
    return re.compile(CHANGE.pattern, re.IGNORECASE).sub(" ", text)


class _Reader:
    """Reads one statement, piece by piece."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.core: list[str] = []
        self.values: list[str] = []
        self.conditional: list[bool] = []
        self.denials: list[bool] = []
        """For each denial, whether it is part of a condition."""
        self.condition = False
        self.clause = (0, 0)
        """How many values and denials there were when the clause began."""
        self.before = ""

    def read(self, text: str, plain: str, *, told: bool, denied: int) -> Statement:
        matches = list(_PIECE.finditer(text))
        self.denials += [False] * denied
        for match, following in pairwise([*matches, None]):
            if match is not None:
                self._piece(match, following, text)
        return Statement(
            plain, tuple(self.words), tuple(self.core), tuple(self.values), tuple(self.conditional),
            denied=self.denials.count(False) % 2 == 1, denied_condition=self.denials.count(True) % 2 == 1,
            changed=told,
        )  # fmt: skip

    def _piece(self, match: re.Match[str], following: re.Match[str] | None, text: str) -> None:
        kind, said = match.lastgroup or "word", match.group()
        if kind == "comma":
            self.condition, self.clause = False, (len(self.values), len(self.denials))
        elif kind in {"number", "numeral", "weekday"}:
            self._number(said.replace(",", ""), following.group() if following else "")
        elif kind == "hiragana":
            self._hiragana(said, last=following is None)
        elif kind == "word":
            self._word(said)
        else:
            self._run(said)
        if JAPANESE_CONDITION.search(said + text[match.end() : match.end() + 1]):
            self._conditioned()
        self.before = said

    def _conditioned(self) -> None:
        """Japanese conditions end with their word: what the clause held so far is part of one."""
        values, denials = self.clause
        self.conditional[values:] = [True] * (len(self.conditional) - values)
        self.denials[denials:] = [True] * (len(self.denials) - denials)

    def _say(self, word: str) -> None:
        self.words.append(word)
        self.core.append(word)

    def _number(self, value: str, following: str) -> None:
        named = self.before[:1].isupper() and self.before.casefold() not in EMPTY | MONTHS
        label = named or self.before.casefold() in LABELS or self.before.endswith("第")
        if label or following.casefold() in LABEL_COUNTERS or not self.words:
            self._say(f"{_VALUE}{value}")
        else:
            self._value(value)

    def _value(self, value: str) -> None:
        self._say(_VALUE)
        self.values.append(value)
        self.conditional.append(self.condition)

    def _word(self, said: str) -> None:
        folded = said.casefold().replace("’", "'").removesuffix("'s")
        if folded in CONDITIONS:
            self.condition = True
        if folded in DENYING:
            self.denials.append(self.condition)
        elif folded in MONTHS and self.words:
            self._value(NUMERALS.get(folded, folded))
        elif folded in OPPOSITES:
            self._opposite(folded)
        elif folded not in EMPTY:
            self._say(stem(folded))

    def _run(self, said: str) -> None:
        if said in OPPOSITES:
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


def _bare(run: str, *, denied: bool) -> str:
    """A run of hiragana without politeness and denial, so that 使います is 使う and 使いません is 使わない."""
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
