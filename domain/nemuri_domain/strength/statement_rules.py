"""Comparison of a statement with an earlier one by rules, for platforms without a language model.

In doubt two statements are unrelated: to put a true fact behind another one is worse than to leave two beside each
other, whose order is decided at each retrieval (`succession`). Of 500 facts that merely share names and words, the
rules relate none (`tests/integration/test_judgements.py`).
"""

import re
import unicodedata
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

from nemuri_domain.language.statement_comparison import UNRELATED, Compared, Comparison, compare_statements
from nemuri_domain.language.statement_parser import parse_statement
from nemuri_domain.language.word_files import WordFile
from nemuri_domain.language.word_table import MEDIAN_IMPORTANCE, word_table
from nemuri_domain.strength.succession import EXCHANGED, NAMING, StatementPairs

CHANGES: Final = WordFile("language/changes", re.IGNORECASE)
"""What somebody has one of at a time."""
_ONE_AT_A_TIME: Final = ("home", "work", "assignment")
PLAIN: Final = 0.85
FILLED: Final = 1.0
"""Minimum of the cosine and the share of common words together from which a word of change is about the same thing. It
is higher for words such as "now", which are often mere fillers.
"""
SIGN: Final = 0.55
"""Minimum likeness to a word of change of a word that only the newer statement has."""
_SUBJECT_AND_VALUE: Final = 2
LONGEST_SUBJECT: Final = 48
"""Maximum characters of a subject."""
_AROUND: Final = re.compile(r"\b(?:now|since|just|recently|already|currently)\b|^\W+|[\s、,は]+$", re.IGNORECASE)
_PARTICLE: Final = re.compile(r"^(?P<subject>[^はが、。]{1,24})[はが]")
_REASONS: Final[dict[Comparison, str]] = {
    "same": "it says no more in the same words",
    "supersedes": "it repeats the older one with a change",
    "contradicts": "it differs in one value or in a negation",
}


def compared_by_rules(new: str, old: str) -> Compared:
    """Return the relation of a statement to an earlier one, with the rule that found it."""
    comparison = compare_statements(new, old)
    if comparison == "supersedes" and not _about_same_thing(new, old):
        return UNRELATED
    if comparison != "unrelated":
        return Compared(comparison, _REASONS.get(comparison, ""))
    for kind in _ONE_AT_A_TIME:
        if _replaced(kind, new, old):
            return Compared("supersedes", f"the same subject has one {kind} at a time, and it has changed")
    return Compared("supersedes", "it says a change of nearly the same") if _changed(new, old) else UNRELATED


def _replaced(kind: str, new: str, old: str) -> bool:
    """Return whether a statement says that its subject has changed what it has one of, and the older one what it
    was.
    """
    now, then = _said(f"new {kind}", new), _said(kind, old)
    return now is not None and then is not None and now[0] == then[0] and now[1] != then[1]


@lru_cache(maxsize=16_384)
def _said(section: str, text: str) -> tuple[str, str] | None:
    """Return the subject of a statement and what it says of it by a section of the words of change, case-folded; None
    if it has no such subject.
    """
    text = unicodedata.normalize("NFKC", text).strip()
    match = CHANGES.pattern(section).search(text)
    if match is None:
        return None
    particle = _PARTICLE.match(text[: match.start()])
    subject = particle["subject"] if particle else _AROUND.sub("", text[: match.start()])
    subject = " ".join(subject.casefold().split())
    value = (text[particle.end() : match.start()] if particle else text[match.end() :]).strip(" .。!")
    if not subject or len(subject) > LONGEST_SUBJECT or CHANGES.pattern("pronouns").fullmatch(subject):
        return None
    return subject, value.casefold()


def _changed(new: str, old: str) -> bool:
    """Return whether a statement says a change that the older one does not say, of nearly the same. If the older one
    has a number or a date, the newer one has another.
    """
    said, before = parse_statement(new), parse_statement(old)
    signs = CHANGES.pattern("signs").search(new) is not None
    if not (said.changed or signs) or before.changed or (before.values and not said.values):
        return False
    pair = StatementPairs.of([word_table().words(old), word_table().words(new)])
    alike = float(pair.likeness[0, 1]) + float(pair.shared[0, 1])
    least = PLAIN if signs or not said.filled else FILLED
    return alike >= least and bool(pair.signs[0, 1] >= SIGN) and _about_same_thing(new, old)


def _about_same_thing(new: str, old: str) -> bool:
    """Return whether the newer of two statements names first what the older one names first, or at all, and exchanges
    words in one place at most. Two exchanges are a subject and a value: the statement is about another thing.
    """
    told, told_later = _content(old), _content(CHANGES.pattern("signs").sub(" ", new))
    exchanged = [
        kind
        for kind, at, end, later, later_end in SequenceMatcher(None, told, told_later, autojunk=False).get_opcodes()
        if kind == "replace" and max(end - at, later_end - later) <= EXCHANGED
    ]
    return bool(told) and told[0] in told_later and len(exchanged) < _SUBJECT_AND_VALUE


def _content(text: str) -> list[int]:
    """Return the words of a text that say something."""
    words = word_table().words(text)
    said: list[int] = words[word_table().importance(words) >= NAMING * MEDIAN_IMPORTANCE].tolist()
    return said
