"""A minimal NATS client over a plain socket. Hooks use it because loading a NATS driver takes too long.

It imports only the standard library. It sends one request at a time over one connection.
"""

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

from nemuri_contracts.wire_constants import INBOX

if TYPE_CHECKING:
    from nemuri_infra.process.hook_settings import HookSettings

PORT = 4222
ANSWER_SECONDS = 15.0
"""Maximum number of seconds until an answer must arrive."""
READ_BYTES = 65_536
NO_RESPONDERS = b"503"
TIMEOUT_MESSAGE = "the NATS server or the platform did not answer in time"


class PlainError(Exception):
    """The server or the responder refused the request. The message is one line."""


class MessageTooLargeError(PlainError):
    """The message exceeds the server's limit."""


def connect(where: "HookSettings", limit: float | None = None) -> "PlainConnection":
    """Connect to the first of the platform's servers that accepts the connection.

    `limit` is the number of seconds, from now, in which all requests together must be done. Each request may take at
    most `ANSWER_SECONDS`. Raises `PlatformNotFound` if no running platform is found, and `PlainError` or `OSError`
    (including `TimeoutError`) if no server accepts the connection.
    """
    end = float("inf") if limit is None else time.monotonic() + limit
    addresses = [server.strip() for server in where.nats_address.split(",")]
    trouble: Exception = PlainError("no NATS server is configured")
    for number, address in enumerate(addresses):
        share = min(ANSWER_SECONDS, end - time.monotonic()) / (len(addresses) - number)
        try:
            return PlainConnection(address, addresses[0], where, share, end)
        except (OSError, PlainError) as error:
            trouble = error
    raise trouble


class PlainConnection:
    """A connection to a NATS server, for one request at a time."""

    def __init__(self, address: str, named: str, where: "HookSettings", share: float, end: float) -> None:
        """Connect to `address` within `share` seconds.

        `named` is the address from which the user and password are taken, if it contains any. `end` is the monotonic
        time in seconds at which all requests must be done.
        """
        self._buffer, self._asked, self._end = bytearray(), 0, end
        self._until = min(end, time.monotonic() + share)
        scheme, _, sequence = address.rpartition("://")
        host, _, port = sequence.rpartition("@")[2].rpartition(":")
        host, port = (host, port) if host and port.isdigit() else (sequence.rpartition("@")[2].rstrip(":"), str(PORT))
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=self._left())
        # Without this option the system delays data by up to 40 ms, until the server has acknowledged earlier data.
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            self._greet(host.strip("[]"), named, where, encrypted=scheme == "tls")
        except BaseException:
            self._socket.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def request(self, subject: str, data: bytes, message_id: str | None = None) -> bytes:
        """Send a request, wait for the answer and return it.

        `message_id` becomes the header `Nats-Msg-Id`. Raises `MessageTooLargeError` if the message exceeds the server's
        limit, `PlainError` if nobody answers on the subject, and `OSError`, including `TimeoutError`.
        """
        if len(data) + len(message_id or "") > self._room:
            raise MessageTooLargeError(f"a message of {len(data)} bytes exceeds the NATS server's limit")
        self._until = min(self._end, time.monotonic() + ANSWER_SECONDS)
        self._asked += 1
        reply = f"{self._inbox}.{self._asked}"
        if message_id is None:
            head = f"PUB {subject} {reply} {len(data)}\r\n".encode()
        else:
            headers = f"NATS/1.0\r\nNats-Msg-Id: {message_id}\r\n\r\n"
            head = f"HPUB {subject} {reply} {len(headers)} {len(headers) + len(data)}\r\n{headers}".encode()
        self._send(head + data + b"\r\n")
        while True:
            to, status, answer = self._message()
            if to == reply.encode():
                if status == NO_RESPONDERS:
                    raise PlainError(f"no answer on {subject}; is the platform running?")
                return answer

    def append(self, subject: str, data: bytes, message_id: str) -> None:
        """Append an event to the log and return once it is on disk.

        Raises the errors of `request`, and `PlainError` if the log rejects the event.
        """
        said = json.loads(self.request(subject, data, message_id))
        if said.get("error") or not said.get("seq"):  # a refusal has sequence 0
            raise PlainError(f"the log rejected a message on {subject}: {said.get('error')}")

    def _greet(self, host: str, named: str, where: "HookSettings", *, encrypted: bool) -> None:
        info = json.loads(self._line().removeprefix(b"INFO "))
        if encrypted or info.get("tls_required") or where.nats_ca or where.nats_certificate:
            self._encrypt(host, where)
        inbox, who, password = INBOX, dict[str, str](), ""
        if "@" in named:
            user, password = _credentials(named)
            inbox, who = f"{INBOX}.{user}", {"user": user, "pass": password}
        if not password and (where.nats_credentials or where.nats_nkey):
            who = _signed_login(where, str(info.get("nonce", "")))
        self._inbox = f"{inbox}.{os.urandom(12).hex()}"
        self._room = int(info["max_payload"])
        about = {"verbose": False, "pedantic": False, "lang": "python", "version": "0", "name": "nemuri-hook"}
        spoken = json.dumps(about | who | {"protocol": 1, "headers": True, "no_responders": True})
        self._send(f"CONNECT {spoken}\r\nPING\r\n".encode())
        while self._line() != b"PONG":
            pass
        self._send(f"SUB {self._inbox}.* 1\r\n".encode())

    def _encrypt(self, host: str, where: "HookSettings") -> None:
        import ssl
        from pathlib import Path

        from nemuri_infra.bus.access import Access
        from nemuri_infra.bus.key_login import AccessError

        ca, ours, key = (
            Path(path) if path else None for path in (where.nats_ca, where.nats_certificate, where.nats_key)
        )
        try:
            context = Access(ca, ours, key).tls() or ssl.create_default_context()
        except AccessError as error:
            raise PlainError(str(error)) from error
        self._socket.settimeout(self._left())
        self._socket = context.wrap_socket(self._socket, server_hostname=host)

    def _message(self) -> tuple[bytes, bytes | None, bytes]:
        """Wait for the next message and return its subject, its status and its body. Without headers the status is
        None.
        """
        while True:
            kind, _, rest = self._line().partition(b" ")
            parts = rest.split()
            if kind == b"MSG":
                return parts[0], None, self._take(int(parts[-1]))
            if kind == b"HMSG":
                whole, headed = self._take(int(parts[-1])), int(parts[-2])
                return parts[0], whole[:headed].split(b"\r\n")[0].partition(b" ")[2].strip()[:3], whole[headed:]

    def _line(self) -> bytes:
        """Wait for the next protocol line that is not empty, and return it. Pings that arrive before it are answered.

        Raises `PlainError` if the server reports an error.
        """
        while True:
            while (end := self._buffer.find(b"\r\n")) < 0:
                self._more()
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 2]
            if line == b"PING":
                self._send(b"PONG\r\n")
            elif line.startswith(b"-ERR"):
                raise PlainError(f"the NATS server says {line[5:205].decode(errors='replace')}")
            elif line:
                return line

    def _take(self, length: int) -> bytes:
        while len(self._buffer) < length + 2:
            self._more()
        taken = bytes(self._buffer[:length])
        del self._buffer[: length + 2]
        return taken

    def _more(self) -> None:
        self._socket.settimeout(self._left())
        try:
            got = self._socket.recv(READ_BYTES)
        except TimeoutError as error:
            raise TimeoutError(TIMEOUT_MESSAGE) from error
        if not got:
            raise PlainError("the NATS server closed the connection")
        self._buffer += got

    def _send(self, data: bytes) -> None:
        self._socket.settimeout(self._left())
        self._socket.sendall(data)

    def _left(self) -> float:
        left = self._until - time.monotonic()
        if left <= 0:
            raise TimeoutError(TIMEOUT_MESSAGE)
        return left


def request_once(where: "HookSettings", subject: str, asked: dict[str, Any]) -> bytes:
    """Connect to the platform, send one request within the hook's patience, and return the answer.

    Raises the errors of `connect` and of `PlainConnection.request`.
    """
    connection = connect(where, where.patience)
    try:
        return connection.request(subject, json.dumps(asked).encode())
    finally:
        connection.close()


def _credentials(address: str) -> tuple[str, str]:
    """Return the user and the password in an address."""
    user, _, password = address.rpartition("@")[0].rpartition("://")[2].partition(":")
    if "%" in address:
        from urllib.parse import unquote  # imported only if needed; the embedded server's password needs no decoding

        return unquote(user), unquote(password)
    return user, password


def _signed_login(where: "HookSettings", nonce: str) -> dict[str, str]:
    """Return the fields of CONNECT for a login with a key. Raises `PlainError` if the key cannot be used."""
    from pathlib import Path

    from nemuri_infra.bus.key_login import AccessError, KeyLogin

    try:
        login = KeyLogin.of(*(Path(path) if path else None for path in (where.nats_credentials, where.nats_nkey)))
        return login.answer(nonce) if login else {}
    except AccessError as error:
        raise PlainError(str(error)) from error
