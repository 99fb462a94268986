"""What nights let go is erased by the platform that has servers of its own: no service may take anything away."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from nemuri.contracts.affect import NightPassed
from nemuri.face.operations import OperationError, let_go
from nemuri.infra.ending import end
from nemuri.infra.log import Log
from nemuri.infra.persisting import persistently
from nemuri.infra.reactions import WAITING
from nemuri.infra.settings import Settings

RETRY = 5.0
"""Seconds until it is tried again where a server is away, or somebody else erases."""


@asynccontextmanager
async def sweeping(settings: Settings) -> AsyncIterator[None]:
    """Erase what is due, now and after every night that lets something go, as long as the context lasts."""
    passing = (*WAITING, OperationError)
    work = asyncio.create_task(persistently("sweeping", partial(_sweep, settings), passing=passing, retry=RETRY))
    try:
        yield
    finally:
        await end(work)


async def _sweep(settings: Settings) -> None:
    log = await Log.connect(str(settings.nats_url), settings.namespace, access=settings.access)
    try:
        here = await log.last_sequence()
        await let_go(settings)
        async for batch in log.read(here, only=log.subjects.of_kind(NightPassed)):
            if any(isinstance(each, NightPassed) and each.deleted for each in batch.events):
                await let_go(settings)
    finally:
        await log.close()
