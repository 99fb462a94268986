"""A message goes to the address that was checked, and nowhere else; a bad receiver is told in one line."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

import httpcore2
import pytest

from nemuri_contracts.webhooks import NewWebhook
from nemuri_domain.webhooks.attempts import Attempt
from nemuri_services.webhooks.receivers import CheckedAddresses, NameService, PrivateAddressError, Receivers, Resolve
from tests.integration.webhooks.receiver import receiving


async def posted(url: str, resolve: Resolve | None, *, allow_private: bool = False, seconds: float = 5.0) -> Attempt:
    """Send a message to a URL whose host has the addresses that `resolve` returns."""
    webhook = NewWebhook(url=url, kinds=("agent_slept",), allow_private=allow_private)
    async with Receivers.opened(seconds, resolve) as opened:
        return await opened.post(webhook, b"{}", {"content-type": "application/json"})


def always(*addresses: str) -> Resolve:
    """Return a resolver that knows one name."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        assert (host, port) == ("hooks.example.com", 443)
        return addresses

    return resolve


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "::1", "169.254.169.254", "10.0.0.8", "fe80::1%eth0", "::ffff:127.0.0.1", "64:ff9b::7f00:1"],
)
@pytest.mark.parametrize("public_first", [True, False])
async def test_a_name_with_a_private_address_is_not_connected_to(address: str, *, public_first: bool) -> None:
    """A public name with a private address among its addresses is refused, wherever it stands, and nothing is sent."""
    addresses = ("1.1.1.1", address) if public_first else (address, "1.1.1.1")
    told = await posted("https://hooks.example.com/", always(*addresses))
    expected = f"hooks.example.com stands for the private address {address}, which is not allowed"
    assert (told.status, told.reason) == (None, expected)


async def test_the_checked_address_is_the_one_connected_to() -> None:
    """A name that stands for a private address a moment later is connected to at the public one that was checked."""
    answers, connected = iter([("1.1.1.1",), ("127.0.0.1",)]), list[str]()

    class Recorder(httpcore2.AsyncNetworkBackend):
        """A backend that notes where it connects to."""

        async def connect_tcp(self, host: str, *_: object, **__: object) -> httpcore2.AsyncNetworkStream:
            connected.append(host)
            raise httpcore2.ConnectError("it goes nowhere")

    async def rebound(host: str, port: int) -> Sequence[str]:
        return next(answers)

    backend = CheckedAddresses(rebound, backend=Recorder())
    with pytest.raises(httpcore2.ConnectError):
        await backend.connect_tcp("hooks.example.com", 443)
    assert connected == ["1.1.1.1"]
    with pytest.raises(PrivateAddressError):
        await backend.connect_tcp("hooks.example.com", 443)
    assert connected == ["1.1.1.1"]


async def test_a_webhook_without_the_permission_shares_no_connection_with_one_that_has_it() -> None:
    """A connection to a private receiver is not used by a webhook that may have none."""
    async with receiving() as receiver, Receivers.opened(5.0) as opened:
        allowed = NewWebhook(url=receiver.url, kinds=("agent_slept",), allow_private=True)
        assert (await opened.post(allowed, b"{}", {})).accepted
        sly = allowed.model_copy(update={"allow_private": False})
        told = await opened.post(sly, b"{}", {})
        assert "private address 127.0.0.1" in str(told.reason)
        assert len(receiver.requests) == 1


async def test_a_redirect_is_not_followed() -> None:
    """A redirect to another address is a failure, and the other address gets nothing."""
    async with receiving() as other, receiving(extra=b"Location: " + other.url.encode() + b"\r\n") as receiver:
        receiver.answer = lambda: b"307 Temporary Redirect"
        told = await posted(receiver.url, None, allow_private=True)
        assert (told.status, told.reason) == (307, "the receiver answered 307, and redirects are not followed")
        assert other.requests == []


async def test_a_receiver_that_never_answers_is_left_in_time() -> None:
    """A receiver that accepts the connection and says nothing is a failure after the time limit."""
    async with receiving(pause=30.0) as receiver:
        told = await posted(receiver.url, None, allow_private=True, seconds=0.3)
        assert (told.status, told.reason) == (None, "no answer within 0.3 s")


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"nonsense\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000,
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n",
    ],
)
async def test_a_broken_answer_is_a_failure_in_one_line(answer: bytes) -> None:
    """An answer that is no HTTP, too long in its head, or incomplete is told in one line."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        told = await posted(f"http://127.0.0.1:{port}/", None, allow_private=True)
    assert not told.accepted
    assert str(told.reason).startswith("no valid answer: ")
    assert "\n" not in str(told.reason)


async def test_a_long_answer_is_not_read_to_its_end() -> None:
    """An endless answer with a good status is accepted, and only its beginning is read."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 65_536)
                await writer.drain()
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        told = await posted(f"http://127.0.0.1:{port}/", None, allow_private=True)
    assert (told.status, told.accepted) == (200, True)


async def test_the_name_service_is_asked_for_every_address() -> None:
    """The loopback's name has addresses, each once."""
    with ThreadPoolExecutor(1) as threads:
        found = await NameService(threads).resolve("localhost", 80)
    assert len(found) == len(set(found)) >= 1
    assert all(ip_address(address).is_loopback for address in found)
