"""Who makes a request: a bearer token, the cookie of the window, or a client that a trusted proxy names."""

from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest, digest

from pydantic import TypeAdapter, ValidationError
from starlette.requests import HTTPConnection

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.problems import Problem
from nemuri.web.token_issuer import TokenIssuer
from nemuri.web.tokens import Tokens, digest_of
from nemuri_contracts.event import Identifier

CSRF_HEADER = "X-CSRF-Token"
MCP_PATH = "/mcp"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def cookie_name(request: HTTPConnection) -> str:
    """Return the name of the session's cookie. It contains the port, because browsers share cookies between ports."""
    return f"nemuri_session_{request.url.port or 'default'}"


@dataclass(frozen=True, slots=True)
class Identity:
    """The principal of a request, and how it was recognised."""

    principal: Principal
    by_browser: bool
    """True if the browser attached the proof by itself (cookie or proxy), so that other sites could use it."""
    session: str = ""
    """Value that the change token of the window is bound to."""


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Recognises the principals of requests."""

    tokens: Tokens
    options: WebOptions
    secret: str
    """Secret that signs cookies."""
    issuer: TokenIssuer | None = None
    """Authorization server whose tokens are accepted for MCP, beside our own."""

    async def identify(self, request: HTTPConnection) -> Identity | None:
        """Return who makes a request; None if it carries no proof. Raises `Problem` 401 for a wrong proof."""
        issuer = self.issuer_for(request.url.path)
        if (given := request.headers.get("authorization")) is not None:
            return Identity(await self._of_bearer(given, issuer), by_browser=False)
        if (named := self._named_by_proxy(request)) is not None:
            return Identity(named, by_browser=True, session=f"proxy {named.client_id}")
        cookie = request.cookies.get(cookie_name(request), "")
        principal = self._of_cookie(cookie) if cookie else None
        return Identity(principal, by_browser=True, session=cookie) if principal else None

    def issuer_for(self, path: str) -> TokenIssuer | None:
        """Return the issuer whose tokens are accepted at a path; None if only our own are."""
        return self.issuer if path == MCP_PATH or path.startswith(f"{MCP_PATH}/") else None

    def cookie_of(self, token: str) -> str | None:
        """Return the value of the cookie for a token; None for an unknown token. It does not contain the token."""
        if self.tokens.find(token) is None:
            return None
        known = digest_of(token)
        return f"{known}.{self._signed(f'cookie {known}')}"

    def change_token(self, identity: Identity) -> str:
        """Return the token that every change from a page of this session must send in the header `CSRF_HEADER`."""
        return self._signed(f"change {identity.session}")

    def check_change(self, request: HTTPConnection, identity: Identity) -> None:
        """Raise `Problem` 403 if a change comes from another site, or without the session's change token."""
        if not identity.by_browser:
            return
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        own = {f"{scheme}://{request.headers.get('host', '')}" for scheme in ("http", "https")}
        if (site is not None and site != "same-origin") or (origin is not None and origin not in own):
            raise Problem(403, "a change must come from a page of this window, not from another site")
        if site is None and origin is None:
            raise Problem(403, "a change from a browser must say where it comes from (Origin or Sec-Fetch-Site)")
        given = request.headers.get(CSRF_HEADER, "")
        if not compare_digest(given.encode(), self.change_token(identity).encode()):
            raise Problem(403, "the page is out of date; reload it and try again")

    async def _of_bearer(self, header: str, issuer: TokenIssuer | None) -> Principal:
        scheme, _, token = header.partition(" ")
        bearer = scheme.lower() == "bearer"
        found = self.tokens.find(token.strip()) if bearer else None
        if found is None and bearer and issuer is not None:
            return await issuer.principal_of(token.strip())
        if found is None:
            raise Problem(401, "the token is unknown or revoked; `nemuri token add CLIENT` makes one")
        return found

    def _of_cookie(self, cookie: str) -> Principal | None:
        known, _, signature = cookie.partition(".")
        if not compare_digest(signature.encode(), self._signed(f"cookie {known}").encode()):
            return None
        return self.tokens.find_digest(known)

    def _named_by_proxy(self, request: HTTPConnection) -> Principal | None:
        header = self.options.proxy_header
        if header is None or request.client is None or request.client.host not in self.options.proxies:
            return None
        name = request.headers.get(header)
        if name is None:
            return None
        try:
            return Principal(TypeAdapter(Identifier).validate_python(name))
        except ValidationError as error:
            raise Problem(401, f"the proxy names {name!r:.80}, which is no name of a client") from error

    def _signed(self, text: str) -> str:
        return digest(self.secret.encode(), text.encode(), sha256).hex()
