"""Learnings of the extractive model: the sentences of an answer and its details that are worth keeping."""

from collections.abc import Mapping, Sequence

from nemuri_domain.language.passage_ranking import CODE_FITNESS, Passage, most_central, most_related
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.tokenization import content_terms
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.extractive_answers import kinds, telling
from nemuri_infra.models.sources import Source


def learned_sentences(
    question: str,
    answer: str,
    perspectives: Sequence[str],
    details: Sequence[Source],
    keywords: Mapping[str, Sequence[str]],
) -> dict[str, str]:
    """Return the most informative sentence for each perspective. It shares terms with the perspective's name and
    keywords.

    The first sentence of the answer counts as its best. It goes to the perspective with which it shares most terms,
    or to the first perspective if it shares none. Sentences of the answer are preferred to sentences of the
    details, which must share a third of the question's terms. No sentence is returned twice.

    An answer without content of its own brings no learnings, for example one that found nothing or only asks.
    Quotes that hardly answer the question (see `_is_worth_learning`) bring none either.
    """
    asked = (question, *requests(question))
    said = telling((Source("", framing.substance(answer, question)),), asked)
    worth = [passage for passage in said if _is_worth_learning(passage, asked)]
    if not worth or not perspectives:
        return {}
    favoured = content_terms(question)
    related = [
        passage for passage in telling(details, asked) if 3 * len(favoured & passage.counts.keys()) >= len(favoured)
    ]
    wanted = {each: content_terms(" ".join((each, *keywords.get(each, ())))) for each in perspectives}
    return _by_perspective(wanted, worth, related, favoured)


def said_in_section(perspective: str, keywords: Sequence[str], title: str, text: str) -> str:
    """Return a section's most informative sentence: of those that share terms with the perspective, if any do."""
    said = [each for each in telling((Source("", text),), ()) if each.fitness > CODE_FITNESS]
    wanted = content_terms(" ".join((perspective, *keywords)))
    found = most_central(most_related(said, wanted) or said, content_terms(title))
    return found.text if found else ""


def _by_perspective(
    wanted: Mapping[str, frozenset[str]], said: list[Passage], details: list[Passage], favoured: frozenset[str]
) -> dict[str, str]:
    """Return a sentence for each perspective, whose terms are in `wanted`, preferring those with `favoured` terms."""
    best = said[0]
    first = max(wanted, key=lambda each: len(wanted[each] & best.counts.keys()))
    found = {first: best.text}
    for perspective in wanted:
        for group in (said, details):
            fresh = [passage for passage in group if passage.text not in found.values()]
            chosen = most_central(most_related(fresh, wanted[perspective]), favoured)
            if chosen and perspective not in found:
                found[perspective] = chosen.text
    return {each: found[each] for each in wanted if each in found}


def _is_worth_learning(passage: Passage, asked: Sequence[str]) -> bool:
    """Return whether a quote has content, and contains more than half of the terms of at least one question in `asked`.

    The terms after "which" do not count. In "which service routes nothing" this is "service", which most sentences
    about services contain.
    """
    wanted = [content_terms(each) - kinds(each) or content_terms(each) for each in asked]
    return passage.fitness > CODE_FITNESS and any(2 * len(each & passage.counts.keys()) > len(each) for each in wanted)
