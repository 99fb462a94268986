"""Erasure of the memories that nightly jobs and withdrawals have deleted. The platform does it, because services may
not erase data.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from nemuri.operations.erasure import erase_expired
from nemuri.operations.session import OperationError
from nemuri_contracts.affective import NightPassed, TurnWithdrawn
from nemuri_contracts.event import Event
from nemuri_infra.bus.event_log import Log
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.retry_forever import retry_forever
from nemuri_infra.runtime.settings import Settings

RETRY = 5.0
"""Seconds between two attempts while a server cannot be reached or another erasure runs."""


@asynccontextmanager
async def sweeping(settings: Settings) -> AsyncIterator[None]:
    """Erase in the background, while the context lasts, all affective memories that were deleted.

    The erasure runs at the start, after each nightly job that deletes memories, and after each withdrawal.
    """
    passing = (*OUTAGE_ERRORS, OperationError)
    work = asyncio.create_task(retry_forever("sweeping", partial(_sweep, settings), passing=passing, retry=RETRY))
    try:
        yield
    finally:
        await cancel_and_wait(work)


async def _sweep(settings: Settings) -> None:
    log = await Log.connect(
        str(settings.nats_url), settings.namespace, access=settings.access, archive=settings.archive_directory
    )
    try:
        here = await log.last_sequence()
        await erase_expired(settings)
        both = (*log.subjects.of_kind(NightPassed), *log.subjects.of_kind(TurnWithdrawn))
        async for batch in log.read(here, only=both):
            if any(map(_deletes, batch.events)):
                await erase_expired(settings)
    finally:
        await log.close()


def _deletes(event: Event) -> bool:
    """Return whether an event deletes memories. Their content is still to be erased then."""
    return isinstance(event, TurnWithdrawn) or (isinstance(event, NightPassed) and bool(event.deleted))
