"""How a process is let in by the log's server: who it is, by which certificates, through whose account."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from nemuri_contracts import wire_constants

if TYPE_CHECKING:
    import ssl

    from nats.aio.msg import Msg

ASKED_BY = "Nats-Request-Info"
"""What the server says of who asks from another account, where the account that is asked may know it."""
INBOX = wire_constants.INBOX
"""Where answers come back to whoever has no name."""


class AccessError(Exception):
    """The certificates cannot be used; the text says why in one line."""


@dataclass(frozen=True, slots=True)
class Access:
    """What beside an address it takes to be let in; by default nothing."""

    ca: Path | None = None
    """Who vouches for the server, where the system's own authorities do not."""
    certificate: Path | None = None
    """What shows a server that asks for it who we are."""
    key: Path | None = None
    domain: str | None = None
    """The name under which an account was lent what it may do with streams; None for who has streams of its own."""

    def tls(self) -> "ssl.SSLContext | None":
        """What to encrypt with; None leaves it to the address, `tls://` or not. Raises `AccessError`."""
        if self.ca is None and self.certificate is None:
            return None
        import ssl  # only who encrypts waits for it

        try:
            context = ssl.create_default_context(cafile=self.ca)
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except OSError as error:
            raise AccessError(f"the certificates for NATS cannot be used: {error}; check NEMURI_NATS_CA") from error
        return context


class Credentials(NamedTuple):
    """Who a process is, as its address says."""

    user: str
    password: str


def servers(url: str) -> list[str]:
    """The addresses in a comma-separated list, without who asks."""
    parts = (each.strip().rpartition("@") for each in url.split(","))
    return [f"{named.partition('://')[0]}://{host}" if named else host for named, _, host in parts]


def credentials(url: str) -> Credentials | None:
    """Who asks, the same of all servers: those that a cluster tells of later have no name in their address."""
    first = urlsplit(url.split(",", maxsplit=1)[0].strip())
    return None if first.username is None else Credentials(unquote(first.username), unquote(first.password or ""))


def inbox(user: str | None) -> str:
    """Where answers come back to a user, and to nobody else."""
    return f"{INBOX}.{user}" if user else INBOX


def asker_of(message: "Msg") -> str:
    """Who asks a question: the account that the server names, else the connection that the answer goes to."""
    told = (message.headers or {}).get(ASKED_BY)
    if told is not None:
        try:
            return str(json.loads(told)["acc"])
        except (ValueError, TypeError, KeyError):
            return ASKED_BY
    return message.reply.rpartition(".")[0]


def options(url: str, access: Access) -> dict[str, Any]:
    """How `nats.connect` is called for an address. Raises `AccessError`."""
    known = credentials(url)
    named = {"user": known.user, "password": known.password} if known else {}
    encrypted = {"tls": context} if (context := access.tls()) else {}
    return {"servers": servers(url), "inbox_prefix": inbox(known.user if known else None), **named, **encrypted}
