"""The archive format of a checkpoint: a gzip-compressed sequence of entries, each after a line with key and size."""

import gzip
import zlib
from collections.abc import AsyncIterator

import orjson

from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_society.simulation.cooperative_yield import TimeSlice

_GZIP = 31
_LEVEL = 3


async def pack_entries(entries: AsyncIterator[BucketEntry]) -> bytes:
    """Return a compressed archive of the entries. They are compressed as they arrive, so they are never all in memory.

    If a key occurs twice, its last entry counts.
    """
    compressing, pieces, turns = zlib.compressobj(_LEVEL, wbits=_GZIP), list[bytes](), TimeSlice()
    async for entry in entries:
        pieces.append(compressing.compress(orjson.dumps([entry.key, len(entry.value)]) + b"\n"))
        pieces.append(compressing.compress(entry.value))
        await turns()
    return b"".join((*pieces, compressing.flush()))


def unpack_entries(data: bytes) -> dict[str, bytes]:
    """Return the values in an archive by key.

    Raises EOFError, OSError, ValueError or zlib.error for bytes that are not an archive.
    """
    whole, entries, start = gzip.decompress(data), dict[str, bytes](), 0
    while start < len(whole):
        begin = whole.index(b"\n", start) + 1
        key, size = orjson.loads(whole[start:begin])
        if not 0 <= size <= len(whole) - begin:
            raise ValueError(f"entry {key!r} is truncated")
        start = begin + size
        entries[str(key)] = whole[begin:start]
    return entries
