"""A small authorization server on the loopback, of the SDK's routes: registration, codes with PKCE, signed tokens."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
)
from mcp.server.auth.routes import build_metadata, create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from nemuri.web.http_server import serve_application
from nemuri.web.token_issuer import SCOPES

KEY_ID = "one"
METADATA = "/.well-known/oauth-authorization-server"
REGISTRATION = ClientRegistrationOptions(enabled=True, valid_scopes=[*SCOPES], default_scopes=[*SCOPES])


@dataclass(slots=True)
class Authority(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """The state of the server. It lets the person `subject` in without asking, and signs tokens with one key."""

    subject: str = "ann"
    lifetime: int = 60
    """Seconds for which a token is valid."""
    url: str = ""
    key: RSAPrivateKey = field(default_factory=lambda: generate_private_key(65537, 2048))
    clients: dict[str, OAuthClientInformationFull] = field(default_factory=dict)
    codes: dict[str, AuthorizationCode] = field(default_factory=dict)
    refreshes: dict[str, RefreshToken] = field(default_factory=dict)
    resources: list[str | None] = field(default_factory=list)
    """The resource that each authorization named (RFC 8707)."""
    granted: list[str] = field(default_factory=list)
    """The kind of each grant that gave a token."""

    @classmethod
    @asynccontextmanager
    async def serving(cls, **options: Any) -> AsyncIterator[Self]:
        """Serve an authorization server at a free port of the loopback, and yield its state."""
        authority, application = cls(**options), Starlette()
        async with serve_application(application, "127.0.0.1:0") as url:
            authority.url = url
            application.router.routes += [
                Route(METADATA, lambda _: JSONResponse(authority.metadata())),
                Route("/keys", lambda _: JSONResponse(authority.keys())),
                *create_auth_routes(authority, AnyHttpUrl(url), client_registration_options=REGISTRATION),
            ]
            yield authority

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        """Return a client that has registered."""
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        """Register a client."""
        self.clients[str(client_info.client_id)] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        """Return the address to which the browser goes back, with a code."""
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=str(client.client_id),
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
            subject=self.subject,
        )
        self.codes[code.code] = code
        self.resources.append(params.resource)
        return f"{params.redirect_uri}?{urlencode({'code': code.code, 'state': params.state or ''})}"

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        """Return a code of the client that was not used."""
        found = self.codes.get(authorization_code)
        return found if found is not None and found.client_id == client.client_id else None

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        """Return a token for a code, which is used up."""
        del self.codes[authorization_code.code]
        self.granted.append("authorization_code")
        return self._token(client, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        """Return a refresh token of the client that was not used."""
        found = self.refreshes.get(refresh_token)
        return found if found is not None and found.client_id == client.client_id else None

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        """Return a new token for a refresh token, which is used up."""
        if not set(scopes) <= set(refresh_token.scopes):
            raise TokenError("invalid_scope")
        del self.refreshes[refresh_token.token]
        self.granted.append("refresh_token")
        return self._token(client, scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:  # noqa: ARG002 - a method of the interface
        """Return nothing: the resource checks signatures itself."""
        return None

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        """Revoke nothing."""

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the server, with the address of its keys."""
        made = build_metadata(AnyHttpUrl(self.url), None, REGISTRATION, RevocationOptions())
        return made.model_dump(mode="json", exclude_none=True) | {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}

    def keys(self) -> dict[str, Any]:
        """Return the public key."""
        return {
            "keys": [
                jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True) | {"kid": KEY_ID, "use": "sig"}
            ]
        }

    def _token(self, client: OAuthClientInformationFull, scopes: list[str], resource: str | None) -> OAuthToken:
        claims = {
            "iss": self.url,
            "aud": resource,
            "sub": self.subject,
            "scope": " ".join(scopes),
            "exp": time.time() + self.lifetime,
        }
        refresh = RefreshToken(
            token=secrets.token_urlsafe(24), client_id=str(client.client_id), scopes=scopes, resource=resource
        )
        self.refreshes[refresh.token] = refresh
        return OAuthToken(
            access_token=jwt.encode(claims, self.key, "RS256", headers={"kid": KEY_ID}),
            expires_in=self.lifetime,
            scope=" ".join(scopes),
            refresh_token=refresh.token,
        )
