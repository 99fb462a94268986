"""Comparison of two statements: same, contradicting, superseding or unrelated.

Compares words only, so in doubt two statements are unrelated: synonyms and conclusions from world knowledge are not
recognised. Error rates were measured on sentences and their five nearest neighbours by the built-in embedder (cosine
from 0.2). Of 15,979 pairs of the Python documentation, 104 are classified as the same, 2 as contradicting and 1 as
superseding. Of the 104, 20 are equal in letters; the other 84 were read by a person and are correct (most are headings
and repeated sentences). The other three are wrong (notes on two different escapes; two texts on one proposal). Of 8,974
pairs of JSQuAD none is classified as related; these were not read one by one. The rules were tuned on these texts, so
they may be wrong more often on others. The number of missed relations was not measured; most paraphrases are probably
missed.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal

from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_parser import VALUE, WORDS, ParsedStatement, parse_statement
from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.writing_systems import is_cjk

Comparison = Literal["same", "refines", "contradicts", "supersedes", "unrelated"]


@dataclass(frozen=True, slots=True)
class Compared:
    """The relation of a statement to another one."""

    comparison: Comparison
    reason: str = ""
    """Why, in a few words; "" if it was not said."""


UNRELATED: Final = Compared("unrelated")

COMPARED_WORDS: Final = 120
"""Maximum words of a statement that is compared. A longer statement is the same as an equal one, and unrelated to any
other.
"""
SPARE_FOR_SAME: Final = 8
"""Two statements count as the same only if the newer one lacks at most one in this number of words of the older one."""
SPARE_FOR_CONTRARY: Final = 8
REPEATED_RATIO: Final = 0.6
"""Minimum share of the older statement's characters that a superseding statement repeats."""
_LEAST_WORDS: Final = 2
_LEAST_CHARACTERS: Final = 4
_BEGINNING: Final = 3


def compare_statements(new: str, old: str) -> Comparison:
    """Return the relation of the newer text to the older one, or to one sentence of the older one.

    If several relations are found, the first of these is returned: same, supersedes, contradicts. A text is the same as
    itself.
    """
    mine = parse_statement(new)
    if not mine.plain:
        return "same" if new.split() == old.split() else "unrelated"
    found = {_said_of(mine, parse_statement(part)) for part in _parts(old)}
    ranks: tuple[Comparison, ...] = ("same", "supersedes", "contradicts")
    return next((rank for rank in ranks if rank in found), "unrelated")


@lru_cache(maxsize=4_096)
def _parts(text: str) -> tuple[str, ...]:
    """Return a text and its sentences, each once."""
    return tuple(dict.fromkeys((text, *sentences(text))))


def differ(one: str, other: str) -> bool:
    """Return True if two sentences about the same thing differ in polarity or in a value."""
    found = {compare_statements(one, other), compare_statements(other, one)}
    return not found.isdisjoint({"contradicts", "supersedes"}) or opposite(parse_statement(one), parse_statement(other))


def opposite(one: ParsedStatement, other: ParsedStatement) -> bool:
    """Return True if exactly one of two statements is negated, or if each has a value that the other does not have."""
    mine, others = {*one.values}, {*other.values}
    return one.denied != other.denied or not (mine <= others or others <= mine)


def _said_of(new: ParsedStatement, old: ParsedStatement) -> Comparison:
    if new.plain == old.plain:
        return "same"
    if not new.words or not old.words or max(len(new.words), len(old.words)) > COMPARED_WORDS:
        return "unrelated"
    if new.changed and not old.changed:
        return "supersedes" if _supersedes(new, old) else "unrelated"
    if new.changed or old.changed or new.denied_condition != old.denied_condition:
        return "unrelated"
    if new.values == old.values and new.denied == old.denied:
        return "same" if _says_no_more(new.words, old.words) else "unrelated"
    return "contradicts" if _contrary(new, old) else "unrelated"


def _says_no_more(new: tuple[str, ...], old: tuple[str, ...]) -> bool:
    """Return True if the older statement has all words of the newer one, in order or rotated, and few others."""
    if len(new) == len(old) > _LEAST_WORDS and any(new == old[at:] + old[:at] for at in range(len(old))):
        return True
    missing = _missing(new, old)
    return missing is not None and len(missing) * SPARE_FOR_SAME <= len(old) and not _telling(missing)


def _telling(missing: list[str]) -> bool:
    return any(word in _stems("qualifying") or is_cjk(word[:1]) for word in missing)


def _missing(part: tuple[str, ...], whole: tuple[str, ...]) -> list[str] | None:
    """Return the words of `whole` that `part` lacks; None if `part` is not a subsequence of `whole`."""
    left, at = [], 0
    for word in whole:
        if at < len(part) and part[at] == word:
            at += 1
        else:
            left.append(word)
    return left if at == len(part) else None


def _contrary(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Return True if two statements have nearly the same words, and either exactly one of them is negated or exactly
    one value differs, but not both.
    """
    mine, others = (tuple(word for word in one.core if word not in _stems("total")) for one in (new, old))
    longest = max(len(mine), len(others))
    least = max(longest - longest // SPARE_FOR_CONTRARY, min(len(mine), len(others)))
    if sum((Counter(mine) & Counter(others)).values()) < least:
        return False  # In order they share no more than in any order, and that is quickly counted.
    shared = _shared(mine, others)
    said = sum(1 for word in shared if word != VALUE and word not in _particles())
    if len(shared) < least or not _enough(said, shared):
        return False
    if _stems("qualifying").intersection({*mine} ^ {*others}):
        return False
    if new.denied != old.denied:
        return new.values == old.values
    if mine != others:
        return False
    other = [at for at, (one, two) in enumerate(zip(new.values, old.values, strict=True)) if one != two]
    return len(other) == 1 and not (new.conditional[other[0]] or old.conditional[other[0]])


def _enough(words: int, shared: list[str]) -> bool:
    characters = sum(len(word) for word in shared if is_cjk(word[:1]) and word not in _particles())
    return words >= _LEAST_WORDS or characters >= _LEAST_CHARACTERS or (words > 0 and VALUE in shared)


def _supersedes(new: ParsedStatement, old: ParsedStatement) -> bool:
    """Return True if a statement about a change repeats most of the older statement, but not all of it unchanged."""
    mine, others = (tuple(word for word in one.core if word not in _particles()) for one in (new, old))
    if (mine, new.values, new.denied) == (others, old.values, old.denied):
        return False
    whole = sum(map(len, others))
    if sum(map(len, (Counter(mine) & Counter(others)).elements())) < REPEATED_RATIO * whole:
        return False
    shared = _shared(mine, others)
    weight = sum(map(len, shared))
    added = sum(map(len, mine)) - weight
    said = sum(1 for word in shared if word != VALUE)
    if (
        weight < REPEATED_RATIO * whole
        or added > whole
        or not _enough(said, shared)
        or others[0] not in mine[:_BEGINNING]
    ):
        return False
    replaced = len(shared) < len(others) or new.values != old.values or new.denied != old.denied
    return not new.filled or (replaced and len(mine) - len(shared) < _BEGINNING)


def _shared(one: tuple[str, ...], two: tuple[str, ...]) -> list[str]:
    """Return the longest common subsequence of two sequences of words."""
    longest: list[list[str]] = [[]] * (len(two) + 1)
    for word in one:
        row: list[list[str]] = [[]]
        for at, other in enumerate(two):
            row.append([*longest[at], word] if word == other else max(row[-1], longest[at + 1], key=len))
        longest = row
    return longest[-1]


@cache
def _stems(section: str) -> frozenset[str]:
    return frozenset(map(stem, WORDS.words(section)))


def _particles() -> frozenset[str]:
    return WORDS.word_set("particles")
