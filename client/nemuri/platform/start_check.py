"""The problems that keep a platform from working that has just started."""

import asyncio
from dataclasses import dataclass, field

from sqlalchemy.exc import DBAPIError

from nemuri_infra.bus.event_log import Log
from nemuri_infra.errors.database_errors import OUTAGES, reason
from nemuri_infra.projections.database import Database
from nemuri_infra.projections.projection import FOLD, Position, read_position
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.settings import Settings

START_SECONDS = 5.0
"""Seconds that the projector gets to project what was on the log before, or to halt."""
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class StartProblems:
    """The projector and the services that have halted since the platform was started."""

    halted: str | None = None
    """Reason why the projections are halted; None if they are not."""
    halted_at: int | None = None
    """Sequence of the event at which they are halted; None if no event is the cause."""
    services: dict[str, str] = field(default_factory=dict)
    """Reason why the background work of a service has ended, by service."""


async def start_problems(settings: Settings, resources: Resources | None) -> StartProblems:
    """Return what has halted, as soon as the projector has projected the log of now or has halted.

    It is waited for at most `START_SECONDS` seconds, because a rebuild may take long. `resources` are those of the
    services in this process; None if each has its own process.
    """
    log = await Log.connect(
        str(settings.nats_url),
        settings.namespace,
        patient=False,
        access=settings.access,
        archive=settings.archive_directory,
    )
    database = Database.at(str(settings.database_url), settings.namespace, connections=1)
    try:
        position = await _settled(log, database, resources)
    finally:
        await database.close()
        await log.close()
    if resources is None:
        return StartProblems(position.halted, position.halted_at)
    halted = position.halted or resources.obstacles.get("projector")
    return StartProblems(halted, position.halted_at, dict(resources.halted))


async def _settled(log: Log, database: Database, resources: Resources | None) -> Position:
    """Return the position of the projections when the projector is at the end of the log, has halted, or is late.

    An old reason to be halted stands in the database until the projector gets on, so it is not believed at once.
    """
    last, loop = await log.last_sequence(), asyncio.get_running_loop()
    end = loop.time() + START_SECONDS
    while True:
        position = await _position(database)
        done = position.sequence >= last and position.halted is None
        if done or (resources and (resources.obstacles or resources.halted)) or loop.time() >= end:
            return position
        await asyncio.sleep(POLL_SECONDS)


async def _position(database: Database) -> Position:
    """Return the position of the projections; one that is halted if the database does not answer."""
    try:
        async with database.reading() as connection:
            return await read_position(connection)
    except (DBAPIError, *OUTAGES) as error:
        return Position(0, FOLD, f"the database cannot be used: {reason(error)}")
