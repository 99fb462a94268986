"""The middleware that every request passes: host, identity, read-only mode and the headers of every answer."""

from collections.abc import Iterable
from dataclasses import dataclass

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nemuri.web.authentication import MCP_PATH, SAFE_METHODS, Authenticator
from nemuri.web.error_answers import answer_problem
from nemuri.web.options import is_loopback
from nemuri.web.problems import Problem
from nemuri.web.token_issuer import METADATA_PATH

PUBLIC = ("/health", "/ready", "/metrics", "/static/", "/enter", METADATA_PATH)
"""Beginnings of the paths that need no identity."""
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Nothing is loaded from elsewhere, and no script or style stands in a page."""
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Gatekeeper:
    """Lets a request pass if its host, its identity and its method are allowed."""

    application: ASGIApp
    authenticator: Authenticator
    writing_paths: Iterable[str] = (MCP_PATH,)
    """Beginnings of the paths whose POST requests may be mere questions. They check read-only mode themselves."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        request = HTTPConnection(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._check(request, scope)
        except Problem as problem:
            await answer_problem(request, problem)(scope, receive, send_with_headers)
            return
        await self.application(scope, receive, send_with_headers)

    async def _check(self, request: HTTPConnection, scope: Scope) -> None:
        path, method = scope["path"], scope["method"]
        self._check_host(request)
        if path.startswith(PUBLIC):
            return
        identity = await self.authenticator.identify(request)
        if identity is None:
            issuer = self.authenticator.issuer_for(path)
            challenge = {"WWW-Authenticate": "Bearer"} if issuer is None else issuer.challenge()
            raise Problem(401, "a token is needed", challenge)
        scope["principal"], scope["identity"] = identity.principal, identity
        if method in SAFE_METHODS:
            return
        self.authenticator.check_change(request, identity)
        read_only = self.authenticator.options.read_only or identity.principal.read_only
        if read_only and not path.startswith(tuple(self.writing_paths)):
            raise Problem(403, "this server is read-only for you; nothing was changed")

    def _check_host(self, request: HTTPConnection) -> None:
        """Refuse other host names on a loopback address, because another site may have given its own name to it."""
        host = request.headers.get("host", "").rsplit(":", 1)[0].removeprefix("[").removesuffix("]")
        if self.authenticator.options.loopback and not is_loopback(host):
            raise Problem(421, f"this server is not {host!r:.80}; use the address that `nemuri up` printed")
