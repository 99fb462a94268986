"""What several texts agree on, what they contradict each other in, and what only one of them says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.search_terms import content_terms
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import compared

ALIKE: Final = 0.5
"""The share of the terms of the shorter of two statements that both have, from which on they are about the same."""
FEWEST_SHARED: Final = 2
"""Terms that two statements about the same thing share at least, where the shorter one has so many."""
MOST_CLAIMS: Final = 60
"""Statements of one text that are compared; what a longer one says after them is left to who reads it."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPING = re.compile(r"(?<=\d),(?=\d{3})")
_NEGATIONS = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|hardly)\b|n['’]t\b"
    r"|ません|(?<!しか)(?<!かもしれ)(?<!なら)(?<!いけ)ない|なかった|なく(?!とも)|ずに|無い|不可(?!欠)",
    re.IGNORECASE,
)
_NUMERIC = re.compile(r"[\d.]+")


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence of one of the texts."""

    speaker: int
    """The place of its text."""
    text: str
    about: frozenset[str]
    """What it is about, without its numbers."""
    numbers: frozenset[str]
    denies: bool

    def agrees(self, other: "Claim") -> bool:
        """Whether both say the same: about the same, with the same polarity and no other numbers."""
        return self.concerns(other) and not self.opposes(other)

    def concerns(self, other: "Claim") -> bool:
        """Whether both are about the same."""
        fewer = min(len(self.about), len(other.about))
        shared = len(self.about & other.about)
        return fewer > 0 and shared >= min(FEWEST_SHARED, fewer) and shared >= ALIKE * fewer

    def opposes(self, other: "Claim") -> bool:
        """Whether one denies what the other asserts, or both give numbers and neither gives all of the other's."""
        differ = not (self.numbers <= other.numbers or other.numbers <= self.numbers)
        return self.denies != other.denies or differ


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the texts come to."""

    shared: tuple[Claim, ...]
    """What at least two say, in the words of the first, and no more say the contrary."""
    alone: tuple[Claim, ...]
    """What only one says and nobody contradicts."""
    against: tuple[Claim, ...]
    """What is contradicted by at least as many as say it, in the words of each who says it."""
    backing: tuple[tuple[int, ...], ...]
    """Who says each of what is shared: the places of their texts, ascending."""


def consensus(texts: Sequence[str]) -> Consensus:
    """What is shared, said by one alone, and contradicted among the texts; deterministic, in the order of the texts."""
    everything = [statement for place, text in enumerate(texts) for statement in claims(place, text)]
    shared: list[Claim] = []
    backed: list[tuple[int, ...]] = []
    alone: list[Claim] = []
    against: list[Claim] = []
    told: set[int] = set()
    for number, each in enumerate(everything):
        backing = {each.speaker}
        contrary: set[int] = set()
        for place, other in enumerate(everything):
            if other.speaker != each.speaker and each.concerns(other):
                if each.opposes(other):
                    contrary.add(other.speaker)
                else:
                    backing.add(other.speaker)
                    if number not in told:
                        told.add(place)
        if len(contrary - backing) >= len(backing):
            against.append(each)
        elif number not in told:
            (shared if len(backing) > 1 else alone).append(each)
            backed += [tuple(sorted(backing))] if len(backing) > 1 else []
    return Consensus(tuple(shared), tuple(alone), tuple(against), tuple(backed))


def differ(one: str, other: str) -> bool:
    """Whether two sentences about the same differ in polarity, in their numbers, or in a value of the same words.

    However many words they share, they do not say the same.
    """
    said = {compared(one, other), compared(other, one)}
    return not said.isdisjoint({"contradicts", "supersedes"}) or _claim(0, one).opposes(_claim(1, other))


def claims(speaker: int, text: str) -> list[Claim]:
    """The sentences of a text that say something, without list marks, each once; at most `MOST_CLAIMS`."""
    bodies = dict.fromkeys(each[marker_end(each, 0, len(each)) :].strip() for each in sentences(text))
    found = [_claim(speaker, body) for body in bodies]
    return [each for each in found if each.about or each.numbers][:MOST_CLAIMS]


def _claim(speaker: int, body: str) -> Claim:
    numbers = frozenset(_NUMBER.findall(_GROUPING.sub("", body)))
    about = frozenset(term for term in content_terms(body) if not _NUMERIC.fullmatch(term))
    return Claim(speaker, body, about, numbers, len(_NEGATIONS.findall(body)) % 2 == 1)
