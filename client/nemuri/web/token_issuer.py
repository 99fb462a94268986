"""Access tokens of an external authorization server, for assistants that sign in with OAuth (RFC 9068, RFC 9728)."""

import asyncio
import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import urlopen

import jwt
from pydantic import TypeAdapter, ValidationError

from nemuri.web.principals import Principal
from nemuri.web.problems import Problem
from nemuri_contracts.event import OPERATOR, Identifier

READ, WRITE = "read", "write"
SCOPES: Final = (READ, WRITE)
"""Scopes of a token: to read memories; to change them too."""
ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
DISCOVERY: Final = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration")
"""Paths of an issuer's metadata: RFC 8414, and OpenID Connect Discovery."""
REQUIRED: Final = ("iss", "aud", "exp", "sub")
FETCH_SECONDS: Final = 5
METADATA_PATH: Final = "/.well-known/oauth-protected-resource"


@dataclass(slots=True)
class TokenIssuer:
    """An authorization server whose tokens for this resource are accepted. Its keys are fetched when first needed."""

    issuer: str
    """URL of the server, as in the claim `iss` of its tokens."""
    resource: str
    """URL of the MCP endpoint as clients know it, which is the audience of the tokens."""
    _keys: jwt.PyJWKClient | None = field(default=None, repr=False)

    @property
    def metadata_url(self) -> str:
        """Return the URL of the resource's metadata (RFC 9728 §3.1)."""
        scheme, _, rest = self.resource.partition("://")
        host, _, path = rest.partition("/")
        return f"{scheme}://{host}{METADATA_PATH}/{path}"

    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the resource (RFC 9728 §2), by which a client finds the authorization server."""
        return {
            "resource": self.resource,
            "authorization_servers": [self.issuer],
            "scopes_supported": [*SCOPES],
            "bearer_methods_supported": ["header"],
            "resource_name": "Nemuri",
        }

    def challenge(self, error: str = "") -> dict[str, str]:
        """Return the header of an answer 401 or 403 that tells where the metadata are."""
        told = f', error="{error}"' if error else ""
        return {"WWW-Authenticate": f'Bearer resource_metadata="{self.metadata_url}"{told}'}

    async def principal_of(self, token: str) -> Principal:
        """Return the client that a token names: its `sub`, or a name made from it, with the rights of its scopes.

        Raises `Problem` 401 for a token that is not valid here, 403 for one without a scope, and 503 if the issuer's
        keys cannot be fetched.
        """
        try:
            claims = await asyncio.to_thread(self._claims, token)
        except (OSError, jwt.PyJWKClientConnectionError, ValueError) as error:
            raise Problem(503, f"the keys of {self.issuer} cannot be fetched: {error}") from error
        except jwt.PyJWTError as error:
            raise Problem(401, f"the token is not valid here: {error}", self.challenge("invalid_token")) from error
        scopes = set(str(claims.get("scope") or "").split())
        if not scopes.intersection(SCOPES):
            raise Problem(403, f"the token needs the scope {READ!r} or {WRITE!r}", self.challenge("insufficient_scope"))
        return Principal(_client_id(str(claims["sub"])), read_only=WRITE not in scopes)

    def _claims(self, token: str) -> dict[str, Any]:
        """Return the claims of a token after its signature, issuer, audience and time were checked. Blocks."""
        jwt.decode_complete(token, options={"verify_signature": False})
        if self._keys is None:
            self._keys = jwt.PyJWKClient(self._keys_url(), timeout=FETCH_SECONDS)
        key = self._keys.get_signing_key_from_jwt(token)
        return jwt.decode(
            token,
            key,
            algorithms=ALGORITHMS,
            audience=self.resource,
            issuer=self.issuer,
            options={"require": [*REQUIRED]},
        )

    def _keys_url(self) -> str:
        """Return the URL of the issuer's keys, from its metadata. Raises `OSError` or ValueError without any."""
        failure: Exception = ValueError("it has no metadata")
        for path in DISCOVERY:
            try:
                with urlopen(f"{self.issuer.rstrip('/')}{path}", timeout=FETCH_SECONDS) as answer:  # noqa: S310 - options check it
                    return str(json.load(answer)["jwks_uri"])
            except HTTPError as error:
                error.close()
                failure = error
            except (OSError, ValueError, KeyError) as error:
                failure = error
        raise ValueError(str(failure))


def _client_id(subject: str) -> str:
    """Return a subject as the name of a client; a digest of it where it cannot be one, or would be the operator's."""
    try:
        name = TypeAdapter(Identifier).validate_python(subject)
    except ValidationError:
        name = OPERATOR
    return f"sub-{sha256(subject.encode()).hexdigest()[:24]}" if name == OPERATOR else name
