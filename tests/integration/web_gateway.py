"""A gateway beside running services, and HTTP clients that have signed in to it."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx2

from nemuri.gateway.gateway_server import Served, serving_gateway
from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_infra.runtime.settings import Settings

ANY_PORT = "127.0.0.1:0"


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that is being served for a test."""

    served: Served
    settings: Settings

    @asynccontextmanager
    async def browser(self, language: str = "en") -> AsyncIterator[httpx2.AsyncClient]:
        """Yield a client that has entered by the link, and sends the change token and its origin as a page does."""
        headers = {"Origin": self.served.url, "Accept-Language": language}
        async with httpx2.AsyncClient(base_url=self.served.url, headers=headers, timeout=60) as client:
            assert (await client.get(self.served.link)).status_code == 303
            page = (await client.get("/")).text
            found = re.search(r'"X-CSRF-Token": "(\w+)"', page)
            assert found is not None
            client.headers["X-CSRF-Token"] = found[1]
            yield client

    @asynccontextmanager
    async def program(self, principal: Principal) -> AsyncIterator[httpx2.AsyncClient]:
        """Yield a client with a bearer token of this principal."""
        token = Tokens(tokens_directory(self.settings)).issue(principal)
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=self.served.url, headers=headers, timeout=60) as client:
            yield client


@asynccontextmanager
async def running_gateway(settings: Settings, options: WebOptions | None = None) -> AsyncIterator[Gateway]:
    """Serve the gateway for the namespace of the settings, at a free port."""
    async with serving_gateway(settings, options or WebOptions(ANY_PORT)) as served:
        yield Gateway(served, settings)
