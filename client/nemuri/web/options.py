"""The address of the HTTP server of a platform, and who may use it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from nemuri.web.http_server import parse_address

DEFAULT_ADDRESS = "127.0.0.1:7411"
"""Address of the window if none is given. If its port is taken, any free port is used."""
_ORIGIN = re.compile(r"(?P<site>(?P<scheme>https?)://([a-z0-9._-]+|\[[0-9a-f:.]+\]))(:(?P<port>[0-9]{1,5}))?/?")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
"""Ports that browsers leave out of an origin, by scheme."""


@dataclass(frozen=True)
class WebOptions:
    """The address of the HTTP server, and how requests are authenticated."""

    address: str = DEFAULT_ADDRESS
    fixed: bool = False
    """True if another port must not be taken instead."""
    read_only: bool = False
    """True to refuse every change, whoever asks for it."""
    proxy_header: str | None = None
    """Header in which a proxy names the client that it has authenticated. None to require a token."""
    proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    """Addresses of the proxies whose header is believed."""
    origins: tuple[str, ...] = ()
    """Origins of other sites, such as `https://app.example.org`, whose pages may call the HTTP API with a token."""

    issuer: str | None = None
    """URL of an authorization server whose tokens are accepted for MCP. None for our own tokens only."""
    public_url: str | None = None
    """URL of this server as clients know it, if it is another one than its address."""

    @classmethod
    def of(
        cls,
        address: str | None,
        *,
        read_only: bool = False,
        proxy_header: str | None = None,
        proxies: str | None = None,
        allow_origin: Iterable[str] = (),
        issuer: str | None = None,
        public_url: str | None = None,
    ) -> Self:
        """Return the options of a command line.

        Args:
            address: HOST:PORT; None for the default, where another port is taken if its own is in use.
            read_only: True to refuse every change.
            proxy_header: Header in which a proxy names the client.
            proxies: Addresses of these proxies, comma-separated; None for those of this machine.
            allow_origin: Origins of other sites whose pages may call the HTTP API.
            issuer: URL of an authorization server whose tokens are accepted for MCP.
            public_url: URL of this server as clients know it. An issuer needs one.

        Raises:
            ValueError: An address, an origin or a URL is invalid.
        """
        parse_address(address or DEFAULT_ADDRESS)
        known = tuple(str(ip_address(proxy.strip())) for proxy in proxies.split(",")) if proxies else cls.proxies
        origins = tuple(map(_origin, allow_origin))
        named = None if issuer is None else _url(issuer, "issuer")
        public = None if public_url is None else _url(public_url, "public-url").rstrip("/")
        if named is not None and public is None:
            raise ValueError("--issuer needs --public-url, the address in its tokens' audience")
        bound = address or DEFAULT_ADDRESS
        return cls(bound, address is not None, read_only, proxy_header, known, origins, named, public)

    @property
    def loopback(self) -> bool:
        """Return True if only programs on this machine can reach the address."""
        return is_loopback(parse_address(self.address)[0])


def _origin(text: str) -> str:
    """Return an origin in the form in which browsers send it. Raises `ValueError`."""
    found = _ORIGIN.fullmatch(text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r:.80} is no origin; write one as https://app.example.org")
    site, scheme, port = found.group("site", "scheme", "port")
    return site if port in {None, _DEFAULT_PORTS[scheme]} else f"{site}:{port}"


def _url(text: str, option: str) -> str:
    """Return a URL. Raises `ValueError`: tokens must not travel in the clear but on this machine."""
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(f"--{option}: {text!r:.80} is no URL; write one as https://memory.example.org")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise ValueError(f"--{option}: {text!r:.80} must begin with https://")
    return text


def is_loopback(host: str) -> bool:
    """Return True for `localhost` and for addresses of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
