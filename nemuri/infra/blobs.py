"""The blob store: large inputs, beside the log and no source of facts."""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

from nats.js.errors import NotFoundError, ObjectNotFoundError
from nats.js.object_store import ObjectStore

from nemuri.infra.log import Log


def blob_bucket(namespace: str) -> str:
    """The name of the namespace's blob store."""
    return f"{namespace}-blobs"


class BlobMissingError(Exception):
    """The blob store has nothing under this reference."""


@dataclass(frozen=True, slots=True)
class Blobs:
    """Large inputs, by the sha256 of their bytes."""

    store: ObjectStore

    @classmethod
    async def open(cls, log: Log) -> Self:
        """The blobs of the log's namespace."""
        return cls(await log.stream.object_store(blob_bucket(log.subjects.namespace)))

    async def put(self, text: str) -> str:
        """Keep a text and return its reference; keeping it again changes nothing."""
        data = text.encode()
        ref = sha256(data).hexdigest()
        try:
            await self.store.get_info(ref)
        except ObjectNotFoundError:
            await self.store.put(ref, data)
        return ref

    async def get(self, ref: str) -> str:
        """The text behind a reference; raises `BlobMissingError`."""
        try:
            result = await self.store.get(ref)
        except ObjectNotFoundError as error:
            raise BlobMissingError(f"no input is stored under {ref}") from error
        return (result.data or b"").decode()

    async def refs(self) -> list[str]:
        """The references of everything that is kept."""
        try:
            return [str(each.name) for each in await self.store.list()]
        except NotFoundError:
            return []
