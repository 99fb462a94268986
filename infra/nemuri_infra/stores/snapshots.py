"""The snapshot store: one copy of all tables of the projections, in compressed pieces. It is not a source of facts.

A bucket BUCKET uses these subjects:

    $O.BUCKET.C.TABLE    a piece of a table
    $O.BUCKET.M.newest   the description of the pieces before it; written last

The last description is the valid one. A snapshot replaces the one before it.
"""

import asyncio
import zlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Self

from nats.js.errors import NotFoundError
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from nemuri_infra.bus.event_log import Log
from nemuri_infra.bus.pull_reader import Pull
from nemuri_infra.stores.objects import object_stream

PIECE_BYTES = 512 * 1024
"""Maximum number of bytes of a piece before it is compressed."""
COMPRESSION = 1
"""Level of zlib. Higher levels take several times as long for a tenth less."""

MAX_EMPTY = 20
"""Number of empty batches in a row after which no further piece is expected.

The server answers with an empty batch also if it is busy with the request before.
"""


def snapshot_bucket(namespace: str) -> str:
    """Return the name of the namespace's snapshot store."""
    return f"{namespace}-snapshots"


def described_subject(bucket: str) -> str:
    """Return the subject of the description of the newest snapshot."""
    return f"$O.{bucket}.M.newest"


class BrokenSnapshotError(Exception):
    """The pieces of the snapshot are not those that its description names."""


class SnapshotOrigin(BaseModel):
    """The origin of a snapshot. It may be loaded only where all of this is the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    log: str
    """Identity of the log."""
    fold: int
    """Version of the folds and of the tables."""


class Snapshot(BaseModel):
    """The description of a snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: SnapshotOrigin
    sequence: int = Field(ge=0)
    """Position of the projections in the log."""
    made_at: AwareDatetime
    first: int = Field(ge=1)
    """Position of the first piece in the store's stream."""
    pieces: int = Field(ge=1)
    bytes: int = Field(ge=0)
    """Number of bytes of all pieces together, compressed."""
    digest: str
    """Sha256 of all pieces together, compressed."""


@dataclass(frozen=True, slots=True)
class SnapshotStore:
    """The store of the newest snapshot of a namespace.

    Only one process at a time may write to it, see `projections/maintenance_lock.py`.
    """

    log: Log
    bucket: str

    @classmethod
    def of(cls, log: Log) -> Self:
        """Return the store of the log's namespace."""
        return cls(log, snapshot_bucket(log.subjects.namespace))

    async def newest(self) -> Snapshot | None:
        """Return the description of the newest snapshot; None if there is none that this version can read."""
        try:
            found = await self.log.stream.get_last_msg(object_stream(self.bucket), described_subject(self.bucket))
            return Snapshot.model_validate_json(found.data or b"")
        except (NotFoundError, ValidationError):
            return None

    async def pieces(self, snapshot: Snapshot) -> AsyncIterator[tuple[str, bytes]]:
        """Yield the table and the bytes of each piece, in the order in which they were added.

        Raises `BrokenSnapshotError` at the end if they are not the described pieces, and one of `READER_ERRORS` if
        reading is interrupted.
        """
        stream, beginning = object_stream(self.bucket), f"$O.{self.bucket}.C."
        left, digest = snapshot.pieces, sha256()
        log, after = self.log, snapshot.first - 1
        async with Pull.of(log.connection, log.stream, stream, after=after, prefix=log.api_prefix) as pull:
            empty = 0
            while left and empty < MAX_EMPTY:
                messages = [piece for piece in await pull.present() if piece.subject.startswith(beginning)][:left]
                empty = 0 if messages else empty + 1
                for message in messages:
                    digest.update(message.data)
                    yield message.subject.removeprefix(beginning), await asyncio.to_thread(_unpacked, message.data)
                left -= len(messages)
        if left or digest.hexdigest() != snapshot.digest:
            raise BrokenSnapshotError(f"the snapshot of event {snapshot.sequence} is damaged")

    async def drop(self) -> None:
        """Delete everything in the store, with its files."""
        await self.log.stream.purge_stream(object_stream(self.bucket))


@dataclass(slots=True)
class SnapshotWriter:
    """The writer of one snapshot."""

    store: SnapshotStore
    first: int = 0
    pieces: int = 0
    size: int = 0
    digest: Any = field(default_factory=sha256)

    async def add(self, table: str, data: bytes) -> None:
        """Write a piece of a table, of at most `PIECE_BYTES` bytes. Pieces of a table must be added in their order."""
        packed = await asyncio.to_thread(zlib.compress, data, COMPRESSION)
        stored = await self.store.log.stream.publish(f"$O.{self.store.bucket}.C.{table}", packed)
        self.first = self.first or stored.seq
        self.pieces += 1
        self.size += len(packed)
        self.digest.update(packed)

    async def complete(self, origin: SnapshotOrigin, sequence: int) -> Snapshot:
        """Write the description, which makes the snapshot valid, and delete everything that is older.

        `sequence` is the position of the projections in the log.
        """
        snapshot = Snapshot(
            origin=origin,
            sequence=sequence,
            made_at=datetime.now(UTC),
            first=self.first,
            pieces=self.pieces,
            bytes=self.size,
            digest=self.digest.hexdigest(),
        )
        context, bucket = self.store.log.stream, self.store.bucket
        await context.publish(described_subject(bucket), snapshot.model_dump_json().encode())
        if snapshot.first > 1:  # nats-server before 2.14.2 takes 1 as "everything"
            await context.purge_stream(object_stream(bucket), seq=snapshot.first)
        return snapshot


def _unpacked(data: bytes) -> bytes:
    try:
        return zlib.decompress(data)
    except zlib.error as error:
        raise BrokenSnapshotError(f"a piece of the snapshot is damaged: {error}") from error
