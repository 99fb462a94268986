"""The watch over a service's timers: sets them all, and handles each that fires."""

from collections.abc import Awaitable, Callable

from nemuri_infra.process.cancellation import run_together
from nemuri_infra.runtime.outage_errors import OUTAGE_ERRORS
from nemuri_infra.runtime.resources import Resources
from nemuri_infra.runtime.retry_forever import retry_forever

SetAll = Callable[[Resources], Awaitable[None]]
Fired = Callable[[str, Resources], Awaitable[None]]


async def watch_timers(service: str, set_all: SetAll, fired: Fired, resources: Resources) -> None:
    """Set all timers of a service, and call `fired` with the key of each that fires, forever. If a server is down, try
    again until it is back.

    All timers are set at the start and after each change of the platform's clock, so that none is lost.
    """

    async def keep_set() -> None:
        async for _ in resources.clock.changes():
            await set_all(resources)

    async def handle() -> None:
        async for ringing in resources.timers.due():
            await fired(ringing.key, resources)
            await ringing.stop()

    await run_together(*(retry_forever(service, work, passing=OUTAGE_ERRORS) for work in (keep_set, handle)))
