"""Quotes from the units of documents that a search found for a request: turns, paragraphs, items and rows."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from nemuri_domain.language.list_markers import marker_end
from nemuri_domain.language.request_items import is_echo, is_part_of_item, listed_requests
from nemuri_domain.language.sentences import normalised
from nemuri_domain.language.table_flattening import flatten_layout, row_with_heads
from nemuri_domain.language.tokenization import terms
from nemuri_domain.retrieval.passage_ranking import CODE_FITNESS, Passage, is_alike, passages, worths
from nemuri_infra.models.sources import Source

FIRST_CHARACTERS: Final = 500
"""Maximum characters of the quote from the most relevant unit."""
UNIT_CHARACTERS: Final = 320
"""Maximum characters of every other quote. A longer unit is quoted in part."""
LEAST_RELEVANCE: Final = 0.3
"""Minimum relevance of a quoted unit, relative to the best one."""
CODE_FACTOR: Final = 0.5
"""Factor for the relevance of code, which shares words with a question more easily than it answers it."""
_SEPARATOR: Final = " › "
_STATED: Final = (".", "。")
"""Ends of a line above a list that is a statement of its own, not the name or the introduction of the list."""
_ANNOUNCING: Final = (":", "：")
_FEWEST_TERMS: Final = 3
"""Minimum number of different terms of a unit that ends with a colon and is quoted by itself."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quote from a source, with its relevance: 1 for the best unit of the documents."""

    passage: Passage
    relevance: float


def quotes(details: Sequence[Source], request: int, asked: Sequence[str], wanted: frozenset[str]) -> list[Quote]:
    """Return a quote from each relevant unit of the details, most relevant first.

    `request` is the number of the request in the question, `asked` are the question and its requests, and `wanted` are
    the terms of the request. A unit that only repeats a request or announces what follows is left out. A long unit is
    quoted in part: the sentence with most of the wanted terms, with the sentences around it.
    """
    found = [
        (hit.relevance * _fitness(sentences), source.label, sentences)
        for source in details
        for listed in (listed_requests(source.text, asked),)
        for hit in source.hits
        if hit.request == request and hit.relevance >= LEAST_RELEVANCE
        if (sentences := _sentences(source, hit.start, hit.end, hit.kind, hit.introduction))
        and not _only_announces(sentences)
        and not all(is_echo(sentence.text, asked) or is_part_of_item(sentence.text, listed) for sentence in sentences)
    ]
    found.sort(key=lambda passage: -passage[0])
    scores = iter(worths([passage for _, _, some in found for passage in some], wanted))
    made = list[Quote]()
    for index, (relevance, label, sentences) in enumerate(found):
        worth = [next(scores) for _ in sentences]
        room = UNIT_CHARACTERS if index else FIRST_CHARACTERS
        made.append(Quote(_joined(label, _best_run(sentences, worth, room)), relevance))
    return made


def _only_announces(sentences: Sequence[Passage]) -> bool:
    """Return True for a unit such as "For example:", which says nothing without what follows."""
    [first, *others] = sentences
    return not others and first.text.endswith(_ANNOUNCING) and len(first.counts) < _FEWEST_TERMS


def related(details: Sequence[Source], wanted: frozenset[str]) -> bool:
    """Return True if a unit that a search found has a wanted term, even if it only repeats the question. Then its
    neighbours may answer it.
    """
    units = (source.text[hit.start : hit.end] for source in details for hit in source.hits)
    return any(not wanted.isdisjoint(terms(unit)) for unit in units)


def merged(
    documents: Sequence[Quote],
    remembered: Sequence[Passage],
    wanted: frozenset[str],
    *,
    most: int,
    characters: int,
    related: bool,
    favoured: frozenset[str] = frozenset(),
) -> list[Passage]:
    """Return quotes from documents and sentences of memories, best first: at most `most`, with about `characters`
    characters together.

    A memory is compared with the documents by its words: it comes before the best unit if it has more of the wanted
    terms than that. Nothing is returned if no text has a wanted term, unless the documents are `related`.
    """
    every = [*(document.passage for document in documents), *remembered]
    scores = worths(every, wanted, favoured)
    said, known = scores[: len(documents)], scores[len(documents) :]
    best = max(said, default=0)
    ranked = [(document.relevance, document.passage) for document in documents if best or related]
    ranked += [
        (score / best if best else score, source) for score, source in zip(known, remembered, strict=True) if score
    ]
    ranked.sort(key=lambda passage: -passage[0])
    return _fitting(ranked, most, characters)


def _fitting(ranked: Sequence[tuple[float, Passage]], most: int, characters: int) -> list[Passage]:
    chosen, left = list[Passage](), characters
    least = ranked[0][0] * LEAST_RELEVANCE if ranked else 0
    for relevance, passage in ranked:
        if len(chosen) == most or relevance < least:
            break
        if any(is_alike(passage, other) for other in chosen) or (chosen and len(passage.text) > left):
            continue
        chosen.append(passage)
        left -= len(passage.text)
    return chosen


def _sentences(source: Source, start: int, end: int, kind: str, introduction: str) -> list[Passage]:
    """Return the sentences of a unit, each prepared for quotation, with what is needed to understand them."""
    text = source.text[start:end]
    if kind == "row" and introduction:
        text = row_with_heads(introduction.splitlines()[-1], text)
    elif kind == "code" and introduction:
        text = flatten_layout(f"{introduction}\n{text}").strip().splitlines()[-1]
    elif kind == "item" and introduction:
        above = (normalised(line[marker_end(line, 0, len(line)) :]).strip() for line in introduction.splitlines())
        names = [sentence for sentence in above if sentence and not sentence.endswith(_STATED)]
        text = _SEPARATOR.join((*names, text[marker_end(text, 0, len(text)) :]))
    return passages(source.label, text)


def _fitness(sentences: Sequence[Passage]) -> float:
    """Return the factor for the relevance of a unit: less than 1 if it is nothing but code."""
    return CODE_FACTOR if all(sentence.fitness <= CODE_FITNESS for sentence in sentences) else 1.0


def _best_run(sentences: Sequence[Passage], scores: Sequence[float], room: int) -> Sequence[Passage]:
    """Return the best sentence with the sentences around it that fit into `room` characters, following ones first."""
    first = last = max(range(len(sentences)), key=lambda at: scores[at])
    length = len(sentences[first].text)
    grown = True
    while grown:
        grown = False
        for other in (last + 1, first - 1):
            if 0 <= other < len(sentences) and length + 1 + len(sentences[other].text) <= room:
                length += 1 + len(sentences[other].text)
                first, last, grown = min(first, other), max(last, other), True
    return sentences[first : last + 1]


def _joined(label: str, sentences: Iterable[Passage]) -> Passage:
    """Return neighbouring sentences as one quote."""
    every = list(sentences)
    text = normalised("\n".join(sentence.text for sentence in every))
    return Passage(label, text, Counter(terms(text)), max(sentence.fitness for sentence in every))
