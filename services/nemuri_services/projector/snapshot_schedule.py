"""Snapshots of the projections, made in the background."""

import asyncio

import structlog
from nats.errors import Error as NatsError
from sqlalchemy.exc import DBAPIError

from nemuri_infra.errors.database_errors import OUTAGES
from nemuri_infra.errors.log_safe import log_safe
from nemuri_infra.projections.snapshots import make_snapshot
from nemuri_infra.runtime.resources import Resources

CHECK_SECONDS = 10.0
"""Seconds between two checks whether a snapshot is due."""

logger = structlog.get_logger()


async def keep_snapshots(resources: Resources) -> None:
    """Make a snapshot each time `snapshot_events` events were folded, forever. Returns if the setting is 0.

    Snapshots are disposable. If a server refuses one, the next check tries again.
    """
    while events := resources.settings.snapshot_events:
        try:
            made = await make_snapshot(resources.projection, resources.log, events)
            if made is not None:
                logger.info("made a snapshot", service="projector", sequence=made.sequence, bytes=made.bytes)
        except (NatsError, DBAPIError, *OUTAGES) as error:
            logger.info("made no snapshot", service="projector", why=log_safe(error))
        await asyncio.sleep(CHECK_SECONDS)
