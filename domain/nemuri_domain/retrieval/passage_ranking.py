"""Extraction of sentences from texts, and their ranking by relevance to a question or by centrality."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.citations import without_citation_brackets
from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.sentences import sentences
from nemuri_domain.language.statement_comparison import differ
from nemuri_domain.language.table_flattening import flatten_layout, is_layout_row
from nemuri_domain.language.tokenization import GRAMMAR_TERM, terms

QUOTE_LIMIT: Final = 400
"""Maximum characters of a quoted sentence."""

_SATURATION: Final = 1.2
_DUPLICATE: Final = 0.7

_UNDERLINE = re.compile(r"(?:^|\s)([*=~^#_+-])\1{3,}(?:\s|$)")
"""The line of characters under a heading in plain text."""
_DRAWN = re.compile(r"^\s{0,20}[$❯] +\S|[\u2501-\u259f]|(?<!\S)\u2500+(?!\S)|(?<=\S\s)[▶►◀◄]|[-=]{2}>|<[-=]{2}|\+--")
"""A line of a console, or a line of a diagram."""
_FENCE = re.compile(r"[ \t]{0,9}(?:```|~~~)[^`]*$")
_FOOTNOTE = re.compile(r"(?:\[[0-9]{1,3}\]\s*)+")
_STRONG = re.compile(r"\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*")
_QUOTED = re.compile(r"\"[^\"]*\"|“[^”]*”|`[^`]*`")
_CODE = re.compile(r"(?:^|\s)(?:>>>|::?=|[=!<>]=|[-+*/|]?=|->|\|)(?:\s|$)|\w\([^()]*\):|[{};]\s*$|^\.\.\.\s|\w=\w")
_CODE_NAME = re.compile(r"`[^`]+`|(?<!\w)\w+(?:/\w+)*(?:\.\w+|_\w+|\([\w, ]{0,80}\))+")
_FEWEST_WORDS: Final = 3
_LEANING = re.compile(
    r"(?:this|these|those|that|they|it|its|such|see|note that|in this case|for example|otherwise|also|then)\b"
    r"|(?:これ|それ|この|その|また|なお)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?…。！？｡][\"'”’」』）)\]]*$")
CODE_FITNESS: Final = 0.25
"""Fitness of a sentence that is mostly code."""
_FRAGMENT: Final = 0.6
_ROW: Final = 0.9
"""Fitness of a row of a file tree or a table, which is not a sentence."""
_LEANS: Final = 0.75
_FAVOUR: Final = 3.0


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence of a source, prepared for quotation on one line."""

    label: str
    text: str
    counts: Counter[str]
    """Number of occurrences of each term in the sentence."""
    fitness: float = 1.0
    """Measure of how well the sentence can stand alone, more than 0 and at most 1. It is low for code, for fragments,
    and for sentences that depend on their context.
    """


def passages(label: str, text: str) -> list[Passage]:
    """Return the sentences of the text that have at least one term, each prepared for quotation.

    List markers, footnote marks, emphasis and underlined headings are removed; a text that is only a heading keeps it.
    Citations are put into round brackets, so that they cite nothing. Console lines ("$ …") and lines of diagrams are
    dropped, unless the text has nothing else. Each line of a fenced block is a separate sentence.
    """
    found = sentences(_prose(text)) or sentences(text)
    bodies = [body for sentence in found if (body := _UNDERLINE.split(sentence)[-1])] or found
    readable = (_readable(body) for body in bodies)
    return [
        Passage(label, sentence, counts, _fitness(sentence))
        for sentence in readable
        if (counts := Counter(terms(sentence)))
    ]


def worths(
    candidates: Sequence[Passage], wanted: frozenset[str], favoured: frozenset[str] = frozenset()
) -> list[float]:
    """Return the score of each passage: its fitness × the sum of idf × saturated frequency of the wanted terms in it.

    Terms in `favoured` have twice the weight. The score is 0 without a wanted term.
    """
    weights = {term: weight * (2 if term in favoured else 1) for term, weight in _idf(candidates, wanted).items()}
    return [_worth(candidate, weights) for candidate in candidates]


def most_central(candidates: Sequence[Passage], favoured: Iterable[str]) -> Passage | None:
    """Return the most central passage, whose terms are frequent among the candidates; None without candidates.

    The score is the sum of ln(1 + number of candidates with the term) over the distinct terms of the passage, × fitness
    / √(number of terms + 4), so that length alone does not win. Terms in `favoured` count three times. Ties go to the
    earlier passage.
    """
    favourites = frozenset(favoured)
    everywhere: Counter[str] = Counter()
    for candidate in candidates:
        everywhere.update(candidate.counts.keys())

    def centrality(candidate: Passage) -> float:
        total = sum(
            math.log1p(everywhere[term])
            * (_FAVOUR if term in favourites else 1)
            * (0.2 if GRAMMAR_TERM.fullmatch(term) else 1)
            for term in candidate.counts
        )
        return candidate.fitness * total / math.sqrt(len(candidate.counts) + 4)

    return max(candidates, key=centrality, default=None)


def most_related(candidates: Sequence[Passage], wanted: frozenset[str]) -> list[Passage]:
    """Return the passages with the highest number of wanted terms; empty if no passage has any."""
    shared = [len(wanted & candidate.counts.keys()) for candidate in candidates]
    top = max(shared, default=0)
    return [candidate for candidate, number in zip(candidates, shared, strict=True) if top and number == top]


def labels_used(sentences: Sequence[Passage], *, asked: str, answer: str) -> frozenset[str]:
    """Return the labels of the sentences that an answer uses, in the same or in similar words.

    A sentence is used if at least two of its terms, with at least half of the weight of all its terms, occur in the
    answer. A term's weight is its idf among the sentences. Terms of the question do not count.
    """
    said, known = frozenset(terms(answer)), frozenset(terms(asked))
    weights = _idf(sentences, frozenset(term for one in sentences for term in one.counts))

    def comes_again(one: Passage) -> bool:
        own = [term for term in one.counts if term not in known and not GRAMMAR_TERM.fullmatch(term)]
        again = [term for term in own if term in said]
        return len(again) > 1 and 2 * sum(weights[count] for count in again) >= sum(weights[count] for count in own)

    return frozenset(one.label for one in sentences if comes_again(one))


def _prose(text: str) -> str:
    """Return the text without lines that are not prose, and with layout rows that can stand alone.

    Each line of a fenced block becomes a separate sentence, because code does not wrap.
    """
    lines = flatten_layout(text).split("\n")
    fences = [_FENCE.match(line) is not None for line in lines]
    whole = sum(fences) % 2 == 0  # An odd number means that the text was cut inside a block.
    kept: list[str] = []
    inside = False
    for line, fence in zip(lines, fences, strict=True):
        inside ^= fence and whole
        kept.append("" if fence or _DRAWN.search(line) else line)
        if inside:
            kept.append("")
    return "\n".join(kept)


def _readable(sentence: str) -> str:
    body = sentence[marker_end(sentence, 0, len(sentence)) :].strip().lstrip("#").strip()
    body = without_citation_brackets(_STRONG.sub(r"\1", body[_leading(body) :]))
    if len(body) <= QUOTE_LIMIT:
        return body
    cut = body[: QUOTE_LIMIT - 1]
    space = cut.rfind(" ", QUOTE_LIMIT // 2)
    return (cut[:space] if space > 0 else cut).rstrip(" ,、，") + "…"


def _leading(body: str) -> int:
    """Return the length of the footnote marks at the start of a sentence. They belong to the sentence before."""
    match = _FOOTNOTE.match(body)
    return match.end() if match and match.end() < len(body) else 0


def _fitness(sentence: str) -> float:
    if _CODE.search(_QUOTED.sub("x", sentence)) or _is_mostly_code(sentence):
        return CODE_FITNESS
    whole = 1.0 if _SENTENCE_END.search(sentence) else _ROW if is_layout_row(sentence) else _FRAGMENT
    return whole * (_LEANS if _LEANING.match(sentence) else 1.0)


def _is_mostly_code(sentence: str) -> bool:
    """Return True if the sentence has names of code, fewer than `_FEWEST_WORDS` other terms, and not more of these than
    names.
    """
    plain, names = _CODE_NAME.subn(" ", sentence)
    return names > 0 and len(terms(plain)) < min(_FEWEST_WORDS, names + 1)


def _idf(candidates: Sequence[Passage], wanted: frozenset[str]) -> dict[str, float]:
    total = len(candidates)
    holding = {term: sum(term in candidate.counts for candidate in candidates) for term in sorted(wanted)}
    return {term: math.log1p((total - count + 0.5) / (count + 0.5)) for term, count in holding.items() if count}


def _worth(passage: Passage, weights: dict[str, float]) -> float:
    length = 0.7 + 0.3 * len(passage.text) / 80
    return passage.fitness * sum(
        weight * count / (count + _SATURATION * length)
        for term, weight in weights.items()
        if (count := passage.counts.get(term, 0))
    )


def is_alike(one: Passage, other: Passage) -> bool:
    """Return True if two passages say nearly the same: the Jaccard index of their terms is above 0.7, and neither
    polarity nor a value differs.
    """
    return _overlap(one, other) > _DUPLICATE and not differ(one.text, other.text)


def _overlap(one: Passage, other: Passage) -> float:
    """Return the Jaccard index of the terms of two passages. Each passage must have at least one term."""
    return len(one.counts.keys() & other.counts.keys()) / len(one.counts.keys() | other.counts.keys())
