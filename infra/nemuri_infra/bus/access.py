"""Access to the log's server: user, certificates and account."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from nemuri_contracts import wire_constants

if TYPE_CHECKING:
    import ssl

    from nats.aio.msg import Msg

REQUEST_INFO_HEADER = "Nats-Request-Info"
"""Header in which the server names the account that a request comes from, if that account shares it."""
INBOX = wire_constants.INBOX
"""Inbox prefix of connections without a user name."""


class AccessError(Exception):
    """The certificates cannot be used. The message is one line that says why."""


@dataclass(frozen=True, slots=True)
class Access:
    """The parameters of a connection beside its address."""

    ca: Path | None = None
    """Certificate authority of the server, if the system does not trust it already."""
    certificate: Path | None = None
    """Client certificate, for servers that ask for one."""
    key: Path | None = None
    domain: str | None = None
    """JetStream domain of an account that imports its stream requests; None for the account that owns the streams."""

    def tls(self) -> "ssl.SSLContext | None":
        """Return the TLS context; None if the address alone decides (`tls://`). Raises `AccessError`."""
        if self.ca is None and self.certificate is None:
            return None
        import ssl  # imported only for encrypted connections

        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except OSError as error:
            raise AccessError(f"the certificates for NATS cannot be used: {error}; check NEMURI_NATS_CA") from error
        return context


class Credentials(NamedTuple):
    """User and password of an address."""

    user: str
    password: str


def servers(url: str) -> list[str]:
    """Return the addresses of a comma-separated list without their credentials."""
    parts = (each.strip().rpartition("@") for each in url.split(","))
    return [f"{named.partition('://')[0]}://{host}" if named else host for named, _, host in parts]


def credentials(url: str) -> Credentials | None:
    """Return the credentials, which are the same for all servers. Servers that a cluster announces later have none in
    their address.
    """
    first = urlsplit(url.split(",", maxsplit=1)[0].strip())
    return None if first.username is None else Credentials(unquote(first.username), unquote(first.password or ""))


def inbox(user: str | None) -> str:
    """Return the inbox prefix of a user. Only that user may subscribe to it."""
    return f"{INBOX}.{user}" if user else INBOX


def sender_of(message: "Msg") -> str:
    """Return the sender of a query: the account that the server names, else the connection that gets the answer."""
    told = (message.headers or {}).get(REQUEST_INFO_HEADER)
    if told is not None:
        try:
            return str(json.loads(told)["acc"])
        except (ValueError, TypeError, KeyError):
            return REQUEST_INFO_HEADER
    return message.reply.rpartition(".")[0]


def options(url: str, access: Access) -> dict[str, Any]:
    """Return the arguments of `nats.connect` for an address. Raises `AccessError`."""
    known = credentials(url)
    named = {"user": known.user, "password": known.password} if known else {}
    encrypted = {"tls": context} if (context := access.tls()) else {}
    return {"servers": servers(url), "inbox_prefix": inbox(known.user if known else None), **named, **encrypted}
