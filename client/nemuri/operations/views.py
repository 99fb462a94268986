"""Rebuild the projections, or verify that they match the log."""

from dataclasses import dataclass

from nemuri.operations.session import ignore_progress, open_operation
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.bulk_fold import Advance
from nemuri_infra.projections.rebuilder import Verified
from nemuri_infra.runtime.settings import Settings


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
