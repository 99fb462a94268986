"""The binary form of retrieval indexes, in which their copies are stored."""

from collections.abc import Iterable, Sequence
from typing import Any, Final
from uuid import UUID

import numpy as np
import orjson
from numpy.typing import NDArray

from nemuri_domain.language.word_table import MODEL
from nemuri_domain.retrieval.sparse_columns import Columns
from nemuri_domain.strength.memory_rows import RowArrays
from nemuri_domain.strength.retrieval_index import AgentIndex, IndexArrays

FORMAT: Final = 9
"""Version of the binary form and of what an index takes from a memory. Raise it if terms, the embedded
text or the arrays of an index change: then stored copies are ignored.
"""
_LENGTH_BYTES: Final = 8
_COLUMN_ARRAYS: Final = 4
_ROW_ARRAYS: Final = 10


def encode(index: AgentIndex, principles: Iterable[UUID], calibration: str) -> bytes:
    """Return an index, the ids of its principles and the digest of its calibration in binary form: a JSON header, then
    the bytes of the arrays.
    """
    state = index.arrays
    rows = state.memories
    arrays: list[NDArray[Any]] = [rows.ids, rows.active, rows.scopes, rows.sources, rows.conversations, rows.positions]
    for joined, lengths in (rows.contents, rows.states):
        arrays += [np.frombuffer(joined, np.uint8), lengths]
    arrays += [state.lengths, *_arrays(state.terms)]
    arrays += [state.vectors, state.words, state.word_counts]
    header = orjson.dumps(
        {
            "scopes": rows.scope_names,
            "sources": rows.source_names,
            "conversations": rows.conversation_names,
            "absorbed": [(memory_id.hex(), other and other.hex()) for memory_id, other in rows.absorbed],
            "principles": sorted(map(str, principles)),
            "calibration": calibration,
            "words": MODEL,
            "arrays": [(array.dtype.str, array.shape) for array in arrays],
        }
    )
    return b"".join(
        (len(header).to_bytes(_LENGTH_BYTES, "big"), header, *(np.ascontiguousarray(array).data for array in arrays))
    )


def decode(data: bytes, dimension: int, calibration: str) -> tuple[AgentIndex, set[UUID]] | None:
    """Return the index and the ids of its principles; None if its vectors are centred by another calibration, or if its
    words are of another table.

    Raises ValueError, KeyError or TypeError if data is damaged.
    """
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "big")
    header = orjson.loads(data[_LENGTH_BYTES:start])
    if header["calibration"] != calibration or header["words"] != MODEL:
        return None
    arrays: list[NDArray[Any]] = []
    for kind, shape in header["arrays"]:
        size = int(np.prod(shape))
        arrays.append(np.frombuffer(data, kind, size, start).reshape(shape))
        start += arrays[-1].nbytes
    ids, active, scopes, sources, conversations, positions, *documents, lengths = arrays[: _ROW_ARRAYS + 1]
    contents, states = ((joined.tobytes(), sizes) for joined, sizes in (documents[:2], documents[2:]))
    rest = arrays[_ROW_ARRAYS + 1 :]
    names, talks = (tuple((first, name) for first, name in header[part]) for part in ("scopes", "conversations"))
    absorbed = tuple(
        (bytes.fromhex(memory_id), other and bytes.fromhex(other)) for memory_id, other in header["absorbed"]
    )
    told = tuple(header["sources"])
    rows = RowArrays(
        ids, active, scopes, sources, names, told, conversations, positions, talks, absorbed, contents, states
    )
    vectors, words, counts = rest[_COLUMN_ARRAYS:]
    state = IndexArrays(rows, lengths, Columns(*rest[:_COLUMN_ARRAYS]), vectors, words, counts)
    return AgentIndex.of(state, dimension), set(map(UUID, header["principles"]))


def _arrays(columns: Columns) -> Sequence[NDArray[Any]]:
    return columns.keys, columns.starts, columns.rows, columns.values
