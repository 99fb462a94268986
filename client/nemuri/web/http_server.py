"""An HTTP server on one address, as part of a process that does other work too."""

import asyncio
import errno
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn

from nemuri_infra.embedded.child_processes import ServerFailed

CLOSING_SECONDS = 3
"""Seconds that open requests may take at the end. Streams of events are cut off then."""


def parse_address(text: str) -> tuple[str, int]:
    """Return the host and port of `HOST:PORT`. Port 0 means any free port. Raises ValueError."""
    host, separator, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not separator or not host or not port.isascii() or not port.isdigit() or int(port) > 65_535:
        raise ValueError(f"{text!r} is not an address; write HOST:PORT, such as 127.0.0.1:8080")
    return host, int(port)


def nth_address(text: str, number: int) -> str:
    """Return the address of process `number`, counted from 0: port + `number`, or port 0 if the port is 0."""
    host, port = parse_address(text)
    shown = f"[{host}]" if ":" in host else host
    return f"{shown}:{port + number if port else 0}"


@asynccontextmanager
async def serve_application(application: Any, address: str, *, fixed: bool = True) -> AsyncIterator[str]:
    """Serve an ASGI application at an address while the context lasts, and yield the URL.

    Unless the address is `fixed`, another free port is taken if its own is in use. Raises `ServerFailed`.
    """
    bound = _bound(address, fixed=fixed)
    host, port = bound.getsockname()[:2]
    config = uvicorn.Config(
        application,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    server = _Server(config)
    serving = asyncio.ensure_future(server.serve(sockets=[bound]))
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}"
    finally:
        server.should_exit = True
        await serving
        bound.close()


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers. The process handles signals itself, so that its services can finish first."""
        yield


def _bound(address: str, *, fixed: bool) -> socket.socket:
    host, port = parse_address(address)
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ServerFailed(f"cannot serve HTTP at {address}: {error.strerror or error}") from error
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind(where)
        except OSError as error:
            if fixed or error.errno != errno.EADDRINUSE:
                raise
            found.bind((host, 0))
        found.listen()
    except OSError as error:
        found.close()
        raise ServerFailed(f"cannot serve HTTP at {address}: {error.strerror or error}") from error
    return found
