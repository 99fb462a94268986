"""Rebuild the projections, verify that they match the log, or that all copies of the log are equal."""

from dataclasses import dataclass

from nemuri.operations.session import OperationError, ignore_progress, open_operation
from nemuri_infra.bus.pull_reader import READER_ERRORS
from nemuri_infra.bus.replica_comparison import ReplicaError, Replicas, compare_replicas
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.rebuilder import Advance, Verified
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.blobs import blob_bucket
from nemuri_infra.stores.objects import object_stream


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """The result of a rebuild."""

    sequence: int
    """Position of the rebuilt projections in the log."""


async def rebuild(settings: Settings, on_progress: Advance = ignore_progress, *, from_start: bool = False) -> Rebuilt:
    """Rebuild all projections from the log, beginning with the newest snapshot if there is a usable one.

    With `from_start` no snapshot is used. The present projections stay in use meanwhile. Raises `OperationError`.
    """
    async with open_operation(settings) as at:
        return Rebuilt(await rebuilder.rebuild(at.projection, at.log, on_progress, from_start=from_start))


async def verify(settings: Settings, on_progress: Advance = ignore_progress) -> Verified:
    """Compare every row of every projection with a fold of the log up to the same sequence. Raises `OperationError`."""
    async with open_operation(settings) as at:
        return await rebuilder.verify(at.projection, at.log, on_progress)


async def verify_replicas(settings: Settings, on_progress: Advance = ignore_progress) -> tuple[Replicas, ...]:
    """Compare the copies that the servers of a cluster keep of the log, and of the inputs of tasks, with each other.

    Raises `OperationError` if a copy cannot be read.
    """
    async with open_operation(settings) as at:
        streams = (at.log.subjects.stream, object_stream(blob_bucket(at.log.subjects.namespace)))
        try:
            return tuple([await compare_replicas(at.log, stream, on_progress) for stream in streams])
        except (ReplicaError, *READER_ERRORS) as error:
            raise OperationError(str(error) or "a server did not answer; run this again") from error
