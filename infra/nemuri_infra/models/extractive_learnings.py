"""Learnings of the extractive model: the sentences of an answer and its details that are worth keeping."""

from collections.abc import Sequence

from nemuri_domain.language.passage_ranking import CODE_FITNESS, Passage, most_central, most_related
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.tokenization import content_terms
from nemuri_infra.models import extractive_framing as framing
from nemuri_infra.models.extractive_answers import kinds, telling
from nemuri_infra.models.memory_jobs import Learned, LearningsJob, SectionJob
from nemuri_infra.models.sources import Source


def learned(job: LearningsJob) -> Learned:
    """Return the most informative sentence for each perspective. It shares terms with the perspective's name and
    keywords.

    The first sentence of the answer counts as its best. It goes to the perspective with which it shares most terms,
    or to the first perspective if it shares none. Sentences of the answer are preferred to sentences of the
    details, which must share a third of the question's terms. No sentence is returned twice.

    An answer without content of its own brings no learnings, for example one that found nothing or only asks.
    Quotes that hardly answer the question (see `_is_worth_learning`) bring none either. It does not say what
    happened.
    """
    asked = (job.question, *requests(job.question))
    said = telling((Source("", framing.substance(job.answer, job.question)),), asked)
    if not said or not job.perspectives:
        return Learned({})
    favoured = content_terms(job.question)
    details = [
        passage for passage in telling(job.details, asked) if 3 * len(favoured & passage.counts.keys()) >= len(favoured)
    ]
    worth = [passage for passage in said if _is_worth_learning(passage, asked)]
    return Learned(_by_perspective(job, worth, details) if worth else {})


def said_in_section(job: SectionJob) -> str:
    """Return a section's most informative sentence: of those that share terms with the perspective, if any do."""
    said = [each for each in telling((Source("", job.text),), ()) if each.fitness > CODE_FITNESS]
    wanted = content_terms(" ".join((job.perspective, *job.keywords)))
    found = most_central(most_related(said, wanted) or said, content_terms(job.title))
    return found.text if found else ""


def _by_perspective(job: LearningsJob, said: list[Passage], details: list[Passage]) -> dict[str, str]:
    favoured = content_terms(job.question)
    wanted = {each: content_terms(" ".join((each, *job.keywords.get(each, ())))) for each in job.perspectives}
    best = said[0]
    first = max(job.perspectives, key=lambda each: len(wanted[each] & best.counts.keys()))
    found = {first: best.text}
    for perspective in job.perspectives:
        for group in (said, details):
            fresh = [passage for passage in group if passage.text not in found.values()]
            chosen = most_central(most_related(fresh, wanted[perspective]), favoured)
            if chosen and perspective not in found:
                found[perspective] = chosen.text
    return {each: found[each] for each in job.perspectives if each in found}


def _is_worth_learning(passage: Passage, asked: Sequence[str]) -> bool:
    """Return whether a quote has content, and contains more than half of the terms of at least one question in `asked`.

    The terms after "which" do not count. In "which service routes nothing" this is "service", which most sentences
    about services contain.
    """
    wanted = [content_terms(each) - kinds(each) or content_terms(each) for each in asked]
    return passage.fitness > CODE_FITNESS and any(2 * len(each & passage.counts.keys()) > len(each) for each in wanted)
