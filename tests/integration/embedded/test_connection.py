"""A lost connection makes pending requests fail instead of leaving them waiting."""

import asyncio
from pathlib import Path

import pytest
from nats.aio.msg import Msg
from nats.errors import TimeoutError as NoAnswerError

from nemuri_infra.bus.access import Access
from nemuri_infra.bus.connection import connect
from nemuri_infra.embedded.nats import EmbeddedNats
from tests.condition_waits import PATIENCE
from tests.integration.harness import eventually

pytestmark = pytest.mark.connected

ONE_HOUR = 3600.0


async def test_a_pending_request_fails_when_the_connection_is_lost(directory: Path) -> None:
    """A pending request fails when the connection is lost, and a new request over the next connection is answered."""
    server = EmbeddedNats(directory / "nats")
    await server.start()
    connection = await connect(server.url, Access(), patient=False, name="asker", lost=asyncio.Event(), denied=[])
    try:
        slow = await connection.subscribe("slow")
        asking = asyncio.ensure_future(connection.request("slow", timeout=ONE_HOUR))
        await slow.next_msg(timeout=10)

        await server.kill()
        await server.start()

        with pytest.raises(NoAnswerError):
            await asyncio.wait_for(asking, PATIENCE)

        async def answer(message: Msg) -> None:
            await message.respond(b"yes")

        await connection.subscribe("quick", cb=answer)
        assert (await connection.request("quick", timeout=10)).data == b"yes"
    finally:
        await connection.close()
        await server.stop()


@pytest.mark.parametrize("how", ["close", "drain"])
async def test_a_lost_connection_with_unsent_data_can_be_closed(directory: Path, how: str) -> None:
    """A lost connection with unsent data closes without an error and reports that it is closed."""
    server, lost = EmbeddedNats(directory / "nats"), asyncio.Event()
    await server.start()
    connection = await connect(server.url, Access(), patient=False, name="asker", lost=lost, denied=[])
    try:
        await server.kill()

        async def reconnecting() -> bool:
            """Return True once the connection is lost."""
            return connection.is_reconnecting

        await eventually(reconnecting)
        await connection.publish("anything", b"x")
    finally:
        await getattr(connection, how)()
        await server.stop()
    assert connection.is_closed
    assert lost.is_set()
