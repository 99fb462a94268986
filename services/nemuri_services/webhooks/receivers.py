"""HTTP requests to receivers. Private addresses are refused when connecting, and redirects are not followed."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from ipaddress import ip_address
from socket import IPPROTO_TCP, SOCK_STREAM, getaddrinfo
from time import monotonic
from typing import Final
from urllib.parse import urlsplit

import httpcore2
from typing_extensions import override

from nemuri_contracts.webhooks import NewWebhook, is_public
from nemuri_domain.webhooks.attempts import Attempt
from nemuri_infra.errors.log_safe import first_line

MAX_ANSWER_BYTES: Final = 64 * 1024
"""Maximum size of an answer that is read to its end, so that its connection can be used again."""
MAX_CONNECTIONS: Final = 128
NAME_THREADS: Final = 32
"""Maximum number of names that are resolved at the same time."""
IDLE_SECONDS: Final = 30.0
"""Seconds after which an unused connection is closed."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]


class PrivateAddressError(Exception):
    """A receiver's name stands for a private address. The message is one line."""


@dataclass(frozen=True, slots=True)
class NameService:
    """The resolver of the system, in threads of its own: names that are slow to resolve hold up nothing else."""

    threads: Executor

    async def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host, each once. Raises OSError if there are none."""
        asked = partial(getaddrinfo, host, port, type=SOCK_STREAM, proto=IPPROTO_TCP)
        found = await asyncio.get_running_loop().run_in_executor(self.threads, asked)
        return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))


@dataclass(slots=True)
class CheckedAddresses(httpcore2.AsyncNetworkBackend):
    """Connects to hosts whose addresses are all public, unless private ones are allowed. It connects to an address that
    it has checked, so a name that stands for another one a moment later changes nothing.
    """

    resolve: Resolve
    allow_private: bool = False
    backend: httpcore2.AsyncNetworkBackend = field(default_factory=httpcore2.AnyIOBackend)

    @override
    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        addresses = await self.resolve(host, port)
        for address in addresses:
            if not self.allow_private and not is_public(ip_address(address.partition("%")[0])):
                raise PrivateAddressError(f"{host} stands for the private address {address}, which is not allowed")
        failure: Exception = OSError(f"{host} has no address")
        for address in addresses:
            try:
                return await self.backend.connect_tcp(address, port, timeout, local_address, socket_options)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


@dataclass(frozen=True, slots=True)
class Receivers:
    """The connections to receivers."""

    public: httpcore2.AsyncConnectionPool
    every: httpcore2.AsyncConnectionPool
    """Connections of the webhooks that may have private receivers. The others never use one of them."""
    seconds: float
    """Time limit of an attempt."""

    @classmethod
    @asynccontextmanager
    async def opened(cls, seconds: float, resolve: Resolve | None = None) -> AsyncIterator["Receivers"]:
        """Yield the connections, and close them at the end of the context. Without `resolve`, the system resolves."""
        threads = ThreadPoolExecutor(NAME_THREADS, thread_name_prefix="webhook-names")
        resolving = resolve or NameService(threads).resolve
        try:
            async with (
                _pool(CheckedAddresses(resolving)) as public,
                _pool(CheckedAddresses(resolving, allow_private=True)) as every,
            ):
                yield cls(public, every, seconds)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)

    async def post(self, webhook: NewWebhook, body: bytes, headers: dict[str, str]) -> Attempt:
        """Send a message to the receiver of a webhook, and return the outcome. Raises nothing for a bad receiver."""
        begun = monotonic()
        try:
            async with asyncio.timeout(self.seconds):
                status = await self._status(webhook, body, headers)
        except TimeoutError:
            return Attempt(None, f"no answer within {self.seconds:g} s", monotonic() - begun)
        except _FAILURES as error:
            return Attempt(None, _told(error), monotonic() - begun)
        reason = None if 200 <= status <= 299 else f"the receiver answered {status}{_REDIRECTED[300 <= status <= 399]}"
        return Attempt(status, reason, monotonic() - begun)

    async def _status(self, webhook: NewWebhook, body: bytes, headers: dict[str, str]) -> int:
        pool = self.every if webhook.allow_private else self.public
        request = pool.stream("POST", _encoded(webhook.url), headers=[*headers.items()], content=body)
        async with request as answer:
            read = 0
            async for piece in answer.aiter_stream():
                if (read := read + len(piece)) > MAX_ANSWER_BYTES:
                    break
            return answer.status


_REDIRECTED: Final = {False: "", True: ", and redirects are not followed"}
_FAILURES: Final = (
    PrivateAddressError,
    OSError,
    UnicodeError,
    httpcore2.NetworkError,
    httpcore2.TimeoutException,
    httpcore2.ProtocolError,
    httpcore2.UnsupportedProtocol,
)
"""Errors of a receiver, or of the way to it."""


def _pool(backend: httpcore2.AsyncNetworkBackend) -> httpcore2.AsyncConnectionPool:
    return httpcore2.AsyncConnectionPool(
        max_connections=MAX_CONNECTIONS, keepalive_expiry=IDLE_SECONDS, network_backend=backend
    )


def _encoded(url: str) -> str:
    """Return a URL whose host is in ASCII, as in the name service, and whose path is encoded."""
    parts = urlsplit(url)
    port = "" if parts.port is None else f":{parts.port}"
    name = str(parts.hostname)
    host = f"[{name}]" if ":" in name else name.encode("idna").decode()
    rest = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return f"{parts.scheme}://{host}{port}{_ascii(rest)}"


def _ascii(text: str) -> str:
    return "".join(one if one.isascii() else "".join(f"%{byte:02X}" for byte in one.encode()) for one in text)


def _told(error: BaseException) -> str:
    """Return an error of a receiver in one line of at most 200 characters."""
    if isinstance(error, PrivateAddressError):
        return first_line(error)[:200]
    protocol = isinstance(error, (httpcore2.ProtocolError, httpcore2.ReadError))
    return f"{'no valid answer' if protocol else 'no connection'}: {first_line(error)}"[:200]
