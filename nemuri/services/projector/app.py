"""The projector: a reader of the whole log that knows its own place."""

import asyncio

import structlog
from nats.errors import Error as NatsError
from nats.js.errors import Error as JetStreamError

from nemuri.infra.log import Unreadable
from nemuri.infra.reactions import Service
from nemuri.infra.resources import Resources
from nemuri.infra.views.database import OUTAGES

RETRY = 0.5
"""Seconds until it is tried again to reach a server that is not there."""

logger = structlog.get_logger()


class HaltedError(Exception):
    """The log holds something of our own that cannot be read; going on would make the views wrong."""


async def project(resources: Resources) -> None:
    """Keep the views up with the log for ever."""
    while True:
        try:
            await _follow(resources)
        except (NatsError, JetStreamError, *OUTAGES) as error:
            logger.info("waiting", service="projector", why=str(error) or type(error).__name__)
            await asyncio.sleep(RETRY)


async def _follow(resources: Resources) -> None:
    position = await resources.projection.position()
    await _tell(resources, position.sequence)
    async for batch in resources.log.read(position.sequence):
        for each in batch.unreadable:
            _judge(each, resources)
        await _tell(resources, await resources.projection.apply(batch))


def _judge(unreadable: Unreadable, resources: Resources) -> None:
    """What a client said and nobody understands means nothing; what we said ourselves must be understood."""
    if resources.log.subjects.client_of(unreadable.subject) is None:
        raise HaltedError(f"event {unreadable.sequence} on {unreadable.subject}: {unreadable.reason}")


async def _tell(resources: Resources, sequence: int) -> None:
    await resources.log.connection.publish(resources.log.subjects.projected, str(sequence).encode())


service = Service("projector", background=project)
