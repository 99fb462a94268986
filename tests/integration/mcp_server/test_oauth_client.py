"""The MCP SDK's own OAuth client signs in: from an answer 401 through the issuer to calls of tools."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from mcp import Client as McpClient
from mcp.client.auth import OAuthClientProvider, OAuthFlowError
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata, OAuthToken
from pydantic import AnyUrl

from nemuri.web.options import WebOptions
from tests.integration.mcp_server.authorization_server import Authority
from tests.integration.mcp_server.conftest import Platform
from tests.integration.mcp_server.sessions import Session
from tests.integration.web_gateway import ANY_PORT, Gateway, running_gateway

pytestmark = pytest.mark.connected
PUBLIC = "https://memory.example.org"
CALLBACK = "http://127.0.0.1:9/callback"
MODES = ("legacy", "auto")


class ReverseProxy(httpx2.AsyncBaseTransport):
    """The proxy in front of the gateway, which answers at its public addresses. Everything else is passed on."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = httpx2.URL(gateway.served.url)
        self.inner = httpx2.AsyncHTTPTransport()
        self.seen = list[tuple[str, str, int]]()
        """Method, URL and status of each exchange."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Pass a request on, and return the answer."""
        asked, url = str(request.url), request.url
        if url.host.endswith(".example.org"):
            url = url.copy_with(scheme=self.gateway.scheme, host=self.gateway.host, port=self.gateway.port)
            request.headers["Host"] = self.gateway.netloc.decode()
        inner = httpx2.Request(
            request.method, url, headers=request.headers, stream=request.stream, extensions=request.extensions
        )
        answer = await self.inner.handle_async_request(inner)
        self.seen.append((request.method, asked.partition("?")[0], answer.status_code))
        return answer

    async def aclose(self) -> None:
        """Close the connections."""
        await self.inner.aclose()


class Memory:
    """Tokens and registration of one assistant, as the SDK stores them."""

    def __init__(self) -> None:
        self.tokens: OAuthToken | None = None
        self.client: OAuthClientInformationFull | None = None

    async def get_tokens(self) -> OAuthToken | None:
        """Return the tokens."""
        return self.tokens

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Store the tokens."""
        self.tokens = tokens

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """Return the registration."""
        return self.client

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Store the registration."""
        self.client = client_info


class Browser:
    """The person's browser: it opens the page of the issuer, and comes back with the code."""

    def __init__(self) -> None:
        self.visits = list[str]()

    async def open(self, url: str) -> None:
        """Open the page for signing in."""
        self.visits.append(url)

    async def back(self) -> AuthorizationCodeResult:
        """Return what the issuer sends with the browser to the assistant."""
        async with httpx2.AsyncClient() as http:
            answer = await http.get(self.visits[-1], follow_redirects=False)
        assert answer.status_code == 302, answer.text
        given = parse_qs(urlsplit(answer.headers["location"]).query)
        return AuthorizationCodeResult(code=given["code"][0], state=given["state"][0])


@dataclass(frozen=True)
class Assistant:
    """An assistant that has signed in."""

    session: Session
    proxy: ReverseProxy
    login: OAuthClientProvider


@asynccontextmanager
async def assistant(
    gateway: Gateway, memory: Memory, browser: Browser, mode: str = "auto", path: str = "/mcp/python"
) -> AsyncIterator[Assistant]:
    """Yield a session of an assistant that knows the address of the MCP server, and nothing else."""
    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(CALLBACK)], client_name="Test")
    url = f"{PUBLIC}{path}"
    login = OAuthClientProvider(url, metadata, memory, browser.open, browser.back)
    proxy = ReverseProxy(gateway)
    async with (
        httpx2.AsyncClient(transport=proxy, auth=login, timeout=60) as http,
        McpClient(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield Assistant(Session(client), proxy, login)


@pytest.mark.parametrize("mode", MODES)
async def test_an_assistant_signs_in_and_calls_tools(platform: Platform, mode: str) -> None:
    """The way is: 401, metadata of the resource, metadata of the issuer, registration, code with PKCE, token, tools."""
    async with Authority.serving() as authority:
        options = WebOptions(ANY_PORT, issuer=authority.url, public_url=PUBLIC)
        memory, browser = Memory(), Browser()
        async with running_gateway(platform.settings, options) as gateway:
            async with assistant(gateway, memory, browser, mode) as one:
                stored = await one.session.done("remember", content="The lighthouse is painted green.")
                detail = await one.session.done("memories", ids=[stored.structured["memory_id"]])
            assert detail.structured["memories"][0]["facts"]["origin"]["client id"] == "ann"
            assert one.proxy.seen[:5] == [
                ("POST", f"{PUBLIC}/mcp/python", 401),
                ("GET", f"{PUBLIC}/.well-known/oauth-protected-resource/mcp", 200),
                ("GET", f"{authority.url}/.well-known/oauth-authorization-server", 200),
                ("POST", f"{authority.url}/register", 201),
                ("POST", f"{authority.url}/token", 200),
            ]
            assert all(status < 400 for _, _, status in one.proxy.seen[5:] if status != 405), one.proxy.seen[5:]
            [visit] = browser.visits
            asked = parse_qs(urlsplit(visit).query)
            assert (asked["code_challenge_method"], asked["scope"]) == (["S256"], ["read write"])
            assert authority.resources == [f"{PUBLIC}/mcp"]
            async with assistant(gateway, memory, browser, mode) as again:
                found = await again.session.done("recall", query="lighthouse green", top=1)
                assert found.structured["memories"]
            assert len(browser.visits) == 1


async def test_an_assistant_renews_its_token(platform: Platform) -> None:
    """A token whose time is over is renewed by the refresh token, without another visit of the browser."""
    async with Authority.serving() as authority:
        options = WebOptions(ANY_PORT, issuer=authority.url, public_url=PUBLIC)
        browser = Browser()
        async with (
            running_gateway(platform.settings, options) as gateway,
            assistant(gateway, Memory(), browser) as one,
        ):
            await one.session.done("recall", query="lighthouse", top=1)
            one.login.context.token_expiry_time = 1.0
            await one.session.done("recall", query="lighthouse", top=1)
        assert authority.granted == ["authorization_code", "refresh_token"]
        assert len(browser.visits) == 1


async def test_an_assistant_does_not_sign_in_for_another_resource(platform: Platform) -> None:
    """An assistant that finds the metadata of another address signs in nowhere, and says why."""
    async with Authority.serving() as authority:
        options = WebOptions(ANY_PORT, issuer=authority.url, public_url="https://other.example.org")
        expected = pytest.RaisesExc(
            OAuthFlowError, match=r"other.example.org/mcp does not match expected https://memory"
        )
        async with running_gateway(platform.settings, options) as gateway:
            with pytest.RaisesGroup(expected, flatten_subgroups=True, allow_unwrapped=True):
                async with assistant(gateway, Memory(), Browser()):
                    pass
        assert (authority.clients, authority.granted) == ({}, [])
