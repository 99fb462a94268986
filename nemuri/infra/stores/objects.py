"""Objects in pieces on a stream, laid out as every NATS client's object store reads them.

The client library's own reading waits without end for pieces that a restarted server does not send any more, and its
own writing takes pieces back whose writing it is not sure of, although they may be named by now. Here every request
has an end, and nothing that was written is taken back: who is not sure writes again, under a name of its own.
"""

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from hashlib import sha256
from typing import Self
from uuid import uuid4

import orjson
from nats.js import JetStreamContext, api
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError, ObjectNotFoundError
from nats.js.object_store import (
    OBJ_CHUNKS_PRE_TEMPLATE,
    OBJ_DEFAULT_CHUNK_SIZE,
    OBJ_DIGEST_TEMPLATE,
    OBJ_META_PRE_TEMPLATE,
    OBJ_STREAM_TEMPLATE,
    ObjectStore,
)

from nemuri.infra.bus.messages import delete_message, messages_on, sequences_on


class IncompleteObjectError(JetStreamError):
    """A piece of the object is not to be had for now: a replica may not have it yet."""


@dataclass(frozen=True, slots=True)
class Objects:
    """One bucket of objects."""

    context: JetStreamContext
    bucket: str
    store: ObjectStore
    """The library's side of the same bucket."""

    @classmethod
    async def open(cls, context: JetStreamContext, bucket: str) -> Self:
        """A bucket that is there; raises `NotFoundError` for another one."""
        return cls(context, bucket, await context.object_store(bucket))

    async def names(self) -> list[str]:
        """What there is, in the order of its writing; one question to the server for each."""
        every = OBJ_META_PRE_TEMPLATE.format(bucket=self.bucket, obj="*")
        stream = OBJ_STREAM_TEMPLATE.format(bucket=self.bucket)
        told = [orjson.loads(each.data or b"{}") async for each in messages_on(self.context, stream, every)]
        return list(dict.fromkeys(str(each["name"]) for each in told if not each.get("deleted")))

    async def holds(self, name: str) -> bool:
        """Whether there is such an object."""
        try:
            await self.store.get_info(name)
        except ObjectNotFoundError:
            return False
        return True

    async def get(self, name: str) -> bytes:
        """The whole object; raises `ObjectNotFoundError`, and `IncompleteObjectError` while a piece is missing.

        Whether these are the bytes that were meant is for the reader to check, who knows it from elsewhere: the
        object's own digest was written by the same hand as its pieces.
        """
        info = await self.store.get_info(name)
        pieces, after = [], 0
        for _ in range(info.chunks or 0):
            piece = await self._piece(str(info.nuid), after)
            pieces.append(piece.data or b"")
            after = piece.seq or 0
        return b"".join(pieces)

    async def put(self, name: str, data: bytes) -> None:
        """Write an object; returns once it is on disk. Its name appears last, when every piece is there.

        What an interrupted writing leaves lies beside those pieces, on subjects that begin with the object's name.
        """
        place = f"{name}.{uuid4().hex}"
        pieces = [data[start : start + OBJ_DEFAULT_CHUNK_SIZE] for start in range(0, len(data), OBJ_DEFAULT_CHUNK_SIZE)]
        for piece in pieces:
            await self.context.publish(self._subject(place), piece)
        info = api.ObjectInfo(
            name=name,
            bucket=self.bucket,
            nuid=place,
            size=len(data),
            chunks=len(pieces),
            digest=_digest(data),
            options=api.ObjectMetaOptions(max_chunk_size=OBJ_DEFAULT_CHUNK_SIZE),
        )
        named = OBJ_META_PRE_TEMPLATE.format(bucket=self.bucket, obj=urlsafe_b64encode(name.encode()).decode())
        rollup = {api.Header.ROLLUP.value: "sub"}
        await self.context.publish(named, orjson.dumps(info.as_dict()), headers=rollup)

    def _subject(self, place: str) -> str:
        return OBJ_CHUNKS_PRE_TEMPLATE.format(bucket=self.bucket, obj=place)

    async def erase(self, name: str) -> None:
        """Delete an object, its name last, and all that interrupted writings left, and overwrite their bytes."""
        subjects = [self._subject(f"{name}.>")]
        if await self.holds(name):
            subjects.append(self._subject(str((await self.store.get_info(name)).nuid)))
        key = urlsafe_b64encode(name.encode()).decode()
        subjects.append(OBJ_META_PRE_TEMPLATE.format(bucket=self.bucket, obj=key))
        stream = OBJ_STREAM_TEMPLATE.format(bucket=self.bucket)
        for subject in subjects:
            async for sequence in sequences_on(self.context, stream, subject):
                await delete_message(self.context, stream, sequence)

    async def _piece(self, place: str, after: int) -> api.RawStreamMsg:
        """Never read directly: then the server would write what somebody stored wherever a reader lets it answer."""
        try:
            return await self.context.get_msg(
                OBJ_STREAM_TEMPLATE.format(bucket=self.bucket), after + 1, self._subject(place), next=True
            )
        except NotFoundError as error:
            raise IncompleteObjectError(description=f"a piece on {place} is missing") from error


def _digest(data: bytes) -> str:
    return OBJ_DIGEST_TEMPLATE.format(digest=urlsafe_b64encode(sha256(data).digest()).decode())
