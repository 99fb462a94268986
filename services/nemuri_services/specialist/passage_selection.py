"""Selection of the passages of documents for a question, by the words of passages and by the key points of chunks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.language.inverted_index import InvertedIndex
from nemuri_domain.language.request_items import requests
from nemuri_domain.language.tokenization import term_counts
from nemuri_infra.stores.blobs import Blobs
from nemuri_services.specialist.passage_index import PassageIndex, PassageIndexes, best_places

POINTED = 6
"""Maximum number of chunks that are searched because their key points match the question."""
PASSAGES = 8
"""Maximum number of passages that the model gets; the number of requests in the question if that is greater."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A part of a document that may contain the answer."""

    detail: Detail
    text: str


async def passages(
    question: str, details: Sequence[DetailPoint], blobs: Blobs, indexes: PassageIndexes
) -> tuple[Passage, ...]:
    """Return the passages for a question, most relevant first.

    All passages of all documents are searched for the words of the question. They alternate with passages from the
    chunks whose key points are most similar to the question, because a key point may use the words of the question
    where the document does not. If this gives fewer than `PASSAGES` passages, others follow from the beginning of the
    documents.
    """
    if not details:
        return ()
    index = await indexes.of(tuple(each.detail for each in details), blobs)
    most = max(PASSAGES, len(requests(question)))
    found = _chosen(question, index, [each.point or "" for each in details])
    taken = [index.passages[place] for place in islice(found, most)]
    return tuple([Passage(each, (await blobs.get(each.ref))[each.start : each.end]) for each in taken])


def _chosen(question: str, index: PassageIndex, points: Sequence[str]) -> Iterable[int]:
    """Return the positions of all passages, most relevant first, each once."""
    by_words = index.best(question)
    postings = InvertedIndex()
    for place, point in enumerate(points):
        postings.add(place, term_counts(point))
    pointed = best_places(question, postings, len(points))[:POINTED]
    inside = {chunk: [place for place, of in enumerate(index.chunks) if of == chunk] for chunk in pointed}
    ranks = {place: rank for rank, place in enumerate(by_words)}
    by_points = sorted(
        (place for places in inside.values() for place in places), key=lambda place: ranks.get(place, len(ranks))
    )
    both = chain.from_iterable(zip_longest(by_words, by_points))
    return dict.fromkeys(place for place in chain(both, range(len(index.passages))) if place is not None)
