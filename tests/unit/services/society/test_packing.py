"""A society in one piece of bytes."""

import gzip
from collections.abc import AsyncIterator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nemuri.infra.stores.buckets import Entry
from nemuri.services.society.packing import packed, unpacked


async def told(entries: Sequence[tuple[str, bytes]]) -> AsyncIterator[Entry]:
    """Entries as they are read."""
    for number, (key, value) in enumerate(entries, 1):
        yield Entry(key, value, number)


@given(st.lists(st.tuples(st.sampled_from(["society", "agent.0.a00.goals", "world.0", "\n"]), st.binary(max_size=99))))
async def test_what_is_packed_comes_out_again(entries: list[tuple[str, bytes]]) -> None:
    """Whatever bytes there are, and of what comes twice the later."""
    assert unpacked(await packed(told(entries))) == dict(entries)


@pytest.mark.parametrize(
    "told",
    [
        b"nothing of ours",
        gzip.compress(b"no line"),
        gzip.compress(b"not JSON\n"),
        gzip.compress(b'["key"]\n'),
        gzip.compress(b'["key", 3]\nab'),
        gzip.compress(b'["key", -7]\nab'),
        gzip.compress(b'["key", 2]\nab')[:-4],
    ],
)
def test_what_is_something_else_is_refused(told: bytes) -> None:
    """And never waited for."""
    with pytest.raises((EOFError, OSError, ValueError)):
        unpacked(told)
