"""MCP with access tokens of an external authorization server: a stand-in on the loopback that signs them."""

import json
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import httpx2
import jwt
import pytest
import pytest_asyncio
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from mcp.shared.auth import ProtectedResourceMetadata

from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.token_issuer import TokenIssuer
from nemuri_contracts.event import OPERATOR
from nemuri_infra.runtime.settings import Settings
from tests.integration.harness import running_services
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway

pytestmark = [pytest.mark.connected]
PUBLIC = "https://memory.example.org"
ACCEPTED = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@dataclass(frozen=True)
class Issuer:
    """An authorization server that signs tokens with one key."""

    url: str
    key: RSAPrivateKey

    def token(self, key: RSAPrivateKey | None = None, **claims: Any) -> str:
        """Return a token for the gateway; `claims` override its usual ones, and None takes one away."""
        usual = {"iss": self.url, "aud": f"{PUBLIC}/mcp", "sub": "ann", "scope": "read write", "exp": time.time() + 60}
        given = {name: value for name, value in (usual | claims).items() if value is not None}
        return jwt.encode(given, key or self.key, "RS256", headers={"kid": "one"})


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    """An authorization server with metadata and keys."""
    key = generate_private_key(65537, 2048)
    public = jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True) | {"kid": "one", "use": "sig"}

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            pages = {
                "/.well-known/openid-configuration": {"issuer": url, "jwks_uri": f"{url}/keys"},
                "/keys": {"keys": [public]},
            }
            page = pages.get(self.path)
            self.send_response(200 if page else 404)
            self.end_headers()
            self.wfile.write(json.dumps(page).encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    url = f"http://127.0.0.1:{server.server_address[1]}"
    serving = Thread(target=server.serve_forever)
    serving.start()
    yield Issuer(url, key)
    server.shutdown()
    serving.join()
    server.server_close()


@pytest_asyncio.fixture(loop_scope="session")
async def gateway(settings: Settings, issuer: Issuer) -> AsyncIterator[Gateway]:
    """A gateway that accepts the issuer's tokens."""
    options = WebOptions(ANY_PORT, issuer=issuer.url, public_url=PUBLIC)
    async with running_services(settings, ["projector", "query-api"]), running_gateway(settings, options) as served:
        yield served


async def asked(gateway: Gateway, token: str | None, path: str = "/mcp") -> httpx2.Response:
    """Return the answer to the first request of an MCP client."""
    headers = ACCEPTED | ({"Authorization": f"Bearer {token}"} if token else {})
    async with httpx2.AsyncClient(base_url=gateway.served.url, timeout=30) as client:
        return await client.post(path, json=INITIALIZE, headers=headers)


async def test_an_assistant_finds_the_issuer_and_is_let_in_by_its_token(gateway: Gateway, issuer: Issuer) -> None:
    """An answer 401 names the metadata, which name the issuer, whose token is accepted for MCP and nothing else."""
    refused = await asked(gateway, None)
    assert refused.status_code == 401
    named = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp"
    assert refused.headers["www-authenticate"] == f'Bearer resource_metadata="{named}"'
    async with httpx2.AsyncClient(base_url=gateway.served.url) as stranger:
        metadata = (await stranger.get(urlsplit(named).path)).json()
        tasks = await stranger.get("/api/v1/tasks", headers={"Authorization": f"Bearer {issuer.token()}"})
    known = ProtectedResourceMetadata.model_validate(metadata)
    assert (str(known.resource), [*map(str, known.authorization_servers)]) == (f"{PUBLIC}/mcp", [issuer.url])
    assert (await asked(gateway, issuer.token())).status_code == 200
    assert tasks.status_code == 401


@pytest.mark.parametrize(
    ("claims", "status", "error"),
    [
        ({"aud": "https://other.example.org/mcp"}, 401, "invalid_token"),
        ({"iss": "https://other.example.org"}, 401, "invalid_token"),
        ({"exp": 1_000_000_000}, 401, "invalid_token"),
        ({"sub": None}, 401, "invalid_token"),
        ({"key": generate_private_key(65537, 2048)}, 401, "invalid_token"),
        ({"scope": "email"}, 403, "insufficient_scope"),
    ],
)
async def test_a_token_that_is_not_for_us_is_refused(
    gateway: Gateway, issuer: Issuer, claims: dict[str, Any], status: int, error: str
) -> None:
    """Another audience, issuer, time, key or scope is refused, and the answer says how to get a token."""
    answer = await asked(gateway, issuer.token(**claims))
    assert answer.status_code == status
    assert f'error="{error}"' in answer.headers["www-authenticate"]


async def test_a_token_gives_the_rights_of_its_scopes_to_a_client_that_is_never_the_operator(issuer: Issuer) -> None:
    """Without the scope to write nothing may be changed. A subject that is no name, or the operator's, gets another."""
    known = TokenIssuer(issuer.url, f"{PUBLIC}/mcp")
    assert await known.principal_of(issuer.token(scope="read")) == Principal("ann", read_only=True)
    assert await known.principal_of(issuer.token(scope="read write")) == Principal("ann")
    for subject in (OPERATOR, "auth0|a b", "あ" * 300):
        named = (await known.principal_of(issuer.token(sub=subject))).client_id
        assert (len(named), named[:4]) == (28, "sub-")


async def test_what_is_no_token_is_refused(gateway: Gateway) -> None:
    """Words that are no token are refused with the same answer."""
    answer = await asked(gateway, "guessed")
    assert (answer.status_code, 'error="invalid_token"' in answer.headers["www-authenticate"]) == (401, True)
