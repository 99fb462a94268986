"""What operations work with, how they say how far they are, and how they fail."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from nemuri.client.connection import permitted
from nemuri.client.jetstream import jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.hashing import HashingEmbedder
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection import OtherFoldsError, OutdatedError, Projection, Unprojectable
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import Vectors


class OperationError(Exception):
    """The operation was not done; the text says why in one line."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """The log and the views of a platform."""

    log: Log
    vectors: Vectors
    projection: Projection


@asynccontextmanager
async def workshop(settings: Settings) -> AsyncIterator[Workshop]:
    """The log and the views of a platform, whether or not its services run.

    Raises `OperationError`, also for what the server refused meanwhile, and `DatabaseError` for views that have to be
    provisioned first: only who provisions migrates them.
    """
    log = await Log.connect(str(settings.nats_url), settings.namespace, patient=False, access=settings.access)
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        await database.check()
        # A replay never calls a model: the vectors of others are read, those of the hashing embedder computed again.
        with permitted(log, OperationError):
            with jetstream_needed(str(settings.nats_url)):
                vectors = await Vectors.open(log, HashingEmbedder())
            yield Workshop(log, vectors, Projection(database, vectors))
    except (Unprojectable, OtherFoldsError, OutdatedError) as error:
        raise OperationError(str(error)) from error
    finally:
        await database.close()
        await log.close()


def quietly(done: int, total: int) -> None:
    """Tell nobody how far an operation is."""
