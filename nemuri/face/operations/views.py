"""Rebuild the views, or verify that they are what the log says."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from nemuri.face.operations.errors import OperationError
from nemuri.infra.embeddings.hashing import HashingEmbedder
from nemuri.infra.log import Log
from nemuri.infra.settings import Settings
from nemuri.infra.vectors import Vectors
from nemuri.infra.views import rebuilding
from nemuri.infra.views.database import Database
from nemuri.infra.views.projection import Projection, Unprojectable
from nemuri.infra.views.rebuilding import Advance, Verified

__all__ = ["Rebuilt", "Verified", "rebuild", "verify"]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What a rebuild did."""

    sequence: int
    """The place in the log that the views are at now."""


def _quietly(done: int, total: int) -> None:
    """Tell nobody."""


async def rebuild(settings: Settings, on_progress: Advance = _quietly) -> Rebuilt:
    """Make all views anew from the log, while those in use go on serving. Raises `OperationError`."""
    async with workshop(settings) as at:
        return Rebuilt(await rebuilding.rebuild(at.projection, at.log, on_progress))


async def verify(settings: Settings, on_progress: Advance = _quietly) -> Verified:
    """Compare every row of every view with what the log says, at the same sequence. Raises `OperationError`."""
    async with workshop(settings) as at:
        return await rebuilding.verify(at.projection, at.log, on_progress)


@dataclass(frozen=True, slots=True)
class Workshop:
    """What operations work with."""

    log: Log
    vectors: Vectors
    projection: Projection


@asynccontextmanager
async def workshop(settings: Settings) -> AsyncIterator[Workshop]:
    """The log and the views of a platform, whether or not its services run."""
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False)
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        await database.migrate()
        # A replay never calls a model: the vectors of others are read, those of the hashing embedder computed again.
        vectors = await Vectors.open(log, HashingEmbedder())
        yield Workshop(log, vectors, Projection(database, vectors))
    except Unprojectable as error:
        raise OperationError(str(error)) from error
    finally:
        await database.close()
        await log.close()
