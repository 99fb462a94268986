"""Tests of the cache of blobs, whose size is limited."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from typing import cast

import pytest

from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.stores.blobs import CACHE_BYTES, BlobForgedError, BlobMissingError, Blobs, text_cache
from nemuri_infra.stores.objects import Description, Objects


@dataclass(slots=True)
class SlowStore:
    """An object store in memory whose reads are slow and counted."""

    objects: dict[str, bytes]
    fetched: list[str] = field(default_factory=list)

    async def names_like(self, pattern: str) -> list[str]:
        """Return the names of objects that match the pattern."""
        ref = pattern.removeprefix("*.")
        return [f"cli.{ref}"] if ref in self.objects else []

    async def describe(self, name: str) -> Description:
        """Return the description of an object."""
        return Description(pieces=1, digest=name.removeprefix("cli."))

    async def read(self, name: str, _described: Description, **_limits: int) -> bytes:
        """Return the bytes of an object."""
        ref = name.removeprefix("cli.")
        self.fetched.append(ref)
        await asyncio.sleep(0)
        return self.objects[ref]


def blobs(store: SlowStore, limit: int = CACHE_BYTES) -> Blobs:
    """Return blobs that are read from this store, with a cache of `limit` bytes."""
    return Blobs(cast("Objects", store), OPERATOR, text_cache(limit))


def ref_of(text: str) -> str:
    """Return the reference of a text, which is the hash of its bytes."""
    return sha256(text.encode()).hexdigest()


def holding(*texts: str) -> SlowStore:
    """Return a store with these texts."""
    return SlowStore({ref_of(text): text.encode() for text in texts})


async def test_a_blob_is_fetched_once() -> None:
    """A blob is fetched once for concurrent and later reads."""
    one, two = "one", "zwei ü"
    store = holding(one, two)
    known = blobs(store)

    texts = await asyncio.gather(*(known.get(ref_of(each)) for each in (one, two, one, two)))

    assert texts == [one, two, one, two]
    assert await known.get(ref_of(one)) == one
    assert sorted(store.fetched) == sorted(map(ref_of, (one, two)))


async def test_the_least_recently_used_blob_is_dropped_first() -> None:
    """A blob is dropped as soon as the cache exceeds its limit."""
    a, b, c = (letter * 1_000 for letter in "abc")
    store = holding(a, b, c)
    known = blobs(store, limit=2_500)
    for text in (a, b, a, c, a):
        assert await known.get(ref_of(text)) == text
    assert store.fetched == [*map(ref_of, (a, b, c))]
    assert known.recent.bytes <= 2_500

    await known.get(ref_of(b))

    assert store.fetched == [*map(ref_of, (a, b, c, b))]


async def test_a_blob_over_the_limit_is_not_cached() -> None:
    """A blob above the cache's limit is fetched each time, and drops no other blob from the cache."""
    large, small = "x" * 5_000, "small"
    store = holding(large, small)
    known = blobs(store, limit=2_500)
    for text in (small, large, small, large):
        await known.get(ref_of(text))

    assert store.fetched == [*map(ref_of, (small, large, large))]


async def test_a_missing_blob_is_not_cached() -> None:
    """A failed read is not cached, so a blob that is written later is found."""
    store = holding()
    known = blobs(store)
    with pytest.raises(BlobMissingError):
        await known.get(ref_of("here"))
    store.objects[ref_of("here")] = b"here"

    assert await known.get(ref_of("here")) == "here"


async def test_a_blob_with_the_wrong_hash_is_refused() -> None:
    """Bytes that do not match their reference raise an error that is permanent."""
    store = SlowStore({ref_of("mine"): b"forged"})
    known = blobs(store)

    with pytest.raises(BlobForgedError) as raised:
        await known.get(ref_of("mine"))

    assert not isinstance(raised.value, OUTAGE_ERRORS)
    assert known.recent.bytes == 0
