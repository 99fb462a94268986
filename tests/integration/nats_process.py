"""A nats-server with a configuration of a test's own, which may differ from that of the platform's server in all."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from nemuri_infra.embedded.child_processes import POLL_SECONDS, Child
from nemuri_infra.embedded.listen_addresses import LOOPBACK, free_port
from nemuri_infra.embedded.nats import nats_server_binary
from tests.condition_waits import PATIENCE


@asynccontextmanager
async def nats_process(directory: Path, configuration: str) -> AsyncIterator[str]:
    """Run a nats-server in a new directory, and yield its host and port when it accepts connections."""
    await asyncio.to_thread(directory.mkdir)
    port, path = free_port(), directory / "server.conf"
    named = f'server_name: "{directory.name}"\nlisten: "{LOOPBACK}:{port}"\n'
    await asyncio.to_thread(path.write_text, named + configuration, encoding="utf-8")
    child = Child("nats", [str(nats_server_binary()), "-c", str(path)], directory)
    try:
        await child.start()
        async with asyncio.timeout(PATIENCE):
            while not await _accepts(port):
                assert child.alive, child.log_tail()
                await asyncio.sleep(POLL_SECONDS)
        yield f"{LOOPBACK}:{port}"
    finally:
        await child.kill()
        await child.stop()


async def _accepts(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(LOOPBACK, port)
    except OSError:
        return False
    writer.close()
    return True
