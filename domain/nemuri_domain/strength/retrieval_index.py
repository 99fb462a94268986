"""The retrieval index of one agent: stage 1 of retrieval, which finds relevant memories by words and by vectors.

Hashed dimensions are not weighted by their frequency in the index. Such weights improve the search by vectors alone,
but not the sum of words and vectors (recall@10 of English conversations .645 without, .635 to .644 with; Japanese .975
both).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting, Turn
from nemuri_domain.language.inverted_index import InvertedIndex
from nemuri_domain.language.sparse_columns import Columns
from nemuri_domain.language.tokenization import term_counts
from nemuri_domain.strength.memory_rows import NO_SOURCE, MemoryRows, RowArrays
from nemuri_domain.strength.perspective_gate import PerspectiveWords, shares_by_perspective
from nemuri_domain.strength.policy import RELEVANCE_FLOOR
from nemuri_domain.strength.vector_rows import vector_rows

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

EXPANSION_WEIGHT: Final = 0.5
"""Weight of a hit for an expansion relative to a hit for the query itself, for words and vectors.

Measured with expansions by keywords that do not suit the question, as recall@10 of words and vectors together.
Weighting words, five expansions, Japanese paragraphs: 0.973 at 1, 0.975 at 0.5 and below, 0.975 without expansions.
Weighting vectors, three expansions, English conversations: 0.636 at 1, 0.644 at 0.5 and below, 0.645 without
expansions.
"""
SIGNIFICANT_COSINE: Final = 3
"""Factor on the embedder's threshold. A cosine of this height counts like a text that contains the share
`RELEVANCE_FLOOR` of the query's terms.
"""
RELATIVE_RELEVANCE_FLOOR: Final = 0.25
"""Minimum relevance of a candidate as a share of the best candidate's relevance. It applies only with a floor above
0.
"""


@dataclass(frozen=True, slots=True)
class Candidates:
    """Results of stage 1, most relevant first, ties by id. All sequences have the same length."""

    ids: tuple[UUID, ...]
    similarity: Floats
    """Cosine, -1 to 1: the maximum over the query and its expansions. Cosines of expansions are multiplied by
    `EXPANSION_WEIGHT`.
    """
    lexical: Floats
    """BM25 divided by its maximum among the searched rows, 0 to 1. Scores of expansions are multiplied by
    `EXPANSION_WEIGHT`.
    """
    relevance: Floats
    """Mean of the lexical score and the positive part of the cosine, 0 to 1. The relevance of a memory from a
    conversation is averaged with that of its neighbours (`conversation_order`).
    """


@dataclass(frozen=True, slots=True)
class IndexArrays:
    """The complete state of an index."""

    memories: RowArrays
    lengths: Floats
    """Number of terms of each memory's text."""
    terms: Columns
    """Count of each term in each row."""
    vectors: Floats | Columns
    """Vector of each row, as a matrix or by dimension."""


_NOTHING: Final = Candidates((), *(np.zeros(0, np.float32) for _ in range(3)))


class AgentIndex:
    """In-process index of all memories of one agent: exact cosine, and BM25 over stemmed words and CJK bigrams.

    Results depend only on the indexed memories, not on the order of insertion (except for the last bit of a float).
    BM25 counts document frequencies over all memories, also archived ones and those of other scopes, so that a change
    of one memory's status does not change the scores of others. Not thread-safe. Memory per row: 4 bytes × `dimension`,
    or 8 bytes for each coordinate other than zero if the index is sparse; and about 1 KB for 200 characters of
    Japanese (`bench/retrieval.py`).
    """

    def __init__(self, dimension: int, *, sparse: bool = False) -> None:
        """Create an empty index. `sparse` suits embedders that hash features, which leave most coordinates zero."""
        self.dimension, self.sparse = dimension, sparse
        self._memories = MemoryRows()
        self._vectors = vector_rows(dimension, sparse=sparse)
        self._postings = InvertedIndex()

    @classmethod
    def of(cls, arrays: IndexArrays, dimension: int) -> Self:
        """Return the index with this state. It does not change the arrays."""
        index = cls(dimension, sparse=isinstance(arrays.vectors, Columns))
        index._memories = MemoryRows(arrays.memories)
        index._vectors = vector_rows(dimension, arrays.vectors)
        index._postings = InvertedIndex(arrays.terms, arrays.lengths)
        return index

    @property
    def arrays(self) -> IndexArrays:
        """Return the state of the index. The arrays change with the index."""
        rows = self._memories.count
        return IndexArrays(
            self._memories.arrays, self._postings.lengths(rows), self._postings.terms, self._vectors.stored(rows)
        )

    def __len__(self) -> int:
        return len(self._memories)

    @property
    def nbytes(self) -> int:
        """Return the index's size in bytes of memory, reserved rows included, accurate to about a quarter."""
        return self._memories.nbytes + self._vectors.nbytes + self._postings.nbytes

    def __contains__(self, memory_id: UUID) -> bool:
        return memory_id in self._memories

    def add(
        self,
        ids: Sequence[UUID],
        vectors: Floats,
        texts: Sequence[str],
        *,
        active: Sequence[bool] | None = None,
        scopes: Sequence[Scope] | None = None,
        sources: Sequence[str] | None = None,
        turns: Sequence[Turn | None] | None = None,
    ) -> None:
        """Add memories, or replace those that the index has.

        `vectors` are unit vectors, shape (n, dimension); a zero row means that a memory has no vector. `texts` are the
        texts for the lexical index. By default memories are active, universal, without a source and from no
        conversation. Raises ValueError, before anything changes, if lengths or the dimension do not match or a number
        is not finite.
        """
        vectors = np.asarray(vectors, np.float32)
        if vectors.shape != (len(ids), self.dimension) or len(texts) != len(ids) or not np.isfinite(vectors).all():
            raise ValueError(
                f"expected {len(ids)} texts and finite vectors of shape {(len(ids), self.dimension)}; "
                f"got {len(texts)} texts and vectors of shape {vectors.shape}"
            )
        flags = [True] * len(ids) if active is None else active
        places = [Scope()] * len(ids) if scopes is None else scopes
        origins = [""] * len(ids) if sources is None else sources
        said = [None] * len(ids) if turns is None else turns
        given = len(flags), len(places), len(origins), len(said)
        if set(given) != {len(ids)}:
            raise ValueError(f"expected {len(ids)} flags, scopes, sources and turns; got {', '.join(map(str, given))}")
        self.remove(ids)
        last = {memory_id: at for at, memory_id in enumerate(ids)}  # An id may occur twice. The last one counts.
        rows = [
            self._memories.put(memory_id, places[at], origins[at], said[at], active=flags[at])
            for memory_id, at in last.items()
        ]
        for row, at in zip(rows, last.values(), strict=True):
            self._postings.add(row, term_counts(texts[at]))
        self._vectors.add(rows, vectors[list(last.values())])

    def remove(self, ids: Iterable[UUID]) -> None:
        """Remove these memories with their vectors and terms. Unknown ids are ignored."""
        gone = self._memories.remove(ids)
        self._postings.remove(gone)
        self._vectors.remove(gone)

    def set_active(self, ids: Iterable[UUID], active: bool) -> None:  # noqa: FBT001 - a status is what is set
        """Mark memories as active, or as archived if `active` is False. Unknown ids are ignored."""
        self._memories.set_active(ids, active)

    def set_absorbed(self, standing: Mapping[UUID, UUID | None]) -> None:
        """Mark memories as absorbed by others. `standing` has the memory that stands for each; None if none does.

        An absorbed memory is never a candidate. The memory that stands for it is as relevant as the most relevant of
        the memories that it stands for, itself included.
        """
        self._memories.set_absorbed(standing)

    def set_standing(self, ids: Iterable[UUID]) -> None:
        """Mark memories as not absorbed. Unknown ids are ignored."""
        self._memories.set_standing(ids)

    def eligible(self, setting: Setting | None = None, *, active: bool = True) -> Mask:
        """Return the mask of rows to search: active memories (archived ones if `active` is False) whose scope is valid
        in the setting.

        Universal memories are valid in every setting. Without a setting, memories of all scopes are. Masks can be
        combined with & | ~ and are valid until the index changes.
        """
        return self._memories.eligible(setting, active=active)

    def search(
        self,
        vectors: Floats,
        queries: Sequence[Sequence[str]],
        *,
        vector_threshold: float,
        floor: float = 0.0,
        mask: Mask | None = None,
        limit: int = 50,
        share: float = 1.0,
        own: int = 1,
        relevance_text_count: int = 1,
        perspectives: Sequence[PerspectiveWords] = (),
    ) -> Candidates:
        """Return the `limit` most relevant rows under the mask (default `eligible()`) for a query, its items and its
        expansions.

        `vectors` (q, dimension) are unit or zero vectors, and `queries` are the terms of the same q texts. The first
        `own` texts are the query and its items, with full weight; the others are expansions. A row is a candidate if it
        shares a term with a text, if its cosine is positive and reaches the embedder's `vector_threshold`, or if a
        neighbour in its conversation is such a row.

        The result is empty unless some row is relevant to one of the first `relevance_text_count` texts: the row
        contains at least the share `floor` of the text's terms (`InvertedIndex.shares`), or has an equally significant
        cosine (`SIGNIFICANT_COSINE`). If there is none, the result has only rows that a perspective admits because they
        say the same in other words (`shares_by_perspective`). With a floor, rows far less relevant than the best one
        (`RELATIVE_RELEVANCE_FLOOR`) are left out. A source gets at most `share` of the limit while other sources have
        candidates. The cost is linear in the number of texts. Raises ValueError if shapes do not match.
        """
        vectors = np.asarray(vectors, np.float32)
        if vectors.shape != (len(queries), self.dimension) or not len(queries):
            raise ValueError(
                f"expected at least one text and vectors of shape {(len(queries), self.dimension)}; got {vectors.shape}"
            )
        allowed = self.eligible() if mask is None else mask
        rows = np.flatnonzero(allowed)
        if not len(rows) or limit < 1:
            return _NOTHING
        similarity = self._vectors.products(vectors, len(allowed))
        least_similarity = SIGNIFICANT_COSINE * vector_threshold * floor / RELEVANCE_FLOOR
        own_relevance = queries[:relevance_text_count]
        if similarity[:relevance_text_count, rows].max() < least_similarity and all(
            self._postings.shares(query, len(allowed))[rows].max() < floor for query in own_relevance
        ):
            rows = rows[self._admitted(own_relevance, perspectives, floor, len(allowed))[rows]]
            if not len(rows):
                return _NOTHING
        lexical = _over_maximum(self._postings.scores(queries, len(allowed))[:, rows])
        lexical[own:] *= EXPANSION_WEIGHT
        similarity[own:] *= EXPANSION_WEIGHT
        similarity = similarity.max(axis=0)[rows]
        hit = (similarity > 0) & (similarity >= vector_threshold)
        near = RELATIVE_RELEVANCE_FLOOR if floor else 0.0
        return self._best(rows, similarity, lexical.max(axis=0), hit, near, limit, ceil(share * limit))

    def _admitted(
        self, queries: Sequence[Sequence[str]], perspectives: Sequence[PerspectiveWords], floor: float, rows: int
    ) -> Mask:
        """Return the mask of the rows that one of the perspectives makes relevant to one of the queries."""
        found = np.zeros(rows, np.bool_)
        for query in queries if perspectives else ():
            found |= shares_by_perspective(self._postings, query, perspectives, rows) >= floor
        return found

    def _best(
        self,
        rows: Rows,
        similarity: Floats,
        lexical: Floats,
        hit: Mask,
        floor_share: float,
        limit: int,
        most: int,
    ) -> Candidates:
        """Return the best candidates: rows with a vector `hit` or a shared term, and a relevance of at least
        `floor_share` × the maximum.

        If there are more than `limit`, a source gets at most `most` places while other sources have candidates.
        """
        relevance = ((lexical + np.clip(similarity, 0, 1)) / 2).astype(np.float32)
        relevance, supported = self._with_neighbours(rows, relevance, hit | (lexical > 0))
        hit = hit | (lexical > 0) | supported
        rows, (similarity, lexical, relevance, hit) = self._for_absorbed(rows, similarity, lexical, relevance, hit)
        found = np.flatnonzero(hit & (relevance >= floor_share * relevance.max()))
        order = self._first(rows, relevance, found, limit)
        if len(found) > limit and self._crowded(rows[order], most):
            order = self._mixed(rows, relevance, found, limit, most)
        ids = tuple(UUID(bytes=self._memories.id_bytes(int(rows[at]))) for at in order)
        return Candidates(ids, similarity[order], lexical[order], relevance[order])

    def _for_absorbed(self, rows: Rows, *columns: NDArray[Any]) -> tuple[Rows, Sequence[NDArray[Any]]]:
        """Return the rows, ascending, with those of absorbed memories replaced by the rows that stand for them.

        A row that stands for several has the maximum of each of `columns`.
        """
        stand_ins = self._memories.stand_ins()
        if stand_ins is None:
            return rows, columns
        standing, places = np.unique(stand_ins[rows], return_inverse=True)
        found = [np.zeros(len(standing), each.dtype) for each in columns]
        for highest, each in zip(found, columns, strict=True):
            if each.dtype != np.bool_:
                highest.fill(-np.inf)
            np.maximum.at(highest, places, each)
        return standing, found

    def _with_neighbours(self, rows: Rows, relevance: Floats, hits: Mask) -> tuple[Floats, Mask]:
        """Return the relevance of the rows with that of their neighbours in conversations, and which rows have a
        neighbour among the `hits`.
        """
        order = self._memories.conversation_order()
        if not len(order.rows):
            return relevance, np.zeros(len(rows), np.bool_)
        every = np.zeros(self._memories.count, np.float32)
        hit, searched = np.zeros(self._memories.count, np.bool_), np.zeros(self._memories.count, np.bool_)
        every[rows], hit[rows], searched[rows] = relevance, hits, True
        found, supported = order.spread(every, hit, searched)
        return found[rows], supported[rows]

    def _first(self, rows: Rows, relevance: Floats, found: Rows, limit: int) -> list[int]:
        """Return up to `limit` of the found rows, most relevant first, ties by id."""
        if len(found) > limit:
            least = np.partition(relevance[found], -limit)[-limit]
            found = found[relevance[found] >= least]
        return sorted(map(int, found), key=lambda at: (-relevance[at], self._memories.id_bytes(int(rows[at]))))[:limit]

    def _crowded(self, rows: Rows, most: int) -> bool:
        """Return True if more than `most` of these rows have the same source."""
        counts = np.bincount(self._memories.sources(rows))
        counts[NO_SOURCE] = 0
        return int(counts.max()) > most

    def _mixed(self, rows: Rows, relevance: Floats, found: Rows, limit: int, most: int) -> list[int]:
        """Return up to `limit` of the found rows, most relevant first: up to `most` of each source, then the best of
        the rest.
        """
        sources = self._memories.sources(rows[found])
        room = {int(source): most if source else limit for source in np.unique(sources)}
        pool = [self._first(rows, relevance, found[sources == source], each) for source, each in room.items()]
        first = self._first(rows, relevance, np.array([at for each in pool for at in each]), limit)
        rest = np.setdiff1d(found, first)
        filled = [*first, *self._first(rows, relevance, rest, limit - len(first))]
        return self._first(rows, relevance, np.array(filled), limit)


def _over_maximum(scores: Floats) -> Floats:
    """Return the scores with each row divided by its maximum. A row of zeros stays zero."""
    highest = scores.max(axis=1, keepdims=True)
    return (scores / np.where(highest > 0, highest, 1)).astype(np.float32)
