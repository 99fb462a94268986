"""Rebuild the views, or verify that they are what the log says."""

from dataclasses import dataclass

from nemuri.operations.session import quietly, workshop
from nemuri_infra.projections import rebuilder
from nemuri_infra.projections.bulk_fold import Advance
from nemuri_infra.projections.rebuilder import Verified
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did."""

    sequence: int
    """The place in the log that the views are at now."""


async def rebuild(settings: Settings, on_progress: Advance = quietly) -> Rebuilt:
    """Make all views anew from the log, while those in use go on serving. Raises `OperationError`."""
    async with workshop(settings) as at:
        return Rebuilt(await rebuilder.rebuild(at.projection, at.log, on_progress))


async def verify(settings: Settings, on_progress: Advance = quietly) -> Verified:
    """Compare every row of every view with what the log says, at the same sequence. Raises `OperationError`."""
    async with workshop(settings) as at:
        return await rebuilder.verify(at.projection, at.log, on_progress)
