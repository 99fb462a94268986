"""Objects in pieces on a stream.

An object NAME (one or more tokens of a subject) of the bucket BUCKET lies on these subjects:

    $O.BUCKET.M.NAME                  its description: number of pieces, sha256; written last
    $O.BUCKET.C.NAME.SHA256.NUMBER    its pieces, counted from 0

The newest message of a subject counts. This is not the layout of the object stores of NATS clients: they replace a
description by a rollup, and a stream that takes rollups of a subject takes a rollup of everything too, which deletes
what all others have stored. Here nobody deletes by writing, and names begin with whom they belong to, so that
permissions can hold everybody to their own. Every request has an end.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import orjson
from nats.js import JetStreamContext, api
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError, ObjectNotFoundError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nemuri_infra.bus.stream_messages import delete_message, messages_on, sequences_on

PIECE_BYTES = 128 * 1024


class IncompleteObjectError(JetStreamError):
    """A piece of the object is not to be had for now: a replica may not have it yet."""


class MalformedObjectError(Exception):
    """The description stored under the name describes no object."""


class Description(BaseModel):
    """The description of an object."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pieces: int = Field(ge=0)
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """The sha256 of its bytes, as its writer says."""


@dataclass(frozen=True, slots=True)
class Objects:
    """One bucket of objects."""

    context: JetStreamContext
    bucket: str
    direct: bool = False
    """Whether to read by direct gets, the only way for clients, who may read their own objects only."""

    @classmethod
    async def open(cls, context: JetStreamContext, bucket: str, *, direct: bool = False) -> Self:
        """Return a bucket that is there; raises `NotFoundError` for another one."""
        await context.stream_info(object_stream(bucket))
        return cls(context, bucket, direct)

    async def names(self) -> list[str]:
        """Return the names of all objects, in the order of their writing; one request to the server for each."""
        beginning = f"$O.{self.bucket}.M."
        found = messages_on(self.context, object_stream(self.bucket), f"{beginning}>")
        return list(dict.fromkeys([str(each.subject).removeprefix(beginning) async for each in found]))

    async def names_like(self, pattern: str) -> list[str]:
        """Return the names that match a pattern of subjects, by one request: at most 100,000."""
        beginning = f"$O.{self.bucket}.M."
        known = await self.context.stream_info(object_stream(self.bucket), f"{beginning}{pattern}")
        return sorted(each.removeprefix(beginning) for each in known.state.subjects or {})

    async def describe(self, name: str) -> Description:
        """Return the description of an object; raises `ObjectNotFoundError` and `MalformedObjectError`."""
        try:
            found = await self._newest(f"$O.{self.bucket}.M.{name}")
        except NotFoundError as error:
            raise ObjectNotFoundError from error
        try:
            return Description.model_validate_json(found)
        except ValidationError as error:
            raise MalformedObjectError(f"the description of {name} in {self.bucket} describes no object") from error

    async def get(self, name: str) -> bytes:
        """Return the whole object.

        Raises `ObjectNotFoundError`, `MalformedObjectError`, and `IncompleteObjectError` while a piece is missing.
        Whether these are the bytes that were meant is for the reader to check, who knows it from elsewhere: the
        description was written by the same hand as the pieces.
        """
        return await self.read(name, await self.describe(name))

    async def read(self, name: str, described: Description, *, largest: int | None = None) -> bytes:
        """Return the bytes of an object that is described.

        Raises `IncompleteObjectError` while a piece is missing, and `MalformedObjectError` as soon as the pieces have
        more than `largest` bytes.
        """
        data = bytearray()
        for number in range(described.pieces):
            data += await self._piece(name, described, number)
            if largest is not None and len(data) > largest:
                raise MalformedObjectError(f"{name} in {self.bucket} has more than {largest} bytes")
        return bytes(data)

    async def put(self, name: str, data: bytes) -> None:
        """Write an object; returns once it is on disk. Its description comes last, when every piece is there."""
        described = Description(pieces=-(-len(data) // PIECE_BYTES), digest=sha256(data).hexdigest())
        for number in range(described.pieces):
            piece = data[number * PIECE_BYTES : (number + 1) * PIECE_BYTES]
            await self.context.publish(self._place(name, described, number), piece)
        await self.context.publish(f"$O.{self.bucket}.M.{name}", orjson.dumps(described.model_dump()))

    async def erase(self, name: str) -> None:
        """Delete an object, its description last, and what interrupted writing left of it, and overwrite the bytes.

        The name may be a pattern of subjects.
        """
        stream = object_stream(self.bucket)
        for subject in (f"$O.{self.bucket}.C.{name}.>", f"$O.{self.bucket}.M.{name}"):
            async for sequence in sequences_on(self.context, stream, subject):
                await delete_message(self.context, stream, sequence)

    async def _piece(self, name: str, described: Description, number: int) -> bytes:
        subject = self._place(name, described, number)
        try:
            return await self._newest(subject)
        except NotFoundError as error:
            raise IncompleteObjectError(description=f"the piece on {subject} is missing") from error

    def _place(self, name: str, described: Description, number: int) -> str:
        return f"$O.{self.bucket}.C.{name}.{described.digest}.{number}"

    async def _newest(self, subject: str) -> bytes:
        found = await self.context.get_msg(object_stream(self.bucket), subject=subject, direct=self.direct)
        return found.data or b""


def object_stream(bucket: str) -> str:
    """Return the name of the stream behind a bucket."""
    return f"OBJ_{bucket}"


def object_stream_config(bucket: str, replicas: int) -> api.StreamConfig:
    """Return the configuration of the stream behind a bucket.

    It takes no rollups. Direct gets are allowed because a client may be permitted those of single subjects; inside the
    namespace's account nobody is permitted any, see `infra/bus/permissions`.
    """
    return api.StreamConfig(
        name=object_stream(bucket),
        subjects=[f"$O.{bucket}.C.>", f"$O.{bucket}.M.>"],
        storage=api.StorageType.FILE,
        discard=api.DiscardPolicy.NEW,
        allow_rollup_hdrs=False,
        allow_direct=True,
        num_replicas=replicas,
    )
