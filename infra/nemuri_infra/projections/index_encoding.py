"""The binary form of retrieval indexes, in which their copies are stored."""

from itertools import pairwise
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from nemuri_domain.language.word_table import MODEL
from nemuri_domain.retrieval.inverted_index import InvertedIndex
from nemuri_domain.retrieval.memory_index import MemoryIndex
from nemuri_domain.retrieval.sparse_columns import Columns
from nemuri_domain.retrieval.word_rows import WordRows

FORMAT: Final = 11
"""Version of the binary form and of what an index takes from a memory. Raise it if terms, the embedded
text or the columns of an index change: then stored copies are ignored.
"""
_LENGTH_BYTES: Final = 8
_ID_BYTES: Final = 16
Array = NDArray[Any]


def encode(index: MemoryIndex, calibration: str) -> bytes:
    """Return an index and the digest of its calibration in binary form: a JSON header, then the bytes of the arrays.

    Values of columns of objects must be bytes.
    """
    terms, columns = index.postings.terms, index.features.dtype.names or ()
    arrays: list[Array] = [np.frombuffer(b"".join(index.ids), np.uint8)]
    for column in columns:
        values = index.features[column]
        arrays += _joined(values.tolist()) if values.dtype.hasobject else [values]
    arrays += [index.vectors.stored(len(index)), index.postings.lengths(len(index))]
    arrays += [terms.keys, terms.starts, terms.rows, terms.values, *index.words.arrays()]
    header = orjson.dumps(
        {
            "names": {column: list(codes) for column, codes in index.names.items()},
            "calibration": calibration,
            "words": MODEL,
            "arrays": [(array.dtype.str, array.shape) for array in arrays],
        }
    )
    return b"".join(
        (len(header).to_bytes(_LENGTH_BYTES, "big"), header, *(np.ascontiguousarray(array).data for array in arrays))
    )


def decode(data: bytes, index: MemoryIndex, calibration: str) -> bool:
    """Fill an empty index from its binary form. Returns False, and does nothing, if its vectors are centred by another
    calibration, or if its words are of another table.

    Raises ValueError, KeyError or TypeError, and does nothing, if data is damaged.
    """
    start = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "big")
    header = orjson.loads(data[_LENGTH_BYTES:start])
    if header["calibration"] != calibration or header["words"] != MODEL:
        return False
    every: list[Array] = []
    for kind, shape in header["arrays"]:
        every.append(np.frombuffer(data, kind, int(np.prod(shape)), start).reshape(shape))
        start += every[-1].nbytes
    arrays = iter(every)
    ids = next(arrays).tobytes()
    features = np.zeros(len(ids) // _ID_BYTES, index.features.dtype)
    for column in features.dtype.names or ():
        of_objects = features.dtype[column].hasobject
        features[column] = _parts(next(arrays).tobytes(), next(arrays)) if of_objects else next(arrays)
    vectors, lengths, keys, starts, rows, values, *words = arrays
    postings, word_rows = InvertedIndex(Columns(keys, starts, rows, values), lengths), WordRows(*words)
    names = {column: {_name(name): code for code, name in enumerate(header["names"][column])} for column in index.names}
    keys_of_rows = [ids[at : at + _ID_BYTES] for at in range(0, len(ids), _ID_BYTES)]
    index.restore(keys_of_rows, features, vectors.copy(), names, postings, word_rows)
    return True


def _name(name: Any) -> Any:
    return tuple(name) if isinstance(name, list) else name


def _joined(values: list[bytes]) -> list[Array]:
    return [np.frombuffer(b"".join(values), np.uint8), np.array([len(value) for value in values], np.int32)]


def _parts(joined: bytes, lengths: Array) -> Array:
    ends = np.cumsum(lengths).tolist()
    return np.fromiter((joined[start:end] for start, end in pairwise([0, *ends])), object, len(lengths))
