"""Comparison of several texts: claims that they share, claims of one text, and contradicted claims."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import opposite
from nemuri_domain.language.statement_parser import ParsedStatement, parse_statement
from nemuri_domain.language.tokenization import content_terms

SHARED_TERMS_RATIO: Final = 0.5
"""Minimum share of the shorter claim's terms that two claims about the same thing have in common."""
SHARED_TERMS: Final = 2
"""Minimum number of terms that two claims about the same thing have in common. A claim with fewer terms must share all
of them.
"""
CLAIMS_PER_TEXT: Final = 60
"""Maximum number of claims of one text that are compared. Later ones are ignored."""

_NUMERIC = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of one of the compared texts."""

    speaker: int
    """Index of the text that contains the sentence."""
    text: str
    about: frozenset[str]
    """Terms of the sentence, without numbers."""
    parsed: ParsedStatement

    def agrees(self, other: "Claim") -> bool:
        """Return True if both claims are about the same thing, with the same polarity and compatible values."""
        return self.concerns(other) and not self.opposes(other)

    def concerns(self, other: "Claim") -> bool:
        """Return True if both claims are about the same thing: enough of their terms are the same."""
        fewer = min(len(self.about), len(other.about))
        shared = len(self.about & other.about)
        return fewer > 0 and shared >= min(SHARED_TERMS, fewer) and shared >= SHARED_TERMS_RATIO * fewer

    def opposes(self, other: "Claim") -> bool:
        """Return True if exactly one claim is negated, or if each has a value that the other does not have."""
        return opposite(self.parsed, other.parsed)


@dataclass(frozen=True, slots=True)
class Consensus:
    """The result of a comparison of texts."""

    shared: tuple[Claim, ...]
    """Claims that at least two texts support and that fewer texts contradict than support, in the words of the first
    text.
    """
    alone: tuple[Claim, ...]
    """Claims that one text supports and no other text contradicts."""
    against: tuple[Claim, ...]
    """Claims that at least as many texts contradict as support, in the words of each text."""
    backing: tuple[tuple[int, ...], ...]
    """Ascending indexes of the texts that support each claim in `shared`."""


def compare_texts(texts: Sequence[str]) -> Consensus:
    """Return the shared claims, the claims of single texts and the contradicted claims, in the order of the texts.
    Deterministic.
    """
    everything = [statement for index, text in enumerate(texts) for statement in claims(index, text)]
    shared: list[Claim] = []
    backed: list[tuple[int, ...]] = []
    alone: list[Claim] = []
    against: list[Claim] = []
    told: set[int] = set()
    for number, statement in enumerate(everything):
        backing = {statement.speaker}
        contrary: set[int] = set()
        for index, other in enumerate(everything):
            if other.speaker != statement.speaker and statement.concerns(other):
                if statement.opposes(other):
                    contrary.add(other.speaker)
                else:
                    backing.add(other.speaker)
                    if number not in told:
                        told.add(index)
        if len(contrary - backing) >= len(backing):
            against.append(statement)
        elif number not in told:
            (shared if len(backing) > 1 else alone).append(statement)
            backed += [tuple(sorted(backing))] if len(backing) > 1 else []
    return Consensus(tuple(shared), tuple(alone), tuple(against), tuple(backed))


def claims(speaker: int, text: str) -> list[Claim]:
    """Return the claims of a text: sentences with terms or values, without list markers, at most `CLAIMS_PER_TEXT`.

    `speaker` is the index of the text.
    """
    bodies = dict.fromkeys(sentence[marker_end(sentence, 0, len(sentence)) :].strip() for sentence in sentences(text))
    found = [_claim(speaker, body) for body in bodies]
    return [claim for claim in found if claim.about or claim.parsed.values][:CLAIMS_PER_TEXT]


def _claim(speaker: int, body: str) -> Claim:
    about = frozenset(term for term in content_terms(body) if not _NUMERIC.fullmatch(term))
    return Claim(speaker, body, about, parse_statement(body))
