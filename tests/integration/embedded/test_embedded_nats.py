"""The embedded nats-server: what it keeps, where it listens, what it survives."""

import asyncio
import socket
from pathlib import Path

import psutil
import pytest
from nats import connect

from nemuri_infra.embedded.child_processes import ServerFailed
from nemuri_infra.embedded.nats import EmbeddedNats, EmbeddedNatsCluster
from nemuri_infra.embedded.supervisor import Supervisor
from tests.integration.embedded.evidence import messages, processes_in, publish, until

pytestmark = pytest.mark.connected


async def test_a_message_outlives_a_clean_restart_on_the_same_port(directory: Path) -> None:
    """Clients that reconnect find the server where it was, with everything in it."""
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


async def test_what_was_acknowledged_outlives_a_kill(directory: Path) -> None:
    """Every acknowledged message is there after SIGKILL, and a client that was connected comes back by itself."""
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


async def test_it_listens_on_the_loopback_only(directory: Path) -> None:
    """Neither clients' port nor the monitoring port is open to the network."""
    server = EmbeddedNats(directory)
    await server.start()
    listening = [one.laddr.ip for one in psutil.Process(server.pid).net_connections() if one.status == "LISTEN"]
    await server.stop()
    assert len(listening) == 2
    assert set(listening) == {"127.0.0.1"}


async def test_a_kept_port_that_somebody_took_is_replaced(directory: Path) -> None:
    """A port is only a convenience: the server comes up on another one."""
    server = EmbeddedNats(directory)
    await server.start()
    before = server.url
    await server.stop()
    with socket.create_server(("127.0.0.1", int(before.rpartition(":")[2]))):
        await server.start()
        assert server.url != before
        await server.stop()


async def test_a_fixed_port_that_is_taken_is_an_error_with_the_log(directory: Path) -> None:
    """Whoever asked for a port gets that one or is told why not."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        server = EmbeddedNats(directory, port=other.getsockname()[1])
        with pytest.raises(ServerFailed, match="address already in use"):
            await server.start()
    assert not server.alive


async def test_a_server_left_behind_is_ended_before_the_store_is_opened_again(directory: Path) -> None:
    """The directory is served by one process, also when the record of the first is lost."""
    lost = EmbeddedNats(directory)
    await lost.start()
    (directory / "nats.pid").unlink()
    server = EmbeddedNats(directory)
    await server.start()
    assert not lost.alive
    assert [process.pid for process in processes_in(directory)] == [server.pid]
    await server.stop()


@pytest.mark.parametrize("name", ['a "folder" of 眠り: $100 \\', "/".join(["long" * 20] * 4)], ids=["special", "long"])
async def test_any_path_can_hold_it(directory: Path, name: str) -> None:
    """Quotes, blanks and other scripts in the path mean nothing to the configuration."""
    server = EmbeddedNats(directory / name)
    await server.start()
    await publish(server.url, "kept")
    await server.stop()
    await server.start()
    assert await messages(server.url) == ["kept"]
    await server.stop()


async def test_a_cluster_serves_while_one_node_is_dead(directory: Path) -> None:
    """Two of three nodes acknowledge and answer; the third comes back with everything."""
    cluster = EmbeddedNatsCluster(directory)
    await cluster.start()
    await publish(cluster.urls[0], "before", replicas=3)
    await cluster.kill(0)
    await publish(cluster.urls[1], "during", replicas=3)
    await cluster.restart(0)
    assert await messages(cluster.urls[0]) == ["before", "during"]
    await cluster.stop()
    assert processes_in(directory) == []


async def test_a_server_that_could_not_write_serves_again_once_there_is_room(directory: Path) -> None:
    """It would take nothing more by itself; it is started anew, with everything that it had acknowledged."""
    server, stop = EmbeddedNats(directory), asyncio.Event()
    supervisor = Supervisor([server])
    await supervisor.start()
    work = asyncio.create_task(supervisor.run_until(stop))
    for number in range(3):
        await publish(server.url, str(number))
    full = psutil.Process(server.pid)
    full.rlimit(psutil.RLIMIT_FSIZE, (100, psutil.RLIM_INFINITY))
    client = await connect(server.url, max_reconnect_attempts=-1, reconnect_time_wait=0.05, error_cb=silent)
    with pytest.raises(TimeoutError):
        await client.jetstream(timeout=0.2).publish("kept.one", b"refused")
    await client.close()
    await until(lambda: server.pid not in {None, full.pid})
    await publish(server.url, "3")
    assert await messages(server.url) == ["0", "1", "2", "3"]
    stop.set()
    await work


async def test_a_server_may_store_what_the_disk_holds(directory: Path) -> None:
    """However much of it was free when it was started."""
    server = EmbeddedNats(directory)
    await server.start()
    client = await connect(server.url)
    await client.jetstream().add_stream(name="large", subjects=["large"], max_bytes=2**49)
    await client.close()
    await server.stop()


async def silent(_: Exception) -> None:
    """Nobody needs to hear that the server is away."""
