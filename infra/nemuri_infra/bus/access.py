"""Parameters of a connection to NATS: user, keys, certificates and JetStream domain."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from nemuri_contracts import wire_constants
from nemuri_infra.bus.key_login import AccessError, KeyLogin

if TYPE_CHECKING:
    import ssl

    from nats.aio.msg import Msg

REQUEST_INFO_HEADER = "Nats-Request-Info"
"""Header of a request, in which the server names the account of the sender.

Present only if that account shares this information.
"""
API_PREFIX = "$JS.API"
"""Prefix of the subjects of JetStream's requests to the connected server's own domain."""
INBOX = wire_constants.INBOX
"""Inbox prefix of connections without a user name."""


@dataclass(frozen=True, slots=True)
class Access:
    """The parameters of a connection to NATS, except its address."""

    ca: Path | None = None
    """Certificate authority that signed the server's certificate; None if the system trusts it already."""
    certificate: Path | None = None
    """Client certificate; None if the server requires none."""
    key: Path | None = None
    domain: str | None = None
    """JetStream domain, for a client in an account that imports the streams of another account.

    None in the account that owns the streams, unless that account is reached through a leaf node without the domain.
    """
    credentials: Path | None = None
    """Credentials file with a user's JWT and the seed of its NKey. Not used for addresses with a password."""
    nkey: Path | None = None
    """File with the seed of a user's NKey. Not used for addresses with a password."""

    def login(self, url: str) -> KeyLogin | None:
        """Return the login with a key for the addresses in `url`; None if they have a password or no key is set.

        Raises `AccessError` if the file cannot be used.
        """
        known = credentials(url)
        return None if known is not None and known.password else KeyLogin.of(self.credentials, self.nkey)

    def tls(self) -> "ssl.SSLContext | None":
        """Return the TLS context; None if neither `ca` nor `certificate` is set.

        Without a context the scheme of the address decides: `tls://` means an encrypted connection. Raises
        `AccessError` if a file cannot be used.
        """
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


def api_prefix(domain: str | None) -> str:
    """Return the prefix of JetStream's requests in a domain; None for the domain of the connected server."""
    return API_PREFIX if domain is None else f"$JS.{domain}.API"


class Credentials(NamedTuple):
    """The user and the password in the address of a server."""

    user: str
    password: str


def servers(url: str) -> list[str]:
    """Return the addresses in a comma-separated list, with user names and passwords removed."""
    parts = (address.strip().rpartition("@") for address in url.split(","))
    return [f"{named.partition('://')[0]}://{host}" if named else host for named, _, host in parts]


def credentials(url: str) -> Credentials | None:
    """Return the user and password in the first address of a comma-separated list; None if it has none.

    All servers accept the same credentials. They are passed to the driver separately from the addresses, because a
    cluster announces further servers later, without credentials.
    """
    first = urlsplit(url.split(",", maxsplit=1)[0].strip())
    return None if first.username is None else Credentials(unquote(first.username), unquote(first.password or ""))


def inbox(user: str | None) -> str:
    """Return the prefix of the subjects on which a user receives answers. Only that user may subscribe to them."""
    return f"{INBOX}.{user}" if user else INBOX


def sender_of(message: "Msg") -> str:
    """Return a text that identifies the sender of a query.

    It is the sender's account if the server names one, otherwise the inbox prefix to which the answer is sent.
    """
    told = (message.headers or {}).get(REQUEST_INFO_HEADER)
    if told is not None:
        try:
            return str(json.loads(told)["acc"])
        except (ValueError, TypeError, KeyError):
            return REQUEST_INFO_HEADER
    return message.reply.rpartition(".")[0]


def options(url: str, access: Access) -> dict[str, Any]:
    """Return the keyword arguments of `nats.connect` for the addresses in `url` and for `access`.

    A user without a password in the address of a login with a key is not sent: it only names the inbox. Raises
    `AccessError` if a file cannot be used.
    """
    known, login = credentials(url), access.login(url)
    encrypted = {"tls": context} if (context := access.tls()) else {}
    named: dict[str, Any] = {}
    if login is not None:
        named = _signed(login)
    elif known is not None:
        named = {"user": known.user, "password": known.password}
    return {"servers": servers(url), "inbox_prefix": inbox(known.user if known else None), **named, **encrypted}


def _signed(login: KeyLogin) -> dict[str, Any]:
    """Return the keyword arguments of `nats.connect` for a login with a key.

    The file is read again for each connection, because managed servers replace credentials before they expire.
    """
    if login.jwt is None:
        return {"nkeys_seed": str(login.path)}
    from nats.errors import Error as NatsError  # hooks use this module without the driver

    def again() -> KeyLogin:
        try:
            return login.read_again()
        except AccessError as error:  # The driver tries again only after errors of its own.
            raise NatsError(str(error)) from error

    return {
        "user_jwt_cb": lambda: bytearray((again().jwt or "").encode()),
        "signature_cb": lambda nonce: again().signature(nonce).encode(),
    }
