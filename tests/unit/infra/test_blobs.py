"""Inputs read last are kept at hand, within a bound."""

import asyncio
from dataclasses import dataclass, field
from typing import cast

import pytest
from nats.js.errors import ObjectNotFoundError

from nemuri.infra.blobs import RECENT_BYTES, BlobMissingError, Blobs, Recent
from nemuri.infra.objects import Objects


@dataclass(slots=True)
class SlowStore:
    """Objects in memory, each of which takes a while, and how often each was fetched."""

    objects: dict[str, bytes]
    fetched: list[str] = field(default_factory=list)

    async def get(self, ref: str) -> bytes:
        """The object."""
        self.fetched.append(ref)
        await asyncio.sleep(0)
        if ref not in self.objects:
            raise ObjectNotFoundError
        return self.objects[ref]


def blobs(store: SlowStore, limit: int = RECENT_BYTES) -> Blobs:
    """Blobs of that store."""
    return Blobs(cast("Objects", store), Recent(limit))


async def test_an_input_is_fetched_once_for_all_who_ask() -> None:
    """At the same time and later."""
    store = SlowStore({"a": b"one", "b": "zwei ü".encode()})
    known = blobs(store)

    texts = await asyncio.gather(*(known.get(ref) for ref in "abab"))

    assert texts == ["one", "zwei ü", "one", "zwei ü"]
    assert await known.get("a") == "one"
    assert sorted(store.fetched) == ["a", "b"]


async def test_what_was_not_asked_for_longest_goes_first() -> None:
    """As soon as there is more than the limit."""
    store = SlowStore({ref: ref.encode() * 1_000 for ref in "abc"})
    known = blobs(store, limit=2_500)
    for ref in "abaca":
        assert await known.get(ref) == ref * 1_000
    assert store.fetched == ["a", "b", "c"]
    assert known.recent.bytes <= 2_500

    await known.get("b")

    assert store.fetched == ["a", "b", "c", "b"]


async def test_what_is_over_the_limit_is_not_kept() -> None:
    """It is fetched every time, and moves nothing else out."""
    store = SlowStore({"a": b"x" * 5_000, "b": b"small"})
    known = blobs(store, limit=2_500)
    for ref in "baba":
        await known.get(ref)

    assert store.fetched == ["b", "a", "a"]


async def test_what_is_missing_may_come() -> None:
    """Nothing is remembered of that."""
    store = SlowStore({})
    known = blobs(store)
    with pytest.raises(BlobMissingError):
        await known.get("a")
    store.objects["a"] = b"here"

    assert await known.get("a") == "here"
