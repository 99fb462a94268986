"""The rows of a retrieval index: the id, status, scope, source and conversation of the memory in each row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from nemuri_contracts.client_events import Scope, Setting, Turn
from nemuri_domain.retrieval.document_rows import DocumentRows
from nemuri_domain.strength.conversation_order import NO_CONVERSATION, UNKNOWN_POSITION, ConversationOrder

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int32]
Rows = NDArray[np.intp]

ID_BYTES: Final = 160
"""Bytes of memory that a row's id takes in a list and in a dictionary."""
NO_SOURCE: Final = 0
"""Code of a memory without a source."""
_GONE: Final = -1
_UNIVERSAL: Final = ("universal", None)


@dataclass(frozen=True, slots=True)
class RowArrays:
    """The state of `MemoryRows` in arrays of the same length."""

    ids: NDArray[np.uint8]
    """The 16 bytes of each memory's id, shape (n, 16)."""
    active: Mask
    scopes: Codes
    """Position of each memory's scope in `scope_names`; -1 for a row without a memory."""
    sources: Codes
    """Position of each memory's source in `source_names`."""
    scope_names: tuple[tuple[str, str | None], ...] = (_UNIVERSAL,)
    source_names: tuple[str, ...] = ("",)
    conversations: Codes = field(default_factory=lambda: np.zeros(0, np.int32))
    """Position of each memory's conversation in `conversation_names`."""
    positions: Codes = field(default_factory=lambda: np.zeros(0, np.int32))
    """Position of each memory in its conversation; -1 if it is unknown."""
    conversation_names: tuple[tuple[str, str], ...] = (("", ""),)
    """Source and name of each conversation. Sources have conversations of their own, even with the same name."""
    absorbed: tuple[tuple[bytes, bytes | None], ...] = ()
    """Ids of absorbed memories, each with the id of the memory that stands for it; None if none is found in its place.
    """
    contents: tuple[bytes, NDArray[np.int32]] = (b"", np.zeros(0, np.int32))
    """The part of each content that ranking reads, as JSON documents one after the other, and their lengths."""
    states: tuple[bytes, NDArray[np.int32]] = (b"", np.zeros(0, np.int32))
    """The part of each memory's state that ranking reads, in the same form."""


_EMPTY: Final = RowArrays(
    np.zeros((0, 16), np.uint8), np.zeros(0, np.bool_), np.zeros(0, np.int32), np.zeros(0, np.int32)
)


class MemoryRows:
    """Memories by row. The row of a removed memory is used again."""

    def __init__(self, arrays: RowArrays = _EMPTY) -> None:
        """Create the rows with the state `arrays`, which is not changed."""
        ids = arrays.ids.tobytes()
        self._ids: list[bytes] = [ids[at : at + 16] for at in range(0, len(ids), 16)]
        self._active, self._scopes, self._sources = arrays.active.copy(), arrays.scopes.copy(), arrays.sources.copy()
        self._conversations, self._positions = arrays.conversations.copy(), arrays.positions.copy()
        self._scope_codes = {name: code for code, name in enumerate(arrays.scope_names)}
        self._source_codes = {name: code for code, name in enumerate(arrays.source_names)}
        self._conversation_codes = {name: code for code, name in enumerate(arrays.conversation_names)}
        self._order: ConversationOrder | None = None
        self._absorbed = dict(arrays.absorbed)
        self.contents, self._states = DocumentRows(*arrays.contents), DocumentRows(*arrays.states)
        self._stand_ins: Rows | None = None
        self._free: list[int] = np.flatnonzero(arrays.scopes == _GONE).tolist()
        self._rows = dict(zip(self._ids, range(len(self._ids)), strict=True))
        for row in self._free:
            self._rows.pop(self._ids[row], None)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, memory_id: UUID) -> bool:
        return memory_id.bytes in self._rows

    @property
    def count(self) -> int:
        """Return the number of rows, with those of removed memories."""
        return len(self._ids)

    @property
    def nbytes(self) -> int:
        """Return the size in bytes of memory, reserved rows included, accurate to about a quarter."""
        codes = (self._active, self._scopes, self._sources, self._conversations, self._positions)
        documents = self.contents.nbytes + self._states.nbytes
        return sum(code.nbytes for code in codes) + documents + ID_BYTES * len(self._ids)

    @property
    def arrays(self) -> RowArrays:
        """Return the state. The arrays change with the rows."""
        ids = np.frombuffer(b"".join(self._ids), np.uint8).reshape(-1, 16)
        rows = slice(self.count)
        return RowArrays(
            ids,
            self._active[rows],
            self._scopes[rows],
            self._sources[rows],
            tuple(self._scope_codes),
            tuple(self._source_codes),
            self._conversations[rows],
            self._positions[rows],
            tuple(self._conversation_codes),
            tuple(self._absorbed.items()),
            self.contents.stored(self.count),
            self._states.stored(self.count),
        )

    def put(self, memory_id: UUID, scope: Scope, source: str, turn: Turn | None, *, active: bool) -> int:
        """Add a memory that is not in a row yet, and return its row."""
        key = memory_id.bytes
        if self._free:
            row = self._free.pop()
            self._ids[row] = key
        else:
            row = len(self._ids)
            self._ids.append(key)
            self._reserve(len(self._ids))
        self._rows[key], self._stand_ins = row, None
        self._active[row] = active
        self._scopes[row] = self._scope_codes.setdefault((scope.level, scope.name), len(self._scope_codes))
        self._sources[row] = self._source_codes.setdefault(source, len(self._source_codes))
        self._conversations[row], self._positions[row] = NO_CONVERSATION, UNKNOWN_POSITION
        if turn is not None:
            name = (source, turn.conversation)
            self._conversations[row] = self._conversation_codes.setdefault(name, len(self._conversation_codes))
            self._positions[row] = UNKNOWN_POSITION if turn.position is None else turn.position
            self._order = None
        return row

    def remove(self, ids: Iterable[UUID]) -> list[int]:
        """Remove memories, and return the rows that they had. Unknown ids are ignored."""
        gone = [row for memory_id in ids if (row := self._rows.pop(memory_id.bytes, None)) is not None]
        for row in gone:
            self._absorbed.pop(self._ids[row], None)
            self._stand_ins = None
            self._ids[row] = bytes(16)
            self._active[row], self._scopes[row] = False, _GONE
            if self._conversations[row] != NO_CONVERSATION:
                self._conversations[row], self._order = NO_CONVERSATION, None
        self._free += gone
        self.contents.remove(gone)
        self._states.remove(gone)
        return gone

    def set_active(self, ids: Iterable[UUID], active: bool) -> None:  # noqa: FBT001 - a status is what is set
        """Mark memories as active, or as archived if `active` is False. Unknown ids are ignored."""
        for memory_id in ids:
            row = self._rows.get(memory_id.bytes)
            if row is not None:
                self._active[row] = active

    def set_state(self, memory_id: UUID, document: bytes, *, active: bool) -> None:
        """Set what ranking reads of a memory's state. An unknown id is ignored."""
        row = self._rows.get(memory_id.bytes)
        if row is not None:
            self._active[row] = active
            self._states.set(row, document)

    def documents(self, memory_id: UUID) -> tuple[bytes, bytes]:
        """Return what ranking reads of a memory's content and of its state. Raises KeyError if it is unknown."""
        row = self._rows[memory_id.bytes]
        return self.contents[row], self._states[row]

    def set_absorbed(self, standing: Mapping[UUID, UUID | None]) -> None:
        """Mark memories as absorbed. `standing` has the memory that stands for each; None if none is to be found in its
        place.
        """
        self._stand_ins = None
        self._absorbed |= {memory_id.bytes: other.bytes if other else None for memory_id, other in standing.items()}

    def set_standing(self, ids: Iterable[UUID]) -> None:
        """Mark memories as not absorbed. Unknown ids are ignored."""
        for memory_id in ids if self._absorbed else ():
            if memory_id.bytes in self._absorbed:
                del self._absorbed[memory_id.bytes]
                self._stand_ins = None

    def stand_ins(self) -> Rows | None:
        """Return for each row the row of the memory that stands for its memory, -1 if there is none; None if no memory
        is absorbed. It is valid until the rows change.
        """
        if self._absorbed and self._stand_ins is None:
            rows = np.arange(self.count)
            for key in self._absorbed:
                if (row := self._rows.get(key)) is not None:
                    rows[row] = self._stand_in(key)
            self._stand_ins = rows
        return self._stand_ins if self._absorbed else None

    def _stand_in(self, key: bytes | None) -> int:
        passed = set[bytes | None]()
        while key in self._absorbed and key not in passed:
            passed.add(key)
            key = self._absorbed[key]
        return -1 if key is None or key in passed else self._rows.get(key, -1)

    def eligible(self, setting: Setting | None = None, *, active: bool = True) -> Mask:
        """Return the mask of active memories (archived ones if `active` is False) whose scope is valid in the
        setting. Of an absorbed memory, status and scope are those of the memory that stands for it.
        """
        scopes = self._scopes[: self.count]
        flags, exists = self._active[: self.count], scopes != _GONE
        if (stand_ins := self.stand_ins()) is not None:
            flags, exists = flags[stand_ins], exists & (stand_ins >= 0)
        mask: Mask = exists & (flags == active)
        if setting is None:
            return mask
        names = [_UNIVERSAL, ("project", setting.project), *(("domain", domain) for domain in setting.domains)]
        valid = [self._scope_codes[name] for name in names if name in self._scope_codes]
        if stand_ins is not None:
            scopes = scopes[stand_ins]
        within: Mask = mask & np.isin(scopes, valid)
        return within

    def id_bytes(self, row: int) -> bytes:
        """Return the 16 bytes of the id in a row. Raises ValueError if the row has no memory."""
        if self._scopes[row] == _GONE:
            raise ValueError("the mask is outdated: the index has changed since")
        return self._ids[row]

    def sources(self, rows: Sequence[int] | NDArray[np.intp]) -> Codes:
        """Return the code of each row's source; `NO_SOURCE` for none."""
        return self._sources[rows]

    def conversation_order(self) -> ConversationOrder:
        """Return the order of the memories that come from conversations. It is valid until the rows change."""
        if self._order is None:
            self._order = ConversationOrder.of(self._conversations[: self.count], self._positions[: self.count])
        return self._order

    def _reserve(self, rows: int) -> None:
        if rows <= len(self._active):
            return
        more = max(64, len(self._active) // 2)
        self._active = np.concatenate([self._active, np.zeros(more, np.bool_)])
        self._scopes = np.concatenate([self._scopes, np.full(more, _GONE, np.int32)])
        self._sources, self._conversations, self._positions = (
            np.concatenate([column, np.zeros(more, np.int32)])
            for column in (self._sources, self._conversations, self._positions)
        )

    def standing(self, rows: Rows, *columns: NDArray[Any]) -> tuple[Rows, Sequence[NDArray[Any]]]:
        """Return the rows, ascending, with those of absorbed memories replaced by the rows that stand for them.

        A row that stands for several has the maximum of each of `columns`.
        """
        stand_ins = self.stand_ins()
        if stand_ins is None:
            return rows, columns
        others = stand_ins[rows]
        moved, there = others != rows, np.zeros(self.count, np.bool_)
        there[others] = True
        found = [
            np.full(self.count, False if column.dtype == np.bool_ else -np.inf, column.dtype) for column in columns
        ]
        for highest, column in zip(found, columns, strict=True):
            highest[rows[~moved]] = column[~moved]
            np.maximum.at(highest, others[moved], column[moved])
        return np.flatnonzero(there), [highest[there] for highest in found]

    def with_neighbours(self, rows: Rows, relevance: Floats, hits: Mask) -> tuple[Floats, Mask]:
        """Return the relevance of the rows with that of their neighbours in conversations, and which rows have a
        neighbour among the `hits`.
        """
        order = self.conversation_order()
        if not len(order.rows):
            return relevance, np.zeros(len(rows), np.bool_)
        every = np.zeros(self.count, np.float32)
        hit, searched = np.zeros(self.count, np.bool_), np.zeros(self.count, np.bool_)
        every[rows], hit[rows], searched[rows] = relevance, hits, True
        found, supported = order.spread(every, hit, searched)
        return found[rows], supported[rows]
