"""What one statement says of another: the same, the contrary, what has come in its place, or nothing.

Judged by the words alone, so in doubt two statements are unrelated: other words for the same thing are not
recognised, nor what follows only from knowing the world. How often it is wrong, on sentences and their five nearest
neighbours by the hashing embedder (cosine from 0.2): of 15,979 pairs of the Python documentation 104 are called the
same, 2 the contrary and 1 superseding; read by eye all 104 do say the same (most are headings and repeated sentences),
and the other three are wrong (notes on two different escapes; two texts on one proposal). Of 8,974 pairs of JSQuAD
none is related, and none was seen that is. How many true relations it misses was not measured: surely most that are
put in other words.
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
    FILLING,
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
    VERBS,
)
from nemuri.domain.language.terms import stem

Judgement = Literal["same", "contradicts", "supersedes", "unrelated"]

LONGEST: Final = 120
"""Words; longer statements are the same when they are equal, and are not compared otherwise."""
SPARE_FOR_SAME: Final = 8
"""One word of so many may be missing from a statement that says the same."""
SPARE_FOR_CONTRARY: Final = 8
COVERED: Final = 0.6
"""The share of the older statement, in characters, that one which has come in its place takes up again."""
_LEAST_WORDS: Final = 2
_LEAST_CHARACTERS: Final = 4
_BEGINNING: Final = 3
_VALUE: Final = "#"
_TOTAL: Final = frozenset(map(stem, TOTAL))
_QUALIFYING: Final = frozenset(map(stem, QUALIFYING))

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
    """A statement as it is compared."""

    plain: str
    """Its letters, digits and operators, folded."""
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
    filled: bool
    """Whether what says so often only fills."""


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
    return missing is not None and len(missing) * SPARE_FOR_SAME <= len(old) and not _telling(missing)


def _telling(missing: list[str]) -> bool:
    return any(each in _QUALIFYING or IS_CJK.match(each) for each in missing)


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
    if len(shared) < max(longest - spare, min(len(mine), len(others))) or not _enough(said, shared):
        return False
    if _QUALIFYING.intersection({*mine} ^ {*others}):
        return False
    if new.denied != old.denied:
        return new.values == old.values
    if mine != others:
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
    if weight < COVERED * whole or added > whole or not _enough(said, shared) or others[0] not in mine[:_BEGINNING]:
        return False
    replaced = len(shared) < len(others) or new.values != old.values or new.denied != old.denied
    return not new.filled or (replaced and len(mine) - len(shared) < _BEGINNING)


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
    plain = "".join(each for each in whole.casefold() if each.isalnum() or each in _OPERATORS)
    folded = _NOT.sub(" not ", _ENUMERATION.sub("", whole, count=1))
    cues = [match.group() for match in CHANGE.finditer(folded.casefold())]
    told, filled = bool(cues), all(map(FILLING.fullmatch, cues))
    denied = len(re.findall(r"\bno longer\b|廃止", folded.casefold())) if told else 0
    return _Reader().read(_unchanging(folded) if told else folded, plain, told=told, filled=filled, denied=denied)


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
        """Japanese conditions end with their word: what the clause held so far is part of one."""
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
            self._say(f"{_VALUE}{value}")
        else:
            self._value(value)

    def _value(self, value: str) -> None:
        self._say(_VALUE)
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
    """Whether what stands before this ends what is said of something, rather than belonging to the next noun."""
    if following is None or following.lastgroup in {"comma", "quote", "symbol"}:
        return True
    said = following.group().casefold()
    return said[0] not in "なの" if following.lastgroup == "hiragana" else said in EMPTY | QUALIFYING


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
