"""Grading of free answers by their words: required points, their synonyms, and negation (document 000 §4.1)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.education.denial import is_denied
from nemuri_domain.language.citations import without_citations
from nemuri_domain.language.tokenization import stem
from nemuri_domain.language.writing_systems import KATAKANA, UNSPACED, WORD

Synonyms = Mapping[str, tuple[str, ...]]
"""Other words for a keyword, by keyword."""
_WORDS = re.compile(rf"{WORD}+")
_NUMERIC: Final = re.compile(r"(?<![0-9A-Za-z_.])[0-9]+(?:[.,][0-9]+)*")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_LONG_VOWEL = re.compile(rf"(?<=[{KATAKANA}]{{2}})ー(?![{KATAKANA}ー])")
_NUMBERS: Final = {
    word: str(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}
_BRITISH: Final = (
    (re.compile(r"(?<=[a-z]{3})is(?=(?:e|ed|es|ing|ation|ations)$)"), "iz"),
    (re.compile(r"(?<=[a-z]{3})our(?=s?$)"), "or"),
)
_BRACKETED: Final = re.compile(
    rf"(?P<long>[{UNSPACED}ー]{{2,20}}|(?:[\w-]+ ){{0,6}}[\w-]+) ?[(（](?P<short>[^()（）]{{2,40}})[)）]"
)
_SMALL: Final = frozenset(("of", "the", "and", "a", "an", "for", "in", "to", "on"))
_LEAST_ACRONYM: Final = 2


@dataclass(frozen=True, slots=True)
class GradingVerdict:
    """The result of grading an answer."""

    missing: tuple[str, ...] = ()
    """Keywords that the answer does not contain in any form, or that it denies."""
    denied: tuple[str, ...] = ()
    """Those of the missing keywords that the answer mentions, but denies."""
    note: str = ""
    """Reason of the grade in one line; "" if `missing` says it all."""
    wrong: bool = False
    """True if the answer is wrong although no keyword is missing."""

    @property
    def correct(self) -> bool:
        """Return True if the answer is right."""
        return not (self.missing or self.wrong)


def missing_keywords(keywords: Iterable[str], answer: str, synonyms: Synonyms | None = None) -> tuple[str, ...]:
    """Return the keywords that the answer does not contain, in the order of `keywords`.

    Case, character width (NFKC), British spelling, final long vowels of katakana (サーバー) and citation labels such as
    [m1] are ignored. A keyword of words matches whole words with the same stems, adjacent and in order. A keyword that
    is a number matches only the whole number, in digits or as a word up to twelve. A keyword of a script without
    spaces, or without letters, matches anywhere in the text, ignoring spaces. A synonym counts like its keyword.
    """
    said = _Said.of(answer)
    return tuple(keyword for keyword in keywords if not any(map(said.contains, _forms(keyword, synonyms))))


def grade_by_words(
    keywords: Sequence[str], answer: str, *, right: str = "", synonyms: Synonyms | None = None
) -> GradingVerdict:
    """Return the verdict on an answer by its words: it must contain each keyword, or a synonym of it, without denying
    it.

    A keyword is denied if every mention of it is ("not the price", 価格ではない), and the right answer does not deny
    it too. Words for the opposite are not recognised.
    """
    missing = missing_keywords(keywords, answer, synonyms)
    text, expected = _folded(without_citations(answer)), _folded(without_citations(right))
    denied = tuple(
        keyword
        for keyword in keywords
        if keyword not in missing and _denies(text, keyword, synonyms) and not _denies(expected, keyword, synonyms)
    )
    order = {keyword: index for index, keyword in enumerate(keywords)}
    note = f"the answer denies {', '.join(denied)}" if denied else ""
    return GradingVerdict(tuple(sorted((*missing, *denied), key=order.__getitem__)), denied, note)


def is_echo(question: str, keywords: Sequence[str], *, drew_on_something: bool) -> bool:
    """Return True if an answer with all keywords may be just an echo of the question.

    That is so if it used no source (`drew_on_something` is False) and the question contains all keywords too.
    """
    return not (drew_on_something or missing_keywords(keywords, question))


def names_in(texts: Iterable[str]) -> Synonyms:
    """Return the names that texts give to the same thing in brackets: 「総保有コスト（TCO）」, "total cost of ownership
    (TCO)". Each name is a key, with its other names.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        for match in _BRACKETED.finditer(text):
            short = match["short"].strip()
            long = _written_out(match["long"], short)
            if long:
                for one, other in ((long, short), (short, long)):
                    found[one] = tuple(dict.fromkeys((*found.get(one, ()), other)))
    return found


def synonyms_of(keywords: Iterable[str], *known: Synonyms) -> Synonyms:
    """Return the synonyms of the keywords in several collections. Keywords are compared without case and width."""
    folded = [{_folded(name): others for name, others in synonyms.items()} for synonyms in known]
    return {
        keyword: tuple(dict.fromkeys(other for synonyms in folded for other in synonyms.get(_folded(keyword), ())))
        for keyword in keywords
    }


@dataclass(frozen=True, slots=True)
class _Said:
    """An answer, prepared for the search of keywords."""

    stems: list[str]
    numbers: set[str]
    closed: str

    @classmethod
    def of(cls, answer: str) -> "_Said":
        said = _folded(without_citations(answer))
        numbers = set(_NUMERIC.findall(said)) | {_NUMBERS[word] for word in _WORDS.findall(said) if word in _NUMBERS}
        return cls(_stems(said), numbers, _closed(said))

    def contains(self, keyword: str) -> bool:
        folded = _folded(keyword)
        if _NUMERIC.fullmatch(folded):
            return folded in self.numbers
        if _UNSPACED.search(folded) or not _WORDS.search(folded):
            return _closed(folded) in self.closed
        wanted = _stems(folded)
        return any(self.stems[at : at + len(wanted)] == wanted for at in range(len(self.stems) - len(wanted) + 1))


def _forms(keyword: str, synonyms: Synonyms | None) -> tuple[str, ...]:
    return (keyword, *(synonyms or {}).get(keyword, ()))


def _denies(text: str, keyword: str, synonyms: Synonyms | None) -> bool:
    return is_denied(text, [_folded(form) for form in _forms(keyword, synonyms)])


def _written_out(long: str, short: str) -> str:
    """Return the words before a bracket that its content abbreviates; "" if it abbreviates none."""
    if _UNSPACED.search(long):
        return long if not _UNSPACED.search(short) and short.isupper() else ""
    letters = short.casefold()
    words = long.split()
    if not (short.isupper() and len(letters) >= _LEAST_ACRONYM):
        return ""
    for size in range(len(letters), len(words) + 1):
        last = words[-size:]
        if "".join(word[0] for word in last if word.casefold() not in _SMALL).casefold() == letters:
            return " ".join(last)
    return ""


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return _LONG_VOWEL.sub("", plain)


def _closed(text: str) -> str:
    return "".join(text.split())


def _stems(text: str) -> list[str]:
    return [stem(_american(word)) for word in _WORDS.findall(text)]


def _american(word: str) -> str:
    for pattern, spelling in _BRITISH:
        word = pattern.sub(spelling, word)
    return word
