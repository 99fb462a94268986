"""Serving the gateway beside a running platform."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from starlette.types import ASGIApp

from nemuri.gateway.application import gateway_application
from nemuri.gateway.assistants import Assistants
from nemuri.gateway.gateway_probes import GatewayProbes
from nemuri.platform.probes import application_of
from nemuri.web.authentication import MCP_PATH, Authenticator
from nemuri.web.clients import ClientPool
from nemuri.web.context import WebContext
from nemuri.web.http_server import serve_application
from nemuri.web.live_log import LiveLog
from nemuri.web.operation_registry import OperationRegistry
from nemuri.web.options import WebOptions
from nemuri.web.principals import Principal
from nemuri.web.token_issuer import TokenIssuer
from nemuri.web.tokens import Tokens, tokens_directory
from nemuri_contracts.event import OPERATOR
from nemuri_infra.process.private_files import kept_secret
from nemuri_infra.runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Served:
    """A gateway that is being served."""

    url: str
    link: str
    """Address of the window with the operator's token, for a browser."""


@asynccontextmanager
async def serving_gateway(
    settings: Settings, options: WebOptions, probes: ASGIApp | None = None
) -> AsyncIterator[Served]:
    """Serve the gateway of a platform while the context lasts.

    Args:
        settings: Settings with the addresses of the platform's servers.
        options: Address, authentication and read-only mode.
        probes: Application of /health, /ready and /metrics of the services in this process; None if it has none, to
            serve the gateway's own.

    Raises:
        ServerFailed: The address cannot be used.
    """
    directory = tokens_directory(settings)
    tokens = Tokens(directory)
    link_token = tokens.link_token()
    async with AsyncExitStack() as stack:
        clients = await stack.enter_async_context(ClientPool(settings))
        live_log = await stack.enter_async_context(LiveLog(lambda: clients.of(Principal(OPERATOR))))
        operations = await stack.enter_async_context(OperationRegistry())
        issuer = TokenIssuer(options.issuer, f"{options.public_url}{MCP_PATH}") if options.issuer else None
        authenticator = Authenticator(tokens, options, kept_secret(directory), issuer)
        context = WebContext(settings, options, clients, live_log, operations, authenticator)
        assistants = await stack.enter_async_context(Assistants(options, authenticator.secret))
        application = gateway_application(context, assistants, probes or application_of(GatewayProbes(clients)))
        url = await stack.enter_async_context(serve_application(application, options.address, fixed=options.fixed))
        yield Served(url, f"{_visited(url)}/enter?token={link_token}")


def _visited(url: str) -> str:
    """Return the URL with an address that a browser on this machine can open, also if the server listens on all."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")
