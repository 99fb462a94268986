"""The context of operations: log and projections, progress reports, and errors."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from nemuri.client.connection import permitted
from nemuri_infra.bus.connection import jetstream_needed
from nemuri_infra.bus.event_log import Log
from nemuri_infra.embeddings.built_in import BuiltInEmbedder
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection import OtherFoldsError, OutdatedError, Projection, Unprojectable
from nemuri_infra.runtime.settings import Settings
from nemuri_infra.stores.vectors import Vectors


class OperationError(Exception):
    """The operation was not carried out. The message says why in one line."""


@dataclass(frozen=True, slots=True)
class OperationContext:
    """The log and the projections of a platform."""

    log: Log
    vectors: Vectors
    projection: Projection


@asynccontextmanager
async def open_operation(settings: Settings) -> AsyncIterator[OperationContext]:
    """Open the log and the projections of a platform, and close them at the end. The services may run or not.

    Raises:
        OperationError: A server refused an operation, on opening or later.
        DatabaseError: The projections must be provisioned first, because only provisioning creates them.
    """
    log = await Log.connect(
        str(settings.nats_url),
        settings.namespace,
        patient=False,
        access=settings.access,
        archive=settings.archive_directory,
    )
    database = Database.at(str(settings.database_url), settings.namespace)
    try:
        await database.check()
        # An operation never calls a model: it reads the stored vectors of models, and computes those of the built-in
        # embedder.
        with permitted(log, OperationError):
            with jetstream_needed(str(settings.nats_url)):
                vectors = await Vectors.open(log, BuiltInEmbedder())
            yield OperationContext(log, vectors, Projection(database, vectors))
    except (Unprojectable, OtherFoldsError, OutdatedError) as error:
        raise OperationError(str(error)) from error
    finally:
        await database.close()
        await log.close()


def ignore_progress(done: int, total: int) -> None:
    """Ignore a progress report. The default of `on_progress`."""
