"""An index of the units in a task's documents. All assignments of the task use the same cached index."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.tasks import Detail
from nemuri_domain.language.chunks import PAGE_BREAK
from nemuri_domain.language.text_units import Kind, Unit, text_units
from nemuri_domain.language.tokenization import term_counts
from nemuri_domain.retrieval.inverted_index import InvertedIndex
from nemuri_domain.strength.conversation_order import NO_CONVERSATION, ConversationOrder
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.process.resource_limits import memory_limit
from nemuri_infra.stores.blobs import Blobs

MOST_BYTES = 160 * 1024 * 1024
"""Maximum bytes of cached indexes; a sixth of the process's memory limit if that is less.

The least recently used index is dropped first.
"""
UNIT_BYTES = 60
"""Estimated bytes of a unit in an index, without its terms."""
CONTEXT_BYTES = 400
"""Estimated bytes of a context: a list of spans that several units share."""
CHUNK_BYTES = 900
"""Estimated bytes of a chunk in the key of a cached index."""

KINDS: tuple[Kind, ...] = get_args(Kind)
Numbers = NDArray[np.int32]
Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document of the index."""

    name: str
    ref: str
    characters: int
    starts: Numbers
    """Offset of the first character of each page but the first; empty for a document without pages."""

    def pages(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and the last page, from 1, of a span; None if the document has no pages."""
        if not len(self.starts):
            return None
        first, last = np.searchsorted(self.starts, (start, max(start, end - 1)), side="right") + 1
        return int(first), int(last)


@dataclass(frozen=True, slots=True)
class PassageIndex:
    """The units of a task's documents, in the order of the text, with an inverted index of their terms.

    A unit is a row. The terms of a row are those of the unit and of its context. All arrays have an element for each
    row.
    """

    documents: tuple[IndexedDocument, ...]
    document: Numbers
    """Position of the row's document in `documents`."""
    start: Numbers
    end: Numbers
    kind: Numbers
    """Position of the row's kind in `KINDS`."""
    section: Numbers
    """Number of the row's section. No two documents share a number."""
    context: Numbers
    """Position of the row's context in `contexts`."""
    contexts: tuple[tuple[Spans, int], ...]
    """The spans of each context, and how many of them are headings."""
    postings: InvertedIndex
    turns: ConversationOrder
    """The rows that are turns of a conversation; each section with turns is one."""

    def __len__(self) -> int:
        return len(self.start)

    def bounds(self, first: int, last: int) -> tuple[int, int]:
        """Return the span of the rows `first` … `last` of one document, with the white space after them.

        The spans of all rows of a document cover its text.
        """
        begins = first == 0 or self.document[first - 1] != self.document[first]
        ends = last + 1 == len(self) or self.document[last + 1] != self.document[last]
        end = self.documents[self.document[last]].characters if ends else int(self.start[last + 1])
        return 0 if begins else int(self.start[first]), end

    def text(self, row: int, texts: Mapping[str, str]) -> str:
        """Return the context and the text of a row. `texts` has the text of each document by its ref."""
        whole = texts[self.documents[self.document[row]].ref]
        spans, _ = self.contexts[self.context[row]]
        return "\n".join(whole[start:end] for start, end in (*spans, (self.start[row], self.end[row])))

    @property
    def nbytes(self) -> int:
        """Estimated memory in bytes."""
        pages = sum(document.starts.nbytes for document in self.documents)
        return self.postings.nbytes + UNIT_BYTES * len(self) + CONTEXT_BYTES * len(self.contexts) + pages

    @classmethod
    def of(cls, chunks: Sequence[Detail], texts: Sequence[str]) -> "PassageIndex":
        """Return the index of the documents of these chunks. `texts` has the whole text of each document, in the order
        of their first chunks. A megabyte takes half a second.
        """
        rows = _Rows()
        names = dict.fromkeys((chunk.document, chunk.ref) for chunk in chunks)
        for (name, ref), text in zip(names, texts, strict=True):
            breaks = [match.end() for match in re.finditer(PAGE_BREAK, text)]
            rows.documents.append(IndexedDocument(name, ref, len(text), np.array(breaks, np.int32)))
            rows.add(text, text_units(text))
        return rows.index()


@dataclass(slots=True)
class _Rows:
    documents: list[IndexedDocument] = field(default_factory=list)
    numbers: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    contexts: dict[tuple[int, Spans, int], int] = field(default_factory=dict)
    postings: InvertedIndex = field(default_factory=InvertedIndex)
    sections: int = 0

    def add(self, text: str, units: Sequence[Unit]) -> None:
        sequence, above = len(self.documents) - 1, dict[int, dict[str, int]]()
        for unit in units:
            key = self.contexts.setdefault((sequence, unit.context, unit.headings), len(self.contexts))
            if key not in above:
                above = {key: term_counts(" ".join(text[start:end] for start, end in unit.context))}
            counts = term_counts(text[unit.start : unit.end])
            # A heading counts once, so that its words do not outweigh the unit's own.
            self.postings.add(len(self.numbers), counts | {term: 1 + counts.get(term, 0) for term in above[key]})
            kind = KINDS.index(unit.kind)
            self.numbers.append((sequence, unit.start, unit.end, kind, self.sections + unit.section, key))
        self.sections += 1 + max((unit.section for unit in units), default=0)

    def index(self) -> PassageIndex:
        columns = np.array(self.numbers, np.int32).reshape(-1, 6).T.copy()
        document, start, end, kind, section, context = columns
        conversations = np.where(kind == KINDS.index("turn"), 1 + section, NO_CONVERSATION).astype(np.int32)
        contexts = tuple((spans, headings) for _, spans, headings in self.contexts)
        order = ConversationOrder.of(conversations, np.arange(len(start), dtype=np.int32))
        return PassageIndex(
            tuple(self.documents), document, start, end, kind, section, context, contexts, self.postings, order
        )


def _cache() -> ByteCache[tuple[Detail, ...], PassageIndex]:
    return ByteCache(min(memory_limit() // 6, MOST_BYTES), _bytes)


@dataclass(slots=True)
class PassageIndexes:
    """A cache of the most recently used passage indexes."""

    _known: ByteCache[tuple[Detail, ...], PassageIndex] = field(default_factory=_cache)
    _building: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def of(self, chunks: tuple[Detail, ...], blobs: Blobs) -> PassageIndex:
        """Return the index of the documents of these chunks.

        A missing index is built in a thread, and all other callers wait meanwhile.
        """
        async with self._building:
            found = self._known.get(chunks)
            if found is None:
                names = dict.fromkeys((chunk.document, chunk.ref) for chunk in chunks)
                texts = [await blobs.get(ref) for _, ref in names]
                found = await asyncio.to_thread(PassageIndex.of, chunks, texts)
                self._known.keep(chunks, found)
        return found


def _bytes(chunks: tuple[Detail, ...], index: PassageIndex) -> int:
    return index.nbytes + CHUNK_BYTES * len(chunks)
