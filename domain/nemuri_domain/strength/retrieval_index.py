"""The retrieval index of one agent: stage 1 of retrieval, which finds relevant memories by words and by vectors."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Self
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting, Turn
from nemuri_domain.language.relevance import WordPairs, alignments, relevance
from nemuri_domain.language.tokenization import term_counts
from nemuri_domain.language.word_table import Words, word_table
from nemuri_domain.retrieval.inverted_index import InvertedIndex
from nemuri_domain.retrieval.sparse_columns import Columns
from nemuri_domain.retrieval.vector_rows import VectorRows
from nemuri_domain.strength.aggregate import Memory, RankedState
from nemuri_domain.strength.best_rows import best_rows
from nemuri_domain.strength.candidates import Candidates
from nemuri_domain.strength.memory_rows import MemoryRows, RowArrays
from nemuri_domain.strength.ranked_memory import Ranked, RankedContent, ranked_state
from nemuri_domain.strength.search_texts import SearchTexts
from nemuri_domain.strength.word_rows import WordRows

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Rows = NDArray[np.intp]

SHORTLIST: Final = 80
"""Minimum number of memories by vectors, and as many by BM25, whose words are aligned with each text of a query."""
NEGLIGIBLE: Final = 0.4
"""Share of the highest score of a channel below which a memory is not looked at closely."""
DIGITS: Final = 5
"""Decimal places of a cosine and of a relevance, so that equal texts are equal in every row."""
LEXICAL: Final = 3.5
"""Weight of the squared share of the BM25 score in the order. Squared, it counts where a memory has most words of a
request, and hardly where it shares a word or two (decision 98).
"""
RELATIVE_RELEVANCE_FLOOR: Final = 0.25
"""Minimum relevance of a candidate as a share of the best candidate's relevance. It applies only with a floor above
0.
"""


@dataclass(frozen=True, slots=True)
class IndexArrays:
    """The complete state of an index."""

    memories: RowArrays
    lengths: Floats
    """Number of terms of each memory's text."""
    terms: Columns
    """Count of each term in each row."""
    vectors: Floats
    """Vector of each row, shape (rows, dimension)."""
    words: Words
    """Words of all rows, one after the other."""
    word_counts: NDArray[np.int32]
    """Number of words of each row."""


_NONE: Final = np.zeros(0, np.float32)
_NOTHING: Final = Candidates((), _NONE, _NONE, _NONE, _NONE)


class AgentIndex:
    """In-process index of all memories of one agent: exact cosine, and BM25 over stemmed words and CJK bigrams.

    The relevance of a memory to a text depends on these two alone, not on the other memories. BM25 chooses, beside the
    vectors, which memories are looked at closely, and adds to their order. It counts document frequencies over all
    memories, also archived ones and those of other scopes, so that a change of one memory's status does not change what
    is found. Not thread-safe. Memory per row: 4 bytes × `dimension`, and about 1 KB for 200 characters of Japanese
    (`bench/retrieval.py`).
    """

    def __init__(self, dimension: int) -> None:
        """Create an empty index for vectors of this dimension."""
        self.dimension = dimension
        self._memories = MemoryRows()
        self._vectors = VectorRows(np.zeros((0, dimension), np.float32))
        self._postings = InvertedIndex()
        self._words = WordRows()
        self._table = word_table()

    @classmethod
    def of(cls, arrays: IndexArrays, dimension: int) -> Self:
        """Return the index with this state. It does not change the arrays."""
        index = cls(dimension)
        index._memories = MemoryRows(arrays.memories)
        index._vectors = VectorRows(arrays.vectors.copy())
        index._postings = InvertedIndex(arrays.terms, arrays.lengths)
        index._words = WordRows(arrays.words, arrays.word_counts)
        return index

    @property
    def arrays(self) -> IndexArrays:
        """Return the state of the index. The arrays change with the index."""
        rows = self._memories.count
        return IndexArrays(
            self._memories.arrays,
            self._postings.lengths(rows),
            self._postings.terms,
            self._vectors.stored(rows),
            *self._words.stored(rows),
        )

    def __len__(self) -> int:
        return len(self._memories)

    @property
    def nbytes(self) -> int:
        """Return the index's size in bytes of memory, reserved rows included, accurate to about a quarter."""
        return self._memories.nbytes + self._vectors.nbytes + self._postings.nbytes + self._words.nbytes

    def __contains__(self, memory_id: UUID) -> bool:
        return memory_id in self._memories

    def add(
        self,
        ids: Sequence[UUID],
        vectors: Floats,
        texts: Sequence[str],
        *,
        contents: Sequence[RankedContent] | None = None,
        active: Sequence[bool] | None = None,
        scopes: Sequence[Scope] | None = None,
        sources: Sequence[str] | None = None,
        turns: Sequence[Turn | None] | None = None,
    ) -> None:
        """Add memories, or replace those that the index has.

        `vectors` are unit vectors, shape (n, dimension); a zero row means that a memory has no vector. `texts` are the
        texts for the lexical index, and `contents` what ranking reads of them. By default memories are active,
        universal, without a source and from no conversation. Raises ValueError, before anything changes, if lengths or
        the dimension do not match or a number is not finite.
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
        ranked = [None] * len(ids) if contents is None else contents
        given = len(flags), len(places), len(origins), len(said), len(ranked)
        if set(given) != {len(ids)}:
            counts = ", ".join(map(str, given))
            raise ValueError(f"expected {len(ids)} flags, scopes, sources, turns and contents; got {counts}")
        self.remove(ids)
        last = {memory_id: at for at, memory_id in enumerate(ids)}  # An id may occur twice. The last one counts.
        rows = [
            self._memories.put(memory_id, places[at], origins[at], said[at], active=flags[at])
            for memory_id, at in last.items()
        ]
        for row, at in zip(rows, last.values(), strict=True):
            if (content := ranked[at]) is not None:
                self._memories.contents.set(row, content.model_dump_json(exclude_defaults=True).encode())
            self._postings.add(row, term_counts(texts[at]))
            self._words.set(row, self._table.words(texts[at]))
        self._vectors.add(rows, vectors[list(last.values())])

    def remove(self, ids: Iterable[UUID]) -> None:
        """Remove these memories with their vectors and terms. Unknown ids are ignored."""
        gone = self._memories.remove(ids)
        self._postings.remove(gone)
        self._words.remove(gone)
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

    def set_states(self, states: Collection[Memory]) -> None:
        """Set the states of memories, by which they are searched and ranked. Unknown ids are ignored."""
        absorbed = {state.memory_id: state.absorbed_by for state in states if state.status == "absorbed"}
        absorbed |= {state.memory_id: None for state in states if state.status == "split"}
        if absorbed:
            self._memories.set_absorbed(absorbed)
        self._memories.set_standing(state.memory_id for state in states if state.memory_id not in absorbed)
        for state in states:
            self._memories.set_state(state.memory_id, ranked_state(state), active=state.status == "active")

    def ranked(self, memory_id: UUID) -> Ranked:
        """Return what ranking reads of a memory. Raises KeyError if it is unknown, and ValueError if it has no content
        or no state.
        """
        content, state = self._memories.documents(memory_id)
        return RankedContent.model_validate_json(content), RankedState.model_validate_json(state)

    def eligible(self, setting: Setting | None = None, *, active: bool = True) -> Mask:
        """Return the mask of rows to search: active memories (archived ones if `active` is False) whose scope is valid
        in the setting.

        Universal memories are valid in every setting. Without a setting, memories of all scopes are. Masks can be
        combined with & | ~ and are valid until the index changes.
        """
        return self._memories.eligible(setting, active=active)

    def search(
        self,
        asked: SearchTexts,
        *,
        floor: float = 0.0,
        mask: Mask | None = None,
        limit: int = 50,
        share: float = 1.0,
    ) -> Candidates:
        """Return the `limit` most relevant rows under the mask (default `eligible()`) for the texts of a query.

        The relevance of a row is that to the text to which it is most relevant (`nemuri_domain.language.relevance`).
        The result is empty, but for the `nearest` memory, if no row has a relevance of at least `floor` to a text that
        decides. With a floor, rows far less relevant than the best one (`RELATIVE_RELEVANCE_FLOOR`) are left out. A
        source gets at most `share` of the limit while other sources have candidates. The cost is linear in the number
        of texts. Raises ValueError if the vectors have another dimension than the index.
        """
        if asked.vectors.shape[1] != self.dimension:
            raise ValueError(f"expected vectors of dimension {self.dimension}; got {asked.vectors.shape[1]}")
        allowed = self.eligible() if mask is None else mask
        rows = np.flatnonzero(allowed)
        if not len(rows) or limit < 1:
            return _NOTHING
        similarity = self._vectors.products(asked.vectors, len(allowed))[:, rows].round(DIGITS)
        lexical = self._lexical(asked, rows, len(allowed))
        chosen = np.unique(
            np.concatenate([_highest(column, max(SHORTLIST, limit)) for column in (*similarity, *lexical)])
        )
        aligned, rare = self._aligned(asked, similarity, rows, chosen)
        relevant = asked.weights * relevance(similarity, aligned, asked.scale)
        best = relevant[asked.decisive].max(axis=0, initial=0.0)
        if floor and best.max() < floor:
            at = int(best.argmax())
            return replace(_NOTHING, nearest=(self._id(int(rows[at])), float(best[at])))
        ranked = relevance(similarity, rare, asked.scale) + LEXICAL * lexical**2
        relevant = (asked.weights * ranked).max(axis=0).round(DIGITS)
        joined, supported = self._memories.with_neighbours(rows, relevant, relevant > 0)
        hit = (relevant > 0) | supported
        standing, (joined, hit) = self._memories.standing(rows, joined, hit)
        near = RELATIVE_RELEVANCE_FLOOR if floor else 0.0
        found = np.flatnonzero(hit & (joined >= near * joined.max()))
        order = best_rows(self._memories, standing, joined, found, limit, share)
        known = rows[chosen], aligned[:, chosen]
        return self._described(asked, standing[order], joined[order], known)

    def _lexical(self, asked: SearchTexts, rows: Rows, size: int) -> Floats:
        """Return the BM25 score of each of the rows for each text, as a share of the highest possible one."""
        scores, highest = self._postings.scores_and_limits(asked.terms, size)
        return (scores[:, rows] / np.where(highest > 0, highest, 1)[:, None]).astype(np.float32)

    def _aligned(self, asked: SearchTexts, similarity: Floats, rows: Rows, chosen: Rows) -> tuple[Floats, Floats]:
        """Return the alignment of each text with each of the rows, absolute, and by the rarity of words here. It is 0
        for rows that are not chosen.
        """
        pairs = WordPairs.of(self._table, asked.words, self._words.of(rows[chosen].tolist()))
        weights = [self._table.importance(word) for word in asked.words]
        here = [
            weight * self._words.rarity(words, len(self)) for weight, words in zip(weights, asked.words, strict=True)
        ]
        absolute, rare = np.zeros_like(similarity), np.zeros_like(similarity)
        absolute[:, chosen], rare[:, chosen] = pairs.alignments(weights), pairs.alignments(here)
        return absolute, rare

    def _described(self, asked: SearchTexts, rows: Rows, joined: Floats, known: tuple[Rows, Floats]) -> Candidates:
        """Return the candidates in these rows, with their exact relevance, also of those that only neighbours chose.

        `known` are the rows, ascending, whose alignment is known, and these alignments.
        """
        similarity = asked.vectors @ self._vectors.of(rows).T
        places = np.searchsorted(known[0], rows).clip(max=len(known[0]) - 1)
        aligned, fresh = known[1][:, places], known[0][places] != rows
        if fresh.any():
            aligned[:, fresh] = alignments(self._table, asked.words, self._words.of(rows[fresh].tolist()))
        relevant = (asked.weights * relevance(similarity, aligned, asked.scale)).max(axis=0)
        ids = tuple(self._id(int(row)) for row in rows)
        words = self._words.of(rows.tolist())
        return Candidates(ids, similarity.max(axis=0), aligned.max(axis=0), relevant, joined, words)

    def _id(self, row: int) -> UUID:
        return UUID(bytes=self._memories.id_bytes(row))


def _highest(scores: Floats, most: int) -> Rows:
    """Return the places of the `most` highest scores, without those far below the highest one."""
    places = np.flatnonzero(scores > max(0.0, NEGLIGIBLE * float(scores.max())))
    if len(places) > most:
        places = places[np.argpartition(scores[places], -most)[-most:]]
    return places
