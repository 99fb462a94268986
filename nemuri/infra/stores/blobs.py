"""The blob store: large inputs, beside the log and no source of facts."""

import asyncio
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self
from weakref import WeakValueDictionary

from cachetools import LRUCache
from nats.js.errors import ObjectNotFoundError

from nemuri.infra.log import Log
from nemuri.infra.stores.objects import MalformedObjectError, Objects

RECENT_BYTES = 64 * 1024 * 1024
"""The inputs read last are kept at hand up to this size: all pieces of a document are asked for one after the other."""


def blob_bucket(namespace: str) -> str:
    """The name of the namespace's blob store."""
    return f"{namespace}-blobs"


class BlobMissingError(Exception):
    """The blob store has nothing under this reference."""


class BlobForgedError(Exception):
    """What is stored under this reference is not what the reference names."""


@dataclass(slots=True)
class Recent:
    """The texts asked for last, within a bound; never out of date, since a reference names its content."""

    limit: int = RECENT_BYTES
    _texts: LRUCache[str, str] = field(init=False)
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def __post_init__(self) -> None:
        self._texts = LRUCache(self.limit, sys.getsizeof)

    @property
    def bytes(self) -> int:
        """What the texts at hand take."""
        return int(self._texts.currsize)

    def fetching(self, ref: str) -> asyncio.Lock:
        """What lets one fetch of a reference at a time."""
        return self._locks.setdefault(ref, asyncio.Lock())

    def get(self, ref: str) -> str | None:
        """The text, if it is still at hand."""
        return self._texts.get(ref)

    def keep(self, ref: str, text: str) -> None:
        """Have the text at hand instead of those not asked for longest; one over the limit is not kept."""
        if sys.getsizeof(text) <= self.limit:
            self._texts[ref] = text


@dataclass(frozen=True, slots=True)
class Blobs:
    """Large inputs, by the sha256 of their bytes."""

    store: Objects
    recent: Recent = field(default_factory=Recent)

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The blobs of the log's namespace."""
        return cls(await Objects.open(log.stream, blob_bucket(log.subjects.namespace)))

    async def put(self, text: str) -> str:
        """Keep a text and return its reference; keeping it again changes nothing."""
        data = text.encode()
        ref = sha256(data).hexdigest()
        if not await self.store.holds(ref):
            await self.store.put(ref, data)
        return ref

    async def get(self, ref: str) -> str:
        """The text behind a reference.

        Raises `BlobMissingError`, `BlobForgedError` for other bytes than those that the reference names, and
        UnicodeDecodeError for what is no text.
        """
        async with self.recent.fetching(ref):
            text = self.recent.get(ref)
            if text is None:
                text = await self._fetched(ref)
                self.recent.keep(ref, text)
        return text

    async def _fetched(self, ref: str) -> str:
        try:
            data = await self.store.get(ref)
        except ObjectNotFoundError as error:
            raise BlobMissingError(f"no input is stored under {ref}") from error
        except MalformedObjectError as error:
            raise BlobForgedError(f"what is stored under {ref} is no input: {error}") from error
        if sha256(data).hexdigest() != ref:  # whoever may write inputs may write any name beside any bytes
            raise BlobForgedError(f"what is stored under {ref} is something else")
        return data.decode()

    async def erase(self, ref: str) -> None:
        """Delete what is kept under a reference and overwrite its bytes; nothing if there is nothing."""
        await self.store.erase(ref)

    async def refs(self) -> list[str]:
        """Return the references of everything that is kept."""
        return await self.store.names()
