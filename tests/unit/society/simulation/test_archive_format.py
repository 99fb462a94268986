"""Tests of the archive format of checkpoints."""

import gzip
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri_infra.stores.bucket_reader import BucketEntry
from nemuri_society.simulation.archive_format import pack_entries, unpack_entries


async def as_entries(entries: Sequence[tuple[str, bytes]]) -> AsyncIterator[BucketEntry]:
    """Yield the pairs of key and value as entries with increasing revisions."""
    for number, (key, value) in enumerate(entries, 1):
        yield BucketEntry(key, value, number)


@given(st.lists(st.tuples(st.sampled_from(["society", "agent.0.a00.goals", "world.0", "\n"]), st.binary(max_size=99))))
async def test_packed_entries_are_unpacked(entries: list[tuple[str, bytes]]) -> None:
    """Unpacking returns the packed entries. If a key was packed twice, its last entry is returned."""
    assert unpack_entries(await pack_entries(as_entries(entries))) == dict(entries)


@pytest.mark.parametrize("whole", [b"no line", b"not JSON\n", b'["key"]\n', b'["key", 3]\nab', b'["key", -7]\nab'])
def test_another_format_is_refused(whole: bytes) -> None:
    """Compressed bytes of another format raise `ValueError`."""
    with pytest.raises(ValueError, match=r"not|expected|truncated"):
        unpack_entries(gzip.compress(whole))


def test_a_truncated_archive_is_refused() -> None:
    """Truncated or uncompressed bytes raise `EOFError` or `OSError`."""
    whole = gzip.compress(b'["key", 2]\nab')
    for data in (whole[:-4], b"nothing of ours"):
        with pytest.raises((EOFError, OSError)):
            unpack_entries(data)
