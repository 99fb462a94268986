"""A society that lives in the test's own process: its grid world and one host, by their own code."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nemuri_infra.bus.event_log import Log
from nemuri_infra.models.settings import ModelSettings
from nemuri_infra.process.cancellation import cancel_and_wait
from nemuri_society.contracts.society import Society
from nemuri_society.operations.residents import generate_residents
from nemuri_society.simulation.bootstrap import build_host, run_world
from nemuri_society.simulation.host import Host
from nemuri_society.stores.society_record import SocietyRecord, StoredEvent

NAME = "village"


def village(agents: int = 4, **fields: object) -> Society:
    """Return the definition of a small society that lives ten times as fast as real time."""
    about = {"name": NAME, "seed": 1, "size": 64, "speed": 10.0} | fields
    return Society.model_validate(about | {"agents": generate_residents(str(about["name"]), agents, 1)})


@asynccontextmanager
async def living(log: Log, name: str = NAME, models: ModelSettings | None = None) -> AsyncIterator[Host]:
    """Run the world and one host of an existing society, and yield the host. By default it has the scripted model."""
    held = asyncio.Event()
    world = asyncio.ensure_future(run_world(log, name, lease_held=held))
    host = await build_host(log, name, models or ModelSettings(providers=("extractive",)), limit=500)
    running = asyncio.ensure_future(host.run())
    try:
        await held.wait()
        yield host
        for task in (world, running):
            if task.done():
                task.result()
    finally:
        await cancel_and_wait(running)
        await cancel_and_wait(world)


async def recorded(log: Log, name: str = NAME, *, branches: bool = False) -> list[StoredEvent]:
    """Return what a society has on record."""
    return [event async for event in SocietyRecord(log, name).events(branches=branches)]
