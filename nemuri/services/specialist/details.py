"""Which details of a task matter for a question: chosen by their key points, read, and cut to the passages that do."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nemuri.contracts.tasks import Detail, DetailPoint
from nemuri.domain.language.chunks import split
from nemuri.domain.language.items import requests
from nemuri.domain.language.postings import Postings
from nemuri.domain.language.terms import term_counts, terms
from nemuri.infra.stores.blobs import Blobs

FETCHED = 6
"""At most so many pieces of the input are read for one answer."""
PASSAGES = 8
"""At most so many passages of them are given to the model."""
PASSAGE_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a detail that may hold the answer."""

    detail: Detail
    text: str


async def passages(question: str, details: Sequence[DetailPoint], blobs: Blobs) -> tuple[Passage, ...]:
    """The passages for a question, most telling first; all pieces are read only where there are few.

    A question that lists several gets the best for each of them before the second best for any.
    """
    chosen = [details[place].detail for place in _best(question, [each.point or "" for each in details], FETCHED)]
    cut = [
        Passage(detail, text[span.start : span.end])
        for detail in chosen
        for text in [(await blobs.get(detail.ref))[detail.start : detail.end]]
        for span in split(text, characters=PASSAGE_CHARACTERS, pages=1)
    ]
    return tuple(cut[place] for place in _best(question, [each.text for each in cut], PASSAGES))


def _best(question: str, texts: Sequence[str], limit: int) -> list[int]:
    """The places of the texts closest to the question by BM25, in their own order where that does not decide."""
    if not texts:
        return []
    asked = requests(question) or (question,)
    postings = Postings()
    for place, text in enumerate(texts):
        postings.add(place, term_counts(text))
    scores = postings.scores([terms(each) for each in asked], len(texts))
    ranks = np.where(scores > 0, (-scores).argsort(axis=1, kind="stable").argsort(axis=1), len(texts)).min(axis=0)
    best = scores.max(axis=0)
    return sorted(range(len(texts)), key=lambda place: (ranks[place], -best[place], place))[: max(limit, len(asked))]
