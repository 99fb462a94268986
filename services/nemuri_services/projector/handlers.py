"""The projector, which reads the whole log in order and stores its position in it (its checkpoint) in the database."""

import asyncio

import structlog
from nats.errors import Error as NatsError
from sqlalchemy.exc import DBAPIError

from nemuri_infra.bus.archive_segment import ArchiveError
from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.process.cancellation import run_together
from nemuri_infra.projections.log_identity import check_log_identity
from nemuri_infra.projections.progress import progress_message
from nemuri_infra.projections.projection import (
    FOLD,
    GapError,
    OtherFoldsError,
    OutdatedError,
    Position,
    Unprojectable,
)
from nemuri_infra.projections.projection_writer import ProjectionWriter
from nemuri_infra.projections.rebuilder import rebuild
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.service import Capability, Service
from nemuri_services.projector.snapshot_schedule import keep_snapshots

RETRY = 0.5
"""Seconds between two attempts to reach a server."""

HALTED = 5.0
"""Seconds between two attempts to project an event that failed."""

LONG_LOG = 5_000
"""Number of events from which on empty projections are rebuilt in bulk."""

logger = structlog.get_logger()


async def work(resources: Resources) -> None:
    """Keep the projections up to date and make snapshots of them, forever."""
    await run_together(project(resources), keep_snapshots(resources))


async def project(resources: Resources) -> None:
    """Keep the projections up to date with the log, forever.

    An event that cannot be projected stops the projections before it, and `nemuri status` gives the reason. The event
    is tried again every `HALTED` seconds, because an operator may have repaired or parked it. If a newer version of the
    program built the projections, this version does not write them, and the process is told to stop.
    """
    anew = False
    while True:
        try:
            if anew:
                await rebuild(resources.projection, resources.log, _report)
            anew = False
            await _follow(resources)
        except (NatsError, *OUTAGES) as error:
            logger.info("waiting", service="projector", why=log_safe(error))
            await asyncio.sleep(RETRY)
        except GapError as error:
            logger.warning("reading again", service="projector", why=log_safe(error))
        except OutdatedError as error:
            logger.warning("rebuilding the projections", service="projector", why=log_safe(error))
            anew = True
        except OtherFoldsError as error:
            logger.debug("stands aside", service="projector", why=log_safe(error))
            if error.newer:
                await resources.views.progress.current_sequence()
                await asyncio.sleep(HALTED)
        except Exception as error:
            expected = isinstance(error, Unprojectable | ArchiveError)
            logger.critical("halted", service="projector", why=log_safe(error), exc_info=not expected)
            await _halt(resources, log_safe(error), error.sequence if isinstance(error, Unprojectable) else None)
            await asyncio.sleep(HALTED)


async def _halt(resources: Resources, why: str, at: int | None) -> None:
    """Store the reason, so that every process knows it. If the database does not take it, only this process does."""
    try:
        await resources.projection.halt(why, at)
    except (DBAPIError, *OUTAGES) as error:
        logger.warning("the reason could not be stored", service="projector", why=log_safe(error))
        resources.obstacles[service.name] = why
    else:
        resources.obstacles.pop(service.name, None)


async def _follow(resources: Resources) -> None:
    """Fold new events from the checkpoint on, and publish the progress, until an error is raised.

    If an older version of the folds built the projections, or if they are empty and the log is long, they are rebuilt
    first.
    """
    position = await resources.projection.position()
    if position.fold != FOLD or await _lost(resources, position):
        await rebuild(resources.projection, resources.log, _report)
        position = await resources.projection.position()
    await check_log_identity(resources.projection, resources.log)
    await _publish_progress(resources, progress_message(position.sequence))
    writer = ProjectionWriter(resources.projection)
    if resources.obstacles and position.sequence >= await resources.log.last_sequence():
        resources.obstacles.pop(service.name, None)  # Nothing is left that could fail.
    async for batch in resources.log.read(position.sequence):
        resources.obstacles.pop(service.name, None)  # Before others see that the events are folded. A failure sets it.
        reached = await writer.fold(batch, resources.log.subjects)
        await _publish_progress(resources, progress_message(reached, batch, writer.take_without_effect()))


async def _lost(resources: Resources, position: Position) -> bool:
    """Return whether the projections are empty although the log is long, so that a rebuild is faster.

    A rebuild that failed at an event is not repeated: following the log folds everything before that event.
    """
    return position.sequence == 0 and position.halted is None and await resources.log.last_sequence() >= LONG_LOG


def _report(done: int, total: int) -> None:
    logger.info("rebuilding", service="projector", done=done, total=total)


async def _publish_progress(resources: Resources, message: bytes) -> None:
    await resources.log.connection.publish(resources.log.subjects.projected, message)


service = Service("projector", background=work, capabilities=frozenset({Capability.READS_VECTORS, Capability.PROJECTS}))
