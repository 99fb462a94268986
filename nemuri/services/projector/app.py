"""The projector: a reader of the whole log that knows its own place."""

import asyncio

import structlog
from nats.errors import Error as NatsError

from nemuri.infra.observation.errors import said
from nemuri.infra.reactions import Service, Use
from nemuri.infra.resources import Resources
from nemuri.infra.views.belonging import check_belonging
from nemuri.infra.views.database import OUTAGES
from nemuri.infra.views.projection import FOLD, Unprojectable
from nemuri.infra.views.rebuilding import rebuild

RETRY = 0.5
"""Seconds until it is tried again to reach a server that is not there."""

HALTED = 5.0
"""Seconds until what could not be projected is tried again."""

logger = structlog.get_logger()


async def project(resources: Resources) -> None:
    """Keep the views up with the log for ever.

    What cannot be projected halts the views before it, and `nemuri status` says why; it is tried again now and then,
    because an operator may have mended it.
    """
    while True:
        try:
            await _follow(resources)
        except (NatsError, *OUTAGES) as error:
            logger.info("waiting", service="projector", why=said(error))
            await asyncio.sleep(RETRY)
        except Exception as error:
            logger.critical(
                "halted", service="projector", why=said(error), exc_info=not isinstance(error, Unprojectable)
            )
            await _halt(resources, said(error))
            await asyncio.sleep(HALTED)


async def _halt(resources: Resources, why: str) -> None:
    try:
        await resources.projection.halt(why)
    except OUTAGES as error:
        logger.warning("the reason could not be kept", service="projector", why=said(error))


async def _follow(resources: Resources) -> None:
    position = await resources.projection.position()
    if position.fold != FOLD:
        await rebuild(resources.projection, resources.log, _report)
        position = await resources.projection.position()
    await check_belonging(resources.projection, resources.log)
    await _tell(resources, position.sequence)
    async for batch in resources.log.read(position.sequence):
        Unprojectable.check(batch, resources.log.subjects)
        await _tell(resources, await resources.projection.apply(batch))


def _report(done: int, total: int) -> None:
    logger.info("rebuilding", service="projector", done=done, total=total)


async def _tell(resources: Resources, sequence: int) -> None:
    await resources.log.connection.publish(resources.log.subjects.projected, str(sequence).encode())


service = Service("projector", background=project, uses=frozenset({Use.READS_VECTORS, Use.PROJECTS}))
