"""Objects in pieces on a stream, laid out as every NATS client's object store reads them.

The client library's own reading waits without end for pieces that a restarted server does not send any more, and its
own writing takes pieces back whose writing it is not sure of, although they may be named by now. Here every request
has an end, and nothing that was written is taken back: who is not sure writes again, under a name of its own.
"""

from base64 import urlsafe_b64encode
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Self
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
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from nemuri.infra.bus.messages import delete_message, messages_on, sequences_on


class IncompleteObjectError(JetStreamError):
    """A piece of the object is not to be had for now: a replica may not have it yet."""


class MalformedObjectError(Exception):
    """The metadata of the object is none: whoever may write objects may write anything in its place."""


class _Metadata(BaseModel):
    """The part of an object's metadata that is read here; the rest may be anything."""

    model_config = ConfigDict(frozen=True, strict=True)

    name: Annotated[str, StringConstraints(min_length=1)]
    nuid: Annotated[str, StringConstraints(pattern=r"^[^\s*>]+$")]
    """The end of the subject of its pieces."""
    chunks: int = Field(default=0, ge=0)
    deleted: bool = False


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
        """Return the names of all objects in the order of their writing; one question to the server for each.

        Metadata that is none, or lies under another name than its own, is passed over.
        """
        names: dict[str, None] = {}
        async for each in messages_on(self.context, self._stream, self._metadata_subject("*")):
            try:
                found = _Metadata.model_validate_json(each.data or b"")
            except ValidationError:
                continue
            if not found.deleted and each.subject == self._metadata_of(found.name):
                names[found.name] = None
        return list(names)

    async def holds(self, name: str) -> bool:
        """Return whether there is such an object."""
        try:
            await self._metadata(name)
        except (ObjectNotFoundError, MalformedObjectError):
            return False
        return True

    async def get(self, name: str) -> bytes:
        """Return the whole object.

        Raises `ObjectNotFoundError`, `MalformedObjectError`, and `IncompleteObjectError` while a piece is missing.
        Whether these are the bytes that were meant is for the reader to check, who knows it from elsewhere: the
        object's own digest was written by the same hand as its pieces.
        """
        metadata = await self._metadata(name)
        pieces, after = [], 0
        for _ in range(metadata.chunks):
            piece = await self._piece(metadata.nuid, after)
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
        rollup = {api.Header.ROLLUP.value: "sub"}
        await self.context.publish(self._metadata_of(name), orjson.dumps(info.as_dict()), headers=rollup)

    @property
    def _stream(self) -> str:
        return OBJ_STREAM_TEMPLATE.format(bucket=self.bucket)

    def _metadata_subject(self, key: str) -> str:
        return OBJ_META_PRE_TEMPLATE.format(bucket=self.bucket, obj=key)

    def _metadata_of(self, name: str) -> str:
        return self._metadata_subject(urlsafe_b64encode(name.encode()).decode())

    async def _metadata(self, name: str) -> _Metadata:
        """Return the metadata of an object; raises `ObjectNotFoundError` and `MalformedObjectError`."""
        try:
            found = await self.context.get_last_msg(self._stream, self._metadata_of(name))
        except NotFoundError as error:
            raise ObjectNotFoundError from error
        try:
            metadata = _Metadata.model_validate_json(found.data or b"")
        except ValidationError as error:
            raise MalformedObjectError(f"the metadata of {name!r} is no metadata of an object") from error
        if metadata.deleted:
            raise ObjectNotFoundError
        return metadata

    def _subject(self, place: str) -> str:
        return OBJ_CHUNKS_PRE_TEMPLATE.format(bucket=self.bucket, obj=place)

    async def erase(self, name: str) -> None:
        """Delete an object, its name last, and all that interrupted writings left, and overwrite their bytes."""
        subjects = [self._subject(f"{name}.>")]
        with suppress(ObjectNotFoundError, MalformedObjectError):  # then only its name is left to delete
            subjects.append(self._subject((await self._metadata(name)).nuid))
        for subject in (*subjects, self._metadata_of(name)):
            async for sequence in sequences_on(self.context, self._stream, subject):
                await delete_message(self.context, self._stream, sequence)

    async def _piece(self, place: str, after: int) -> api.RawStreamMsg:
        """Never read directly: then the server would write what somebody stored wherever a reader lets it answer."""
        try:
            return await self.context.get_msg(self._stream, after + 1, self._subject(place), next=True)
        except NotFoundError as error:
            raise IncompleteObjectError(description=f"a piece on {place} is missing") from error


def _digest(data: bytes) -> str:
    return OBJ_DIGEST_TEMPLATE.format(digest=urlsafe_b64encode(sha256(data).digest()).decode())
