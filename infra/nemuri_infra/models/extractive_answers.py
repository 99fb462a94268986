"""Answers of the extractive model: the sentences of memories and details that are surely about what was asked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from nemuri_contracts.trouble_signs import Sign
from nemuri_domain.language.contradictions import contradictions
from nemuri_domain.language.relevance import relevance_of
from nemuri_domain.language.request_items import is_echo, is_part_of_item, listed_requests, requests
from nemuri_domain.language.request_times import asks_about_past, asks_about_plans
from nemuri_domain.language.tokenization import content_terms, terms
from nemuri_domain.language.writing_systems import KANJI, KATAKANA
from nemuri_domain.retrieval.answering_passages import ANSWERS, NEAR, answering, newer_first, relevances
from nemuri_domain.retrieval.passage_ranking import QUOTE_LIMIT, Passage, passages
from nemuri_infra.models import document_quotes
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.cited_texts import Answer
from nemuri_infra.models.sources import Source

MAX_QUOTES: Final = 6
QUOTED_CHARACTERS: Final = 1_200
"""Maximum number of characters of all quotes in one answer together, without labels and framing."""
CONTESTED: Final = 0.7
"""Factor for the fitness of a memory that a detail contradicts. It may still be quoted."""
_WHICH: Final = re.compile(
    rf"\bwhich (?:(?:one )?of (?:the|these|those) )?([\w-]+)|(?:どの|どんな)([{KATAKANA}{KANJI}]+)", re.IGNORECASE
)
"""Pattern of the word after "which" in a question. It names the kind of thing that is asked for ("which service …")."""


def quoted_answer(
    question: str, memories: Sequence[Source], details: Sequence[Source], *, partly_read: bool = False
) -> Answer:
    """Return an answer of at most 6 quoted sentences with at most 1,200 characters in all.

    Each quote has a line of its own and is followed by its label in brackets. Sentences are ranked by their relevance
    to the question, and only those are quoted that are surely about what was asked. A memory that a detail contradicts
    is ranked after that detail. Outdated memories are quoted only if the question is about the past. Sentences that are
    questions or repeat the question are not quoted, nor the memo, since it is not a source.

    A quote of a memory that is older than another about the same thing comes after it. It is marked, and so is one that
    held until a time in the past, with that time, and a plan. What has ended comes last, and so does a plan, unless the
    question is about plans. The framing is in
    the language of the question, the quotes are in the language of their sources. If no sentence fits, the answer says
    that it is not known, names the memory that was retrieved first, and cites nothing. A question with several items is
    answered item by item. Each item gets at least one sentence or a note that nothing was found. The answer's signs are
    contradictions between sources that are not shown as outdated or older already.
    """
    language, items = framing.language(question), requests(question)
    asked = (question, *items)
    at_hand = telling(details, asked)
    # A memory with a note is outdated, and the newer one that says so is among the memories.
    current = [memory for memory in memories if asks_about_past(question) or not memory.note]
    signs = contradictions(
        question,
        *(
            [(source.label, source.text) for source in some if not (source.succeeded_by or source.held_until)]
            for some in (current, details)
        ),
    )
    remembered = _demoted(telling(current, asked), signs)
    later = {memory.label: memory.succeeded_by for memory in current if memory.succeeded_by}
    marks = framing.age_marks(current, language)
    plans = () if asks_about_plans(question) else (memory for memory in current if memory.planned)
    last = {memory.label for memory in (*plans, *(memory for memory in current if memory.held_until))}
    found = [
        sorted(newer_first(quoted, later), key=lambda passage: passage.label in last)
        for quoted in _found(question, items, details, remembered, at_hand, later)
    ]
    chosen = [passage for quoted in found for passage in quoted]
    if not chosen:
        near = _nearest(current, remembered, question)
        return Answer(_nothing(language, near, partly_read=partly_read), (), complete=True, signs=signs)
    lines = framing.itemised(items, found, marks, language) if items else framing.quoted(chosen, marks)
    cited = tuple(dict.fromkeys(passage.label for passage in chosen))
    return Answer("\n".join([framing.QUOTING[language], *lines]), cited, complete=True, signs=signs)


def telling(sources: Sequence[Source], asked: Sequence[str]) -> list[Passage]:
    """Return the passages of the sources, except those that are questions or repeat one of the questions `asked`."""
    found: list[Passage] = []
    for source in sources:
        listed = listed_requests(source.text, asked)
        found += [
            passage
            for passage in passages(source.label, source.text)
            if not (is_echo(passage.text, asked) or is_part_of_item(passage.text, listed))
        ]
    return found


def _demoted(remembered: Sequence[Passage], signs: Sequence[Sign]) -> list[Passage]:
    """Return the passages of memories, those of memories that the material contradicts with less fitness."""
    contested = {sign.labels[0] for sign in signs if sign.kind == "memory_against_material"}
    return [
        replace(passage, fitness=CONTESTED * passage.fitness) if passage.label in contested else passage
        for passage in remembered
    ]


def kinds(question: str) -> frozenset[str]:
    """Return the terms after "which" in a question."""
    return frozenset(term for named in _WHICH.findall(question) for term in terms(" ".join(named)))


def _found(
    question: str,
    items: Sequence[str],
    details: Sequence[Source],
    remembered: Sequence[Passage],
    at_hand: Sequence[Passage],
    later: Mapping[str, str],
) -> list[list[Passage]]:
    """Return the passages to quote for each item, or for the whole question if it has none."""
    if not any(detail.hits for detail in details):
        return [_quotes(remembered, at_hand, item, later, share=len(items)) for item in items or (question,)]
    return [
        _searched_quotes(details, number, (question, *items), item, _fitting(remembered, item, later), share=len(items))
        for number, item in enumerate(items or (question,))
    ]


def _nothing(language: str, near: Passage | None, *, partly_read: bool) -> str:
    """Return the answer that nothing was found, with the memory that is nearest."""
    nothing = framing.NOT_READ if partly_read else framing.NOTHING
    return "\n".join((nothing[language], *((f"{framing.NEAREST[language]} {near.text}",) if near else ())))


def _nearest(memories: Sequence[Source], passages: Sequence[Passage], question: str) -> Passage | None:
    """Return the passage of the first retrieved memory that fits a question best, of those given; None if no memory
    is near at all.
    """
    told = {passage.label for passage in passages}
    retrieved = {
        memory.label: memory.relevance for memory in memories if memory.relevance is not None and memory.label in told
    }
    if max(retrieved.values(), default=0.0) < NEAR:
        return None
    first = next(iter(retrieved))
    said = [passage for passage in passages if passage.label == first]
    return said[int(relevance_of(question, [passage.text for passage in said]).argmax())]


def _fitting(candidates: Sequence[Passage], question: str, later: Mapping[str, str]) -> list[Passage]:
    """Return the passages that are surely about what a question asks."""
    relevant = relevances(candidates, question, later)
    return [candidate for candidate, value in zip(candidates, relevant, strict=True) if value >= ANSWERS]


def _quotes(
    remembered: Sequence[Passage],
    at_hand: Sequence[Passage],
    question: str,
    later: Mapping[str, str],
    *,
    share: int,
) -> list[Passage]:
    """Return the passages to quote for one question, of memories and of material.

    The limits of length and number are divided by `share`, the number of questions; 0 counts as 1.
    """
    parts = max(share, 1)
    room = max(QUOTED_CHARACTERS // parts, QUOTE_LIMIT)
    every = [*remembered, *at_hand]
    relevant, most = relevances(every, question, later), max(MAX_QUOTES // parts, 1)
    return answering(every, relevant, remembered=len(remembered), most=most, characters=room)


def _searched_quotes(
    details: Sequence[Source],
    number: int,
    asked: Sequence[str],
    question: str,
    remembered: Sequence[Passage],
    *,
    share: int,
) -> list[Passage]:
    """Return the passages to quote for one question, number `number` of `share`, from details that were searched."""
    parts, wanted = max(share, 1), content_terms(question)
    found = document_quotes.quotes(details, number, asked, wanted)
    return document_quotes.merged(
        found,
        remembered,
        wanted,
        most=max(MAX_QUOTES // parts, 1),
        characters=max(QUOTED_CHARACTERS // parts, QUOTE_LIMIT),
        related=document_quotes.related(details, wanted),
        favoured=kinds(question),
    )
