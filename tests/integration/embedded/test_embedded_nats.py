"""The embedded nats-server: durability, addresses and restarts."""

import asyncio
import socket
from pathlib import Path

import psutil
import pytest
from nats import connect

from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.embedded.nats import EmbeddedNats, EmbeddedNatsCluster
from nemuri_infra.embedded.supervisor import Supervisor
from tests.integration.embedded.stored_data import messages, processes_in, publish, until

pytestmark = pytest.mark.connected


async def test_a_message_survives_a_clean_restart(directory: Path) -> None:
    """A message and the server's address survive a clean restart."""
    server = EmbeddedNats(directory)
    await server.start()
    await publish(server.url, "first")
    before = server.url
    await server.stop()
    assert not server.alive
    again = EmbeddedNats(directory)
    await again.start()
    assert again.url == before
    assert await messages(again.url) == ["first"]
    await again.stop()
    assert processes_in(directory) == []


async def test_acknowledged_messages_survive_a_kill(directory: Path) -> None:
    """Every acknowledged message survives SIGKILL, and a connected client reconnects."""
    server = EmbeddedNats(directory)
    await server.start()
    client = await connect(server.url, max_reconnect_attempts=-1, reconnect_time_wait=0.05)
    for number in range(20):
        await publish(server.url, str(number))
    await server.kill()
    await server.start()
    await client.flush(timeout=10)
    assert await messages(server.url) == [str(number) for number in range(20)]
    await client.close()
    await server.stop()


async def test_the_server_listens_on_the_loopback_only(directory: Path) -> None:
    """Neither the client port nor the monitoring port is open to the network."""
    server = EmbeddedNats(directory)
    await server.start()
    listening = [one.laddr.ip for one in psutil.Process(server.pid).net_connections() if one.status == "LISTEN"]
    await server.stop()
    assert len(listening) == 2
    assert set(listening) == {"127.0.0.1"}


async def test_a_taken_port_is_replaced(directory: Path) -> None:
    """A server whose former port is used by another program starts on a new port."""
    server = EmbeddedNats(directory)
    await server.start()
    before = server.url
    await server.stop()
    with socket.create_server(("127.0.0.1", int(before.rpartition(":")[2]))):
        await server.start()
        assert server.url != before
        await server.stop()


async def test_a_taken_fixed_port_is_an_error(directory: Path) -> None:
    """The start of a server whose fixed port is in use fails with an error that quotes the server's log."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        server = EmbeddedNats(directory, port=other.getsockname()[1])
        with pytest.raises(ServerFailed, match="address already in use"):
            await server.start()
    assert not server.alive


async def test_an_orphaned_server_is_ended_first(directory: Path) -> None:
    """A server that an earlier run left is ended before a new one opens the store, even without a record of it."""
    lost = EmbeddedNats(directory)
    await lost.start()
    (directory / "nats.pid").unlink()
    server = EmbeddedNats(directory)
    await server.start()
    await lost.wait()
    assert [process.pid for process in processes_in(directory)] == [server.pid]
    await server.stop()


@pytest.mark.parametrize("name", ['a "folder" of 眠り: $100 \\', "/".join(["long" * 20] * 4)], ids=["special", "long"])
async def test_any_path_can_hold_the_data(directory: Path, name: str) -> None:
    """A server starts in a directory whose path has quotes, blanks or characters of other scripts."""
    server = EmbeddedNats(directory / name)
    await server.start()
    await publish(server.url, "kept")
    await server.stop()
    await server.start()
    assert await messages(server.url) == ["kept"]
    await server.stop()


@pytest.mark.long
async def test_a_cluster_serves_while_one_node_is_dead(directory: Path) -> None:
    """Two of three nodes accept messages, and the third node has all of them after its return."""
    cluster = EmbeddedNatsCluster(directory)
    await cluster.start()
    await publish(cluster.urls[0], "before", replicas=3)
    await cluster.kill(0)
    await publish(cluster.urls[1], "during", replicas=3)
    await cluster.restart(0)
    assert await messages(cluster.urls[0]) == ["before", "during"]
    await cluster.stop()
    assert processes_in(directory) == []


async def test_a_server_that_failed_to_write_is_restarted(directory: Path) -> None:
    """A server that failed to write is restarted by the supervisor and keeps all acknowledged messages."""
    server, stop = EmbeddedNats(directory), asyncio.Event()
    supervisor = Supervisor([server])
    await supervisor.start()
    work = asyncio.create_task(supervisor.run_until(stop))
    for number in range(3):
        await publish(server.url, str(number))
    full = psutil.Process(server.pid)
    full.rlimit(psutil.RLIMIT_FSIZE, (100, psutil.RLIM_INFINITY))
    client = await connect(server.url, max_reconnect_attempts=-1, reconnect_time_wait=0.05, error_cb=ignore_error)
    with pytest.raises(TimeoutError):
        await client.jetstream(timeout=0.2).publish("kept.one", b"refused")
    await client.close()
    await until(lambda: server.pid not in {None, full.pid})
    await publish(server.url, "3")
    assert await messages(server.url) == ["0", "1", "2", "3"]
    stop.set()
    await work


async def test_a_stream_may_reserve_more_than_the_free_space(directory: Path) -> None:
    """A stream may reserve more bytes than are free on the disk."""
    server = EmbeddedNats(directory)
    await server.start()
    client = await connect(server.url)
    await client.jetstream().add_stream(name="large", subjects=["large"], max_bytes=2**49)
    await client.close()
    await server.stop()


async def ignore_error(_: Exception) -> None:
    """Ignore errors of the connection."""
