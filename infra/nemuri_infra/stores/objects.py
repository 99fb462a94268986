"""Objects that are stored in pieces on a stream.

An object NAME (one or more tokens of a subject) of the bucket BUCKET uses these subjects:

    $O.BUCKET.M.NAME                  its description: number of pieces, sha256; written last
    $O.BUCKET.C.NAME.SHA256.NUMBER    its pieces, counted from 0

The last message on a subject is the valid one. Every request has a timeout.

The layout differs from the object stores of NATS clients. They replace a description by a rollup (a message that
deletes older ones). A stream that allows rollups of one subject also allows a rollup of all subjects, which deletes
everybody's objects. Here a write never deletes anything, and names begin with their owner, so that permissions can
restrict every user to its own objects.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Self

import orjson
from nats.js import JetStreamContext, api
from nats.js.errors import Error as JetStreamError
from nats.js.errors import NotFoundError, ObjectNotFoundError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nemuri_infra.bus.message_deletion import delete_message, messages_on, sequences_on

PIECE_BYTES = 128 * 1024


class IncompleteObjectError(JetStreamError):
    """A piece of the object is missing at the moment. A replica may not have it yet."""


class MalformedObjectError(Exception):
    """The message stored under the name is not a valid description."""


class Description(BaseModel):
    """The description of an object."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    pieces: int = Field(ge=0)
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Sha256 of the object's bytes, as the writer of the description states it."""


@dataclass(frozen=True, slots=True)
class Objects:
    """One bucket of objects."""

    context: JetStreamContext
    bucket: str
    direct: bool = False
    """True if reads use direct gets.

    Clients must use them, because only direct gets can be permitted for single subjects.
    """

    @classmethod
    async def open(cls, context: JetStreamContext, bucket: str, *, direct: bool = False) -> Self:
        """Return an existing bucket. Raises `NotFoundError` if it does not exist."""
        await context.stream_info(object_stream(bucket))
        return cls(context, bucket, direct)

    async def names(self) -> list[str]:
        """Return the names of all objects, in the order in which they were written, with one request per object."""
        beginning = f"$O.{self.bucket}.M."
        found = messages_on(self.context, object_stream(self.bucket), f"{beginning}>")
        return list(dict.fromkeys([str(stream_msg.subject).removeprefix(beginning) async for stream_msg in found]))

    async def names_like(self, pattern: str) -> list[str]:
        """Return at most 100,000 names that match a subject pattern, sorted, with one request."""
        beginning = f"$O.{self.bucket}.M."
        known = await self.context.stream_info(object_stream(self.bucket), f"{beginning}{pattern}")
        return sorted(subject.removeprefix(beginning) for subject in known.state.subjects or {})

    async def describe(self, name: str) -> Description:
        """Return the description of an object.

        Raises `ObjectNotFoundError` if there is none, and `MalformedObjectError` if it is invalid.
        """
        try:
            found = await self._newest(f"$O.{self.bucket}.M.{name}")
        except NotFoundError as error:
            raise ObjectNotFoundError from error
        try:
            return Description.model_validate_json(found)
        except ValidationError as error:
            raise MalformedObjectError(f"the description of {name} in {self.bucket} is invalid") from error

    async def get(self, name: str) -> bytes:
        """Return the bytes of an object.

        Raises `ObjectNotFoundError`, `MalformedObjectError`, and `IncompleteObjectError` while a piece is missing. The
        caller must compare the bytes with a hash from another source, because the writer of the pieces also wrote the
        description.
        """
        return await self.read(name, await self.describe(name))

    async def read(self, name: str, described: Description, *, largest: int | None = None) -> bytes:
        """Return the bytes of an object whose description is known.

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
        """Write an object and return when it is on disk. The description is written after all pieces."""
        described = Description(pieces=-(-len(data) // PIECE_BYTES), digest=sha256(data).hexdigest())
        for number in range(described.pieces):
            piece = data[number * PIECE_BYTES : (number + 1) * PIECE_BYTES]
            await self.context.publish(self._place(name, described, number), piece)
        await self.context.publish(f"$O.{self.bucket}.M.{name}", orjson.dumps(described.model_dump()))

    async def erase(self, name: str) -> None:
        """Delete an object with all its pieces and overwrite their bytes. Pieces of interrupted writes are deleted too.

        The description is deleted last. If `name` is a subject pattern, all objects that match it are deleted.
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
    """Return the name of a bucket's stream."""
    return f"OBJ_{bucket}"


def object_stream_config(bucket: str, replicas: int) -> api.StreamConfig:
    """Return the configuration of a bucket's stream.

    It allows no rollups. It allows direct gets, because a client can be permitted to read single subjects with them.
    Inside the namespace's account nobody may use direct gets, see `runtime/permissions.py`.
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
