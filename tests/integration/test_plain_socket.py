"""Hooks send requests and append events to real servers over a plain socket: users, encryption and time limits."""

import asyncio
import json
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import nats
import pytest
import pytest_asyncio
import trustme
from nats.aio.msg import Msg

from nemuri_infra.bus.plain_socket import MessageTooLargeError, PlainError, connect
from nemuri_infra.embedded.listen_addresses import free_port
from nemuri_infra.embedded.nats import EmbeddedNats
from nemuri_infra.process.hook_settings import HookSettings

pytestmark = pytest.mark.connected

USERS = """
authorization { users = [
  { user: echo, password: e, permissions: { publish: ">", subscribe: "asked.>" } },
  { user: me, password: "p@:/", permissions: { publish: "asked.>", subscribe: "_INBOX.me.>" } } ] }
"""
USER_INFO = "me:p%40%3A%2F"
"""User and password, encoded as in an address."""


@asynccontextmanager
async def echo_server(more: str, url: str = "nats://{}", **known: Any) -> AsyncIterator[EmbeddedNats]:
    """Yield a nats-server with a service that answers every request with its own data.

    `more` is appended to the server's configuration, and `known` are options of the service's connection.
    """
    directory = Path(tempfile.mkdtemp(prefix="nemuri-test-"))
    running = EmbeddedNats(directory / "nats", more=more, users=True)
    try:
        await running.start()
        repeating = await nats.connect(url.format(running.url.partition("//")[2]), **known)

        async def repeat(message: Msg) -> None:
            if message.subject != "asked.late":
                await message.respond(message.data)

        await repeating.subscribe("asked.>", cb=repeat)
        await repeating.flush()
        yield running
        await repeating.close()
    finally:
        await running.stop()
        shutil.rmtree(directory)


def hook_settings(url: str, **files: Path) -> HookSettings:
    """Return hook settings for a server's address."""
    where = HookSettings("/nowhere")
    where.nats_url = url
    for name, path in files.items():
        setattr(where, name, str(path))
    return where


async def request(where: HookSettings, subject: str, data: bytes, limit: float = 10.0) -> bytes:
    """Return the answer to a request over a new connection."""

    def work() -> bytes:
        connection = connect(where, limit)
        try:
            return connection.request(subject, data)
        finally:
            connection.close()

    return await asyncio.to_thread(work)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def restricted_server() -> AsyncIterator[EmbeddedNats]:
    """A server with two users, each with its own rights."""
    async with echo_server(USERS, user="echo", password="e") as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def user_settings(restricted_server: EmbeddedNats) -> HookSettings:
    """Hook settings of a user that may only send requests and receive answers in its own inbox."""
    return hook_settings(restricted_server.url.replace("//", f"//{USER_INFO}@"))


@pytest.mark.parametrize("size", [0, 1, 70_000, 900_000])
async def test_a_request_of_any_size_is_answered(user_settings: HookSettings, size: int) -> None:
    """Requests of any size are answered, for a user whose password is percent-encoded in the address."""
    assert await request(user_settings, "asked.echo", b"\r\n" * (size // 2)) == b"\r\n" * (size // 2)


@pytest.mark.parametrize(
    ("change", "subject", "trouble"),
    [
        (lambda url: url.replace("me:", "you:"), "asked.echo", "Authorization Violation"),
        (lambda url: url.partition("//")[0] + "//" + url.rpartition("@")[2], "asked.echo", "Authorization Violation"),
        (lambda url: url, "told.somebody", "Permissions Violation"),
        (lambda url: url, "asked", "Permissions Violation"),
    ],
)
async def test_a_denied_request_raises_an_error_at_once(
    user_settings: HookSettings, change: Callable[[str], str], subject: str, trouble: str
) -> None:
    """A request with wrong credentials or on a forbidden subject raises an error at once."""
    with pytest.raises(PlainError, match=trouble):
        await request(hook_settings(change(user_settings.nats_address)), subject, b"")


async def test_a_message_above_the_limit_is_not_sent(user_settings: HookSettings) -> None:
    """A message above the server's limit is refused before it is sent."""
    with pytest.raises(MessageTooLargeError):
        await request(user_settings, "asked.echo", b"x" * 1_048_577)


async def test_a_request_without_an_answer_times_out(user_settings: HookSettings) -> None:
    """A request that gets no answer, or is sent to a silent server, times out."""
    with pytest.raises(TimeoutError):
        await request(user_settings, "asked.late", b"", limit=0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(TimeoutError):
        await request(hook_settings(f"nats://127.0.0.1:{silent.getsockname()[1]}"), "asked.echo", b"", limit=0.2)


async def test_the_next_server_of_the_list_is_asked(user_settings: HookSettings) -> None:
    """If the first server of a list is down, the second one is asked, with the user of the first address."""
    named, _, host = user_settings.nats_address.rpartition("@")
    assert await request(hook_settings(f"{named}@127.0.0.1:{free_port()}, nats://{host}"), "asked.echo", b"x") == b"x"
    with pytest.raises(ConnectionRefusedError):
        await request(hook_settings(f"{named}@127.0.0.1:{free_port()}"), "asked.echo", b"x")


async def test_clients_without_certificates_are_refused(tmp_path: Path) -> None:
    """A server that requires certificates answers clients that have them and refuses others."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    for name in ("server", "client"):
        authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(tmp_path / f"{name}.pem"))
    files = {"cert_file": "server.pem", "key_file": "server.pem", "ca_file": "ca.pem"}
    lines = ", ".join(f'{option}: "{tmp_path / name}"' for option, name in files.items())
    mine = {"nats_ca": tmp_path / "ca.pem", "nats_certificate": tmp_path / "client.pem"}
    tls = hook_settings("", **mine)
    context = _context(tls)
    async with echo_server(f"tls {{ {lines}, verify: true }}", "tls://{}", tls=context) as running:
        address = running.url.replace("nats:", "tls:")
        assert await request(hook_settings(address, **mine), "asked.echo", b"x") == b"x"
        assert await request(hook_settings(running.url, **mine), "asked.echo", b"x") == b"x"
        for missing in mine:
            with pytest.raises((OSError, PlainError)):
                await request(
                    hook_settings(address, **{name: path for name, path in mine.items() if name != missing}),
                    "asked.echo",
                    b"",
                )
        with pytest.raises(PlainError, match="NEMURI_NATS_CA"):
            await request(hook_settings(address, nats_ca=tmp_path / "none.pem"), "asked.echo", b"")


async def test_an_event_is_appended_once_per_id() -> None:
    """An event is appended once per id. A full or missing stream raises an error that says so."""
    async with echo_server("") as running:
        other = await nats.connect(running.url)
        await other.jetstream().add_stream(name="log", subjects=["log.>"], max_msgs=2, discard="new")

        def append() -> list[str]:
            connection, troubles = connect(hook_settings(running.url)), list[str]()
            for subject, name in (("log.a", "1"), ("log.a", "1"), ("log.b", "2"), ("log.b", "3"), ("none", "4")):
                try:
                    connection.append(subject, b"{}", name)
                except PlainError as error:
                    troubles.append(str(error))
            connection.close()
            return troubles

        full, nobody = await asyncio.to_thread(append)
        assert "maximum messages exceeded" in full
        assert "no answer on none" in nobody
        assert (await other.jetstream().stream_info("log")).state.messages == 2
        await other.close()


async def test_a_connection_closed_in_an_answer_raises_an_error() -> None:
    """A request raises an error if the server closes the connection in the middle of the answer."""
    info = b"INFO " + json.dumps({"max_payload": 1_000}).encode() + b"\r\n"

    async def half(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(info)
        await reader.readuntil(b"PING\r\n")
        writer.write(b"PING\r\nPONG\r\n")
        inbox = (await reader.readuntil(b" 1\r\n")).split()[-2].decode().replace("*", "1")
        writer.write(f"MSG {inbox} 1 100\r\nnot a hundred".encode())
        writer.close()

    listening = await asyncio.start_server(half, "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    with pytest.raises((PlainError, ConnectionError)):
        await request(hook_settings(f"127.0.0.1:{port}"), "asked.echo", b"", limit=5.0)
    listening.close()


def _context(where: HookSettings) -> Any:
    from nemuri_infra.bus.access import Access

    return Access(Path(str(where.nats_ca)), Path(str(where.nats_certificate))).tls()
