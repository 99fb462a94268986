"""The platform of the demo: servers and services in this process, in a directory that is removed at the end, or the
platform that is running.
"""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from nemuri.client.connection import resolve_addresses
from nemuri.platform.platform import run_platform
from nemuri_infra.embedded.data_directory import Addresses
from nemuri_infra.runtime.settings import Settings


@asynccontextmanager
async def open_platform(settings: Settings, data: Path | None, *, running: bool = False) -> AsyncIterator[Settings]:
    """Run a platform while the context lasts, and yield its settings.

    Its data are in `data`, or in a temporary directory that is always removed at the end. Servers and models that
    `settings` name are not used, so that the demo is the same everywhere and costs nothing.

    With `running` yield the settings of the platform that is running instead, with its servers and models. Raises
    `NotRunning` if there is none.
    """
    if running:
        yield resolve_addresses(settings)
        return
    with _directory(data) as directory:
        own = settings.model_copy(
            update={
                "data": directory,
                "nats_url": None,
                "database_url": None,
                "providers": "extractive",
                "embedder": "built-in",
                "embedding_dimension": None,
            }
        )
        async with _running(own) as addresses:
            yield own.addressed(addresses.nats_url, addresses.database_url)


@contextmanager
def _directory(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    temporary = Path(tempfile.mkdtemp(prefix="nemuri-demo-"))
    try:
        yield temporary
    finally:
        shutil.rmtree(temporary)


@asynccontextmanager
async def _running(settings: Settings) -> AsyncIterator[Addresses]:
    stop = asyncio.Event()
    ready: asyncio.Future[Addresses] = asyncio.get_running_loop().create_future()
    running = asyncio.create_task(
        run_platform(settings, processes=False, stop=stop, ready=lambda found: ready.set_result(found.addresses))
    )
    try:
        await asyncio.wait((running, ready), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            await running
        yield ready.result()
    finally:
        stop.set()
        await running
