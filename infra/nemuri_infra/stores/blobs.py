"""The blob store: the large inputs of tasks, such as documents. It is not a source of facts."""

import asyncio
import re
import sys
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Self
from weakref import WeakValueDictionary

from nats.js.errors import ObjectNotFoundError

from nemuri_contracts.event import OPERATOR
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.byte_cache import ByteCache
from nemuri_infra.stores.objects import IncompleteObjectError, MalformedObjectError, Objects

CACHE_BYTES = 64 * 1024 * 1024
"""Maximum number of bytes of recently read inputs in the cache.

A document is read in pieces one after the other, so the cache avoids reading it again for each piece.
"""
MAX_INPUT_BYTES = 80 * 1024 * 1024
"""Maximum size of an input in bytes. The largest document that our clients upload has 20 million characters."""
_REF = re.compile(r"[0-9a-f]{64}")


def blob_bucket(namespace: str) -> str:
    """Return the name of the namespace's blob store."""
    return f"{namespace}-blobs"


def ref_of(text: str) -> str:
    """Return the reference of a text: the sha256 of its UTF-8 bytes, in hexadecimal digits."""
    return sha256(text.encode()).hexdigest()


class BlobMissingError(Exception):
    """The blob store has no input under this reference."""


class BlobForgedError(Exception):
    """None of the copies stored under this reference has the hash that the reference states."""


def text_cache(limit: int = CACHE_BYTES) -> ByteCache[str, str]:
    """Return an empty cache of texts by reference. It is never stale, because a reference is a hash of the content."""
    return ByteCache(limit, lambda _, text: sys.getsizeof(text))


@dataclass(frozen=True, slots=True)
class Blobs:
    """A store of large inputs. The reference of an input is the sha256 of its bytes.

    Every client has a folder and can write only there, so it cannot replace another client's input. A reader takes the
    first copy whose content matches the reference, from any folder.
    """

    store: Objects
    client: str
    """Client to whose folder `put` writes."""
    recent: ByteCache[str, str] = field(default_factory=text_cache)
    _fetching: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    """The lock of each reference that is being fetched, so that a text is fetched only once at a time."""

    @classmethod
    async def open(cls, log: Log, client: str = OPERATOR) -> Self:
        """Return the blob store of the log's namespace. `put` writes to the folder of `client`."""
        bucket = blob_bucket(log.subjects.namespace)
        return cls(await Objects.open(log.stream, bucket, direct=log.domain is not None), client)

    async def put(self, text: str) -> str:
        """Store a text and return its reference. If the client's folder has an intact copy, nothing is written.

        To find that out, an existing copy is read and compared. A damaged copy is overwritten.
        """
        data = text.encode()
        ref = sha256(data).hexdigest()
        if not await self._holds(ref):
            await self.store.put(f"{self.client}.{ref}", data)
        return ref

    async def _holds(self, ref: str) -> bool:
        try:
            return await self._copy(f"{self.client}.{ref}") is not None
        except IncompleteObjectError:
            return False

    async def get(self, ref: str) -> str:
        """Return the text of a reference, from the cache or from the first intact copy.

        Raises `BlobMissingError` if there is no copy, and `BlobForgedError` if no copy matches the reference. Raises
        `IncompleteObjectError` if no copy is intact and pieces of one are missing. Raises UnicodeDecodeError if the
        content is not text.
        """
        async with self._fetching.setdefault(ref, asyncio.Lock()):
            text = self.recent.get(ref)
            if text is None:
                text = (await self._fetched(ref)).decode()
                self.recent.keep(ref, text)
        return text

    async def _fetched(self, ref: str) -> bytes:
        copies = await self.store.names_like(f"*.{ref}")
        if not copies:
            raise BlobMissingError(f"no input is stored under {ref}")
        incomplete: IncompleteObjectError | None = None
        for name in copies:
            try:
                data = await self._copy(name)
            except IncompleteObjectError as error:
                incomplete = error
            else:
                if data is not None:
                    return data
        raise incomplete or BlobForgedError(f"the content stored under {ref} does not match it, or is too large")

    async def _copy(self, name: str) -> bytes | None:
        """Return the bytes of the copy `name`.

        Returns None if it is missing or too large, or if its content does not match the reference in its name.
        """
        ref = name.rpartition(".")[2]
        try:
            described = await self.store.describe(name)
            if described.digest != ref:
                return None
            data = await self.store.read(name, described, largest=MAX_INPUT_BYTES)
        except (ObjectNotFoundError, MalformedObjectError):
            return None
        return data if sha256(data).hexdigest() == ref else None

    async def erase(self, ref: str) -> None:
        """Delete every copy of a reference and overwrite its bytes. Does nothing if there is none."""
        await self.store.erase(f"*.{ref}")

    async def refs(self) -> list[str]:
        """Return the references of all stored inputs, each once."""
        names = (name.rpartition(".") for name in await self.store.names())
        return list(dict.fromkeys(ref for client, _, ref in names if "." not in client and _REF.fullmatch(ref)))
