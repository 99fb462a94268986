"""The address of the HTTP server of a platform, and who may use it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Self

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

    @classmethod
    def of(
        cls,
        address: str | None,
        *,
        read_only: bool = False,
        proxy_header: str | None = None,
        proxies: str | None = None,
        allow_origin: Iterable[str] = (),
    ) -> Self:
        """Return the options of a command line.

        Args:
            address: HOST:PORT; None for the default, where another port is taken if its own is in use.
            read_only: True to refuse every change.
            proxy_header: Header in which a proxy names the client.
            proxies: Addresses of these proxies, comma-separated; None for those of this machine.
            allow_origin: Origins of other sites whose pages may call the HTTP API.

        Raises:
            ValueError: An address or an origin is invalid.
        """
        parse_address(address or DEFAULT_ADDRESS)
        known = tuple(str(ip_address(proxy.strip())) for proxy in proxies.split(",")) if proxies else cls.proxies
        origins = tuple(map(_origin, allow_origin))
        return cls(address or DEFAULT_ADDRESS, address is not None, read_only, proxy_header, known, origins)

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


def is_loopback(host: str) -> bool:
    """Return True for `localhost` and for addresses of the loopback interface."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
