"""Contradictions between the sources of an answer, found by their words: the signs of trouble without a language model.

The rules are made to be right rather than complete, because a false alarm costs more trust than a missed sign. Only
sentences on the subject of the question are compared.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Final

from nemuri_contracts.trouble_signs import MAX_SIGNS, Sign, SignKind
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import compare_statements
from nemuri_domain.language.tokenization import content_terms
from nemuri_domain.language.writing_systems import is_cjk

MAX_SENTENCES: Final = 60
"""Maximum number of sentences of one kind of source that are compared."""
LONGEST_SENTENCE: Final = 300
"""Maximum characters of a compared sentence."""
SHARED_TERMS: Final = 0.5
"""Minimum share of the terms of the shorter sentence that two compared sentences have in common."""
QUOTED: Final = 160
"""Maximum characters of a sentence that a sign quotes."""

_TEXTS: Final = ("{} says “{}”, {} says “{}”.", "{}は「{}」、{}は「{}」と述べています。")
"""Text of a sign, in English and in Japanese."""

LabelledText = tuple[str, str]
"""Label and text of a source."""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence of a source that is on the subject of the question."""

    label: str
    text: str
    terms: frozenset[str]


def contradictions(
    question: str, memories: Sequence[LabelledText], details: Sequence[LabelledText]
) -> tuple[Sign, ...]:
    """Return a sign for each pair of sources that contradict each other, at most `MAX_SIGNS`."""
    return tuple(islice(_signs(question, memories, details), MAX_SIGNS))


def _signs(question: str, memories: Sequence[LabelledText], details: Sequence[LabelledText]) -> Iterator[Sign]:
    """Yield one sign for each pair of sources that contradict each other."""
    wanted = content_terms(question)
    remembered, read = (_on_subject(statements, wanted) for statements in (memories, details))
    pairs: Iterable[tuple[SignKind, _Said, _Said]] = (
        *(("memory_against_material", one, two) for one, two in product(remembered, read)),
        *(("sources_conflict", one, two) for one, two in combinations(remembered, 2)),
        *(("sources_conflict", one, two) for one, two in combinations(read, 2)),
    )
    seen: set[tuple[str, str]] = set()
    for kind, one, two in pairs:
        labels = (one.label, two.label)
        if one.label != two.label and labels not in seen and _contradict(kind, one, two):
            seen.add(labels)
            text = _TEXTS[any(map(is_cjk, one.text))].format(one.label, _short(one.text), two.label, _short(two.text))
            yield Sign(kind=kind, text=text, labels=labels)


def _on_subject(sources: Sequence[LabelledText], wanted: frozenset[str]) -> list[_Said]:
    """Return the sentences that share a term with the question, at most `MAX_SENTENCES`, in the order of sources."""
    found: list[_Said] = []
    for label, text in sources:
        for sentence in sentences(text):
            if len(sentence) <= LONGEST_SENTENCE and not sentence.rstrip().endswith(("?", "？")):
                terms = content_terms(sentence)
                if terms & wanted:
                    found.append(_Said(label, sentence, terms))
        if len(found) >= MAX_SENTENCES:
            break
    return found[:MAX_SENTENCES]


def _contradict(kind: SignKind, one: _Said, two: _Said) -> bool:
    """Return True if the sentences contradict each other, or if the material says that what is remembered changed."""
    if len(one.terms & two.terms) < SHARED_TERMS * min(len(one.terms), len(two.terms)):
        return False
    relation = compare_statements(two.text, one.text)
    return relation == "contradicts" or (kind == "memory_against_material" and relation == "supersedes")


def _short(text: str) -> str:
    said = " ".join(text.split()).rstrip(".。")
    return said if len(said) <= QUOTED else f"{said[: QUOTED - 1]}…"
