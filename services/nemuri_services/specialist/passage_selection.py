"""Selection of the passages of documents for a question, in two looks (document 000 §3.6, §3.9)."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Final

import numpy as np

from nemuri_contracts.tasks import Detail, DetailPoint
from nemuri_domain.language.request_items import requests
from nemuri_domain.tasks.read_share import place_of
from nemuri_infra.embeddings.calibrated import CalibratedEmbedder
from nemuri_infra.models.sources import Hit, Source
from nemuri_infra.stores.blobs import Blobs
from nemuri_services.specialist.open_parts import open_parts
from nemuri_services.specialist.passage_index import KINDS, PassageIndex, PassageIndexes
from nemuri_services.specialist.passage_search import ALL_CHANNELS, Channels, Floats, RowVectors, Wanted, relevance

READ_CHARACTERS: Final = 12_000
"""Default number of characters of the passages for a question; more if it lists more than eight requests."""
REQUEST_CHARACTERS: Final = 1_500
"""Minimum characters of the passages for each request of a question."""
FIRST_LOOK: Final = 0.75
"""Share of the characters that the first look may use. The second look, and then the next best, get the rest."""
MOST_PASSAGES: Final = 24
"""Maximum number of passages for a question; two for each request if that is more."""
SPLIT_CHARACTERS: Final = 1_500
"""Maximum characters of a passage that was selected only because there was room for it."""
WINDOWS: Final[Mapping[str, int]] = {"turn": 700, "paragraph": 900, "item": 500, "row": 400, "code": 900}
"""Characters to which a passage around a row is widened with its neighbours, by the kind of the row."""
SECTION_CHARACTERS: Final = 200
"""Maximum characters of the name of a section."""

_HEADING_MARKS = re.compile(r"^[#=*\s]+|[#=*\s:：]+$")


@dataclass(frozen=True, slots=True)
class DocumentPassage:
    """A part of a document that may contain the answer."""

    detail: Detail
    text: str
    introduction: str = ""
    """Lines outside of the passage without which it is not understood: the head of its table, or the items above it."""
    hits: tuple[Hit, ...] = ()
    """Units of the passage that are relevant to a request."""

    def source(self, label: str) -> Source:
        """Return the source for a prompt, with the document, the page and the section as its origin."""
        return Source(label, self.text, origin=place_of(self.detail), introduction=self.introduction, hits=self.hits)


@dataclass(slots=True)
class PassageReader:
    """The caches of a process that reads passages: the indexes of documents, and the vectors of their units."""

    indexes: PassageIndexes = field(default_factory=PassageIndexes)
    vectors: RowVectors = field(default_factory=RowVectors)
    channels: Channels = ALL_CHANNELS

    async def passages(
        self,
        wanted: Wanted,
        details: Sequence[DetailPoint],
        blobs: Blobs,
        embedder: CalibratedEmbedder,
        *,
        characters: int = READ_CHARACTERS,
    ) -> tuple[DocumentPassage, ...]:
        """Return the passages for a question, most relevant first, with about `characters` characters together.

        All units of all documents are searched for the question and for each request that it lists. A passage is a
        unit with its neighbours. If words of the question occur in the documents, but not in what the first look found,
        a second look searches for these alone. If there is room for more, passages follow from the beginning of the
        documents. Raises the errors of the embedder.
        """
        if not details:
            return ()
        index = await self.indexes.of(tuple(detail.detail for detail in details), blobs)
        texts = {document.ref: await blobs.get(document.ref) for document in index.documents}
        asked = requests(wanted.request) or (wanted.request,)
        scores = [await self._scores(index, replace(wanted, request=request), texts, embedder) for request in asked]
        room = max(characters, REQUEST_CHARACTERS * len(asked))
        chosen = _Selection(index, room, max(MOST_PASSAGES, 2 * len(asked)))
        chosen.take(_in_turn(scores), FIRST_LOOK)
        seen = chosen.seen(texts)
        for request in asked:
            for part in open_parts(request, seen, index.postings):
                found = await self._scores(index, replace(wanted, request=part), texts, embedder)
                chosen.take(_best(found)[:2], 1)
        chosen.take(_in_turn(scores), 1)
        chosen.fill()
        return tuple(_passage(index, first, last, texts, scores) for first, last in chosen.windows)

    async def _scores(
        self, index: PassageIndex, wanted: Wanted, texts: Mapping[str, str], embedder: CalibratedEmbedder
    ) -> Floats:
        return await relevance(index, wanted, texts, embedder, self.vectors, self.channels)


def _best(scores: Floats) -> list[int]:
    """Return the rows with a positive score, best first."""
    order = (-scores).argsort(kind="stable")
    return [int(row) for row in order[: int((scores > 0).sum())]]


def _in_turn(scores: Sequence[Floats]) -> Iterator[int]:
    """Yield the best row of each request, then the second best of each, and so on."""
    for rank in zip_longest(*map(_best, scores)):
        yield from (row for row in rank if row is not None)


@dataclass(slots=True)
class _Selection:
    """The windows of rows that were selected so far. They do not overlap."""

    index: PassageIndex
    room: int
    most: int
    windows: list[tuple[int, int]] = field(default_factory=list)
    used: int = 0
    taken: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.taken = np.zeros(len(self.index), np.bool_)

    def take(self, rows: Iterable[int], share: float) -> None:
        """Select the windows around rows, in order, until `share` of the room is used."""
        for row in rows:
            if self.used >= share * self.room or len(self.windows) >= self.most:
                return
            if not self.taken[row]:
                self._add(*self._window(row, WINDOWS[KINDS[self.index.kind[row]]], within=True))

    def fill(self) -> None:
        """Select what was not selected yet, from the beginning, until the room is used."""
        while self.used < self.room and not self.taken.all():
            row = int(self.taken.argmin())
            first, last = self._window(row, min(SPLIT_CHARACTERS, self.room - self.used), within=False)
            self._add(first, last)

    def seen(self, texts: Mapping[str, str]) -> str:
        """Return the text of everything selected so far."""
        return "\n".join(self.index.text(int(row), texts) for row in np.flatnonzero(self.taken))

    def _add(self, first: int, last: int) -> None:
        start, end = self.index.bounds(first, last)
        self.taken[first : last + 1] = True
        self.windows.append((first, last))
        self.used += end - start

    def _window(self, row: int, characters: int, *, within: bool) -> tuple[int, int]:
        """Return the rows around a row that are free and have at most about `characters` characters together.

        With `within`, they are of the row's section. The following row is added first, then the one before.
        """
        first = last = row
        grown = True
        while grown:
            grown = False
            for following in (True, False):
                other = last + 1 if following else first - 1
                if not self._free(other, row, within=within):
                    continue
                span = self.index.bounds(min(first, other), max(last, other))
                if span[1] - span[0] <= characters:
                    first, last, grown = min(first, other), max(last, other), True
        return first, last

    def _free(self, other: int, row: int, *, within: bool) -> bool:
        index = self.index
        if not 0 <= other < len(index) or self.taken[other] or index.document[other] != index.document[row]:
            return False
        return not within or bool(index.section[other] == index.section[row])


def _passage(
    index: PassageIndex, first: int, last: int, texts: Mapping[str, str], scores: Sequence[Floats]
) -> DocumentPassage:
    document = index.documents[index.document[first]]
    whole, (start, end) = texts[document.ref], index.bounds(first, last)
    best = first + int(np.sum([score[first : last + 1] for score in scores], axis=0).argmax())
    over, headings = index.contexts[index.context[best]]
    section = " › ".join(_HEADING_MARKS.sub("", whole[one:other]) for one, other in over[:headings])
    detail = Detail(
        document=document.name,
        ref=document.ref,
        start=start,
        end=end,
        pages=document.pages(int(index.start[first]), int(index.end[last])),
        section=section[:SECTION_CHARACTERS] or None,
    )
    above, headings = index.contexts[index.context[first]]
    outside = [whole[one:other] for one, other in above[headings:] if one < start]
    return DocumentPassage(detail, whole[start:end], "\n".join(outside), _hits(index, first, last, texts, scores))


def _hits(
    index: PassageIndex, first: int, last: int, texts: Mapping[str, str], scores: Sequence[Floats]
) -> tuple[Hit, ...]:
    """Return the relevant units of the rows `first` … `last`, in the order of the text, for each request."""
    found = list[Hit]()
    start, _ = index.bounds(first, last)
    whole = texts[index.documents[index.document[first]].ref]
    for number, score in enumerate(scores):
        top = float(score.max(initial=0))
        for row in range(first, last + 1):
            if score[row] > 0:
                above, headings = index.contexts[index.context[row]]
                hit = Hit(
                    number,
                    int(index.start[row]) - start,
                    int(index.end[row]) - start,
                    round(float(score[row]) / top, 4),
                    KINDS[index.kind[row]],
                    "\n".join(whole[one:other] for one, other in above[headings:]),
                )
                found.append(hit)
    return tuple(found)
