"""Inputs read last are kept at hand, within a bound."""

import asyncio
from dataclasses import dataclass, field
from hashlib import sha256
from typing import cast

import pytest

from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.service import OUTAGE_ERRORS
from nemuri_infra.stores.blobs import CACHE_BYTES, BlobForgedError, BlobMissingError, Blobs, TextCache
from nemuri_infra.stores.objects import Description, Objects


@dataclass(slots=True)
class SlowStore:
    """Objects in memory, each of which takes a while, and how often each was fetched."""

    objects: dict[str, bytes]
    fetched: list[str] = field(default_factory=list)

    async def names_like(self, pattern: str) -> list[str]:
        """Return the only copy."""
        ref = pattern.removeprefix("*.")
        return [f"cli.{ref}"] if ref in self.objects else []

    async def describe(self, name: str) -> Description:
        """Return what whoever wrote it would have said."""
        return Description(pieces=1, digest=name.removeprefix("cli."))

    async def read(self, name: str, _described: Description, **_limits: int) -> bytes:
        """Return the object."""
        ref = name.removeprefix("cli.")
        self.fetched.append(ref)
        await asyncio.sleep(0)
        return self.objects[ref]


def blobs(store: SlowStore, limit: int = CACHE_BYTES) -> Blobs:
    """Blobs of that store."""
    return Blobs(cast("Objects", store), OPERATOR, TextCache(limit))


def ref_of(text: str) -> str:
    """The reference of a text: the hash of its bytes."""
    return sha256(text.encode()).hexdigest()


def holding(*texts: str) -> SlowStore:
    """A store of these texts."""
    return SlowStore({ref_of(each): each.encode() for each in texts})


async def test_an_input_is_fetched_once_for_all_who_ask() -> None:
    """At the same time and later."""
    one, two = "one", "zwei ü"
    store = holding(one, two)
    known = blobs(store)

    texts = await asyncio.gather(*(known.get(ref_of(each)) for each in (one, two, one, two)))

    assert texts == [one, two, one, two]
    assert await known.get(ref_of(one)) == one
    assert sorted(store.fetched) == sorted(map(ref_of, (one, two)))


async def test_what_was_not_asked_for_longest_goes_first() -> None:
    """As soon as there is more than the limit."""
    a, b, c = (letter * 1_000 for letter in "abc")
    store = holding(a, b, c)
    known = blobs(store, limit=2_500)
    for text in (a, b, a, c, a):
        assert await known.get(ref_of(text)) == text
    assert store.fetched == [*map(ref_of, (a, b, c))]
    assert known.recent.bytes <= 2_500

    await known.get(ref_of(b))

    assert store.fetched == [*map(ref_of, (a, b, c, b))]


async def test_what_is_over_the_limit_is_not_kept() -> None:
    """It is fetched every time, and moves nothing else out."""
    large, small = "x" * 5_000, "small"
    store = holding(large, small)
    known = blobs(store, limit=2_500)
    for text in (small, large, small, large):
        await known.get(ref_of(text))

    assert store.fetched == [*map(ref_of, (small, large, large))]


async def test_what_is_missing_may_come() -> None:
    """Nothing is remembered of that."""
    store = holding()
    known = blobs(store)
    with pytest.raises(BlobMissingError):
        await known.get(ref_of("here"))
    store.objects[ref_of("here")] = b"here"

    assert await known.get(ref_of("here")) == "here"


async def test_what_is_not_what_its_name_says_is_no_input() -> None:
    """Other bytes under the name of an input are never read as that input, and it is no matter of waiting."""
    store = SlowStore({ref_of("mine"): b"forged"})
    known = blobs(store)

    with pytest.raises(BlobForgedError) as raised:
        await known.get(ref_of("mine"))

    assert not isinstance(raised.value, OUTAGE_ERRORS)
    assert known.recent.bytes == 0
