"""The blob store: large inputs, beside the log and no source of facts."""

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

RECENT_BYTES = 64 * 1024 * 1024
"""The inputs read last are kept at hand up to this size: all pieces of a document are asked for one after the other."""
LARGEST_BYTES = 80 * 1024 * 1024
"""More is not read into memory: the largest document that our clients hand in has 20 million characters."""
_REF = re.compile(r"[0-9a-f]{64}")


def blob_bucket(namespace: str) -> str:
    """The name of the namespace's blob store."""
    return f"{namespace}-blobs"


def ref_of(text: str) -> str:
    """Return the reference under which a text is kept."""
    return sha256(text.encode()).hexdigest()


class BlobMissingError(Exception):
    """The blob store has nothing under this reference."""


class BlobForgedError(Exception):
    """What is stored under this reference is not what the reference names."""


@dataclass(slots=True)
class Recent:
    """The texts asked for last, within a bound; never out of date, since a reference names its content."""

    limit: int = RECENT_BYTES
    _texts: ByteCache[str, str] = field(init=False)
    _locks: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)

    def __post_init__(self) -> None:
        self._texts = ByteCache(self.limit, lambda _, text: sys.getsizeof(text))

    @property
    def bytes(self) -> int:
        """What the texts at hand take."""
        return self._texts.bytes

    def fetching(self, ref: str) -> asyncio.Lock:
        """What lets one fetch of a reference at a time."""
        return self._locks.setdefault(ref, asyncio.Lock())

    def get(self, ref: str) -> str | None:
        """The text, if it is still at hand."""
        return self._texts.get(ref)

    def keep(self, ref: str, text: str) -> None:
        """Have the text at hand instead of those not asked for longest; one over the limit is not kept."""
        self._texts.keep(ref, text)


@dataclass(frozen=True, slots=True)
class Blobs:
    """Large inputs, by the sha256 of their bytes, each in the folder of the client that handed it in.

    Clients can write their own folder only, so that nobody can put something else in the place of another's input.
    Whoever reads takes the first copy that is what the reference names, whichever folder it is in.
    """

    store: Objects
    client: str
    """In whose folder is written."""
    recent: Recent = field(default_factory=Recent)

    @classmethod
    async def open(cls, log: Log, client: str = OPERATOR) -> Self:
        """Return the blobs of the log's namespace, for a client that hands in inputs or for whoever only reads."""
        bucket = blob_bucket(log.subjects.namespace)
        return cls(await Objects.open(log.stream, bucket, direct=log.borrowed), client)

    async def put(self, text: str) -> str:
        """Store a text and return its reference; storing it again changes nothing.

        What is already in the client's folder is read and compared, and written again unless it is this text.
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
        """Return the text behind a reference.

        Raises `BlobMissingError`, `BlobForgedError` where no copy is what the reference names, `IncompleteObjectError`
        while a piece of the only copy is missing, and UnicodeDecodeError for what is no text.
        """
        async with self.recent.fetching(ref):
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
        raise incomplete or BlobForgedError(f"what is stored under {ref} is something else, or too large")

    async def _copy(self, name: str) -> bytes | None:
        """Return the bytes of one copy; None if it is not there, is too large, or is not what its name says."""
        ref = name.rpartition(".")[2]
        try:
            described = await self.store.describe(name)
            if described.digest != ref:
                return None
            data = await self.store.read(name, described, largest=LARGEST_BYTES)
        except (ObjectNotFoundError, MalformedObjectError):
            return None
        return data if sha256(data).hexdigest() == ref else None

    async def erase(self, ref: str) -> None:
        """Delete every copy of what is stored under a reference and overwrite its bytes; nothing if there is none."""
        await self.store.erase(f"*.{ref}")

    async def refs(self) -> list[str]:
        """Return the references of everything that is stored."""
        names = (each.rpartition(".") for each in await self.store.names())
        return list(dict.fromkeys(ref for client, _, ref in names if "." not in client and _REF.fullmatch(ref)))
