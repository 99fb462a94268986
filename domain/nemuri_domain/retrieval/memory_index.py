"""The memories of an agent by row: their ids, the features by which their kind of memory ranks, their vectors and their
words.
"""

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from sys import getsizeof
from types import MappingProxyType
from typing import Any, Final, Self, TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_domain.language.tokenization import term_counts, terms
from nemuri_domain.language.word_table import word_table
from nemuri_domain.retrieval.inverted_index import InvertedIndex
from nemuri_domain.retrieval.vector_rows import VectorRows
from nemuri_domain.retrieval.word_rows import WordRows

ID_BYTES: Final = 160
"""Bytes of memory that the id of a memory takes in a list and in a dictionary, and a name in a column."""
FEW: Final = 50
"""Number of memories whose mean vector counts half."""
NO_NAME: Final = 0
"""Code of None in a column of names."""

Features = NDArray[Any]
"""Structured array with one row for each memory. Each kind of memory has columns of its own."""
Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
T = TypeVar("T")


class MemoryIndex:
    """The index of the memories of one agent. Its rows have neither order nor gaps. Not thread-safe.

    A column of names (scopes, sources, projects) holds a small integer for each name, so that memories are compared by
    it at once. Whatever is computed from columns (`derived`) is kept until one of them changes.
    """

    def __init__(self, dimension: int, columns: "np.dtype[Any]", names: Collection[str] = ()) -> None:
        """Create an empty index for vectors of this dimension and features with these columns, of which `names` are
        columns of names.
        """
        self.dimension = dimension
        self.ids: list[bytes] = []
        """The 16 bytes of the id in each row."""
        self.features: Features = np.zeros(0, columns)
        self.names: dict[str, dict[Hashable, int]] = {column: {None: NO_NAME} for column in names}
        """The code of each name in a column."""
        self.vectors = VectorRows(np.zeros((0, dimension), np.float32))
        self.postings = InvertedIndex()
        self.words = WordRows()
        self._rows: dict[bytes, int] = {}
        self._objects = [name for name in columns.names or () if columns[name].hasobject]
        self._object_bytes = 0
        self._derived: dict[Any, tuple[Collection[str], Any]] = {}

    def restore(
        self,
        ids: Sequence[bytes],
        features: Features,
        vectors: Floats,
        names: Mapping[str, dict[Hashable, int]] = MappingProxyType({}),
        postings: InvertedIndex | None = None,
        words: WordRows | None = None,
    ) -> None:
        """Fill an empty index with the parts of another one. Nothing is copied."""
        self.ids, self.features, self.vectors = list(ids), features, VectorRows(vectors)
        self.names |= names
        self.postings, self.words = postings or self.postings, words or self.words
        self._rows = {key: row for row, key in enumerate(self.ids)}
        self._object_bytes = self._bytes_of(features)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, memory_id: UUID) -> bool:
        return memory_id.bytes in self._rows

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory, reserved rows included, accurate to about a third."""
        names = sum(map(len, self.names.values()))
        arrays = self.vectors.nbytes + self.postings.nbytes + self.words.nbytes + self.features.nbytes
        return arrays + self._object_bytes + ID_BYTES * (len(self) + names)

    def id(self, row: int) -> UUID:
        """Return the id of the memory in a row."""
        return UUID(bytes=self.ids[row])

    def row(self, key: bytes) -> int | None:
        """Return the row of the memory whose id has these 16 bytes; None if it is unknown."""
        return self._rows.get(key)

    def put(
        self, ids: Sequence[UUID], values: Sequence[tuple[Any, ...]], vectors: Floats, texts: Sequence[str] = ()
    ) -> None:
        """Insert memories, or replace those that the index has. If an id occurs twice, its last memory counts.

        Args:
            ids: The ids.
            values: The value of each column for each memory; the name itself in a column of names.
            vectors: Unit vectors, shape (memories, dimension); zeros for a memory that has none.
            texts: The texts whose words are searched; none for an index that is searched by vectors only.

        Raises:
            ValueError: The numbers or the dimension differ, or a number is not finite. Nothing is changed.
        """
        numbers = len(values), len(texts or ids), *vectors.shape
        if numbers != (len(ids), len(ids), len(ids), self.dimension) or not np.isfinite(vectors).all():
            raise ValueError(f"expected {len(ids)} values, texts and finite vectors of {self.dimension}; got {numbers}")
        if not ids:
            return
        last = {memory_id.bytes: at for at, memory_id in enumerate(ids)}
        at, fresh = list(last.values()), [key for key in last if key not in self._rows]
        known = [self._rows[key] for key in last if key in self._rows]
        self._rows |= {key: row for row, key in enumerate(fresh, len(self))}
        self.ids += fresh
        self.features = np.concatenate([self.features, np.zeros(len(fresh), self.features.dtype)])
        rows = [self._rows[key] for key in last]
        self._derived.clear()
        columns = zip(*(values[number] for number in at), strict=True)
        self._set(rows, dict(zip(self.features.dtype.names or (), columns, strict=True)))
        self.vectors.add(rows, vectors[at])
        if texts:
            self.postings.remove(known)
            for row, number in zip(rows, at, strict=True):
                self.postings.add(row, term_counts(texts[number]))
                self.words.set(row, word_table().words(texts[number]))

    def update(self, ids: Sequence[UUID], **columns: Sequence[Any]) -> None:
        """Set columns of memories, to one value for each id. Unknown ids are ignored."""
        rows = [(self._rows[key], at) for at, memory_id in enumerate(ids) if (key := memory_id.bytes) in self._rows]
        if rows:
            at = [number for _, number in rows]
            values = {name: [column[number] for number in at] for name, column in columns.items()}
            self._set([row for row, _ in rows], values)

    def drop(self, ids: Collection[UUID]) -> None:
        """Remove memories with their vectors, words and names. Unknown ids are ignored."""
        gone = {self._rows[key] for memory_id in ids if (key := memory_id.bytes) in self._rows}
        if not gone:
            return
        kept = np.delete(np.arange(len(self)), list(gone))
        self.ids, self.features = [self.ids[row] for row in kept.tolist()], self.features[kept]
        self._rows = {key: row for row, key in enumerate(self.ids)}
        self.vectors, self.postings = self.vectors.kept(kept), self.postings.kept(kept)
        self.words = self.words.kept(kept)
        self._object_bytes = self._bytes_of(self.features)
        self._derived.clear()
        for column, codes in self.names.items():
            names, used = list(codes), np.unique(np.append(NO_NAME, self.features[column]))
            self.features[column] = np.searchsorted(used, self.features[column])
            self.names[column] = {names[code]: number for number, code in enumerate(used.tolist())}

    def among(self, column: str, names: Collection[Hashable]) -> Mask:
        """Return the mask of the memories that have one of these names in a column of names."""
        codes = self.names[column]
        mask: Mask = np.isin(self.features[column], [codes[name] for name in names if name in codes])
        return mask

    def cosines(self, queries: Floats) -> Floats:
        """Return the dot product of each memory with each query, shape (memories, queries).

        Raises ValueError if the queries have another dimension than the index.
        """
        if queries.shape[1] != self.dimension:
            raise ValueError(f"expected vectors of dimension {self.dimension}; got {queries.shape[1]}")
        return self.vectors.products(queries, len(self)).T

    def saying(self, sentence: str, *, least: float, limit: int) -> list[UUID]:
        """Return up to `limit` memories, of any status and scope, that have at least this share of the words of a
        sentence, those with most first. A rare word counts more than a common one.
        """
        shares = self.postings.shares(terms(sentence), len(self))
        rows = np.flatnonzero(shares >= least)
        return [self.id(row) for row in rows[np.argsort(-shares[rows], kind="stable")[:limit]].tolist()]

    def derived(self, columns: Collection[str], make: Callable[[Self], T]) -> T:
        """Return what `make` computes from columns of the index. It is kept until one of them or a row changes."""
        if make not in self._derived:
            self._derived[make] = columns, make(self)
        value: T = self._derived[make][1]
        return value

    @property
    def common(self) -> Floats:
        """Common part of the memories' vectors, shape (dimension,): their mean, shrunk towards zero if they
        are few.

        An agent that always talks about the same things has memories that are all alike. Without the mean, they differ
        by what is special about each.
        """
        return self.derived((), _common)

    def _set(self, rows: Sequence[int], columns: Mapping[str, Sequence[Any]]) -> None:
        before = self._bytes_of(self.features[rows])
        changed = set[str]()
        for name, given in columns.items():
            codes, kind = self.names.get(name), self.features.dtype[name]
            coded = given if codes is None else [codes.setdefault(value, len(codes)) for value in given]
            values = np.fromiter(coded, kind, len(rows))
            if (self.features[name][rows] != values).any():
                self.features[name][rows] = values
                changed.add(name)
        self._object_bytes += self._bytes_of(self.features[rows]) - before
        self._derived = {make: kept for make, kept in self._derived.items() if changed.isdisjoint(kept[0])}

    def _bytes_of(self, features: Features) -> int:
        return sum(getsizeof(value) for name in self._objects for value in features[name].tolist() if value)


def _common(index: MemoryIndex) -> Floats:
    total = index.vectors.stored(len(index)).sum(axis=0, dtype=np.float64)
    common: Floats = (total / (len(index) + FEW)).astype(np.float32)
    return common
