"""Commands for what is served over HTTP: window, token add, list, revoke."""
# ruff: noqa: FBT001, FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.web.options import WebOptions
    from nemuri.web.tokens import IssuedToken, Tokens

ReadOnlyOption = Annotated[
    bool, typer.Option("--read-only", help="Refuse every change over HTTP, whoever asks for it.")
]
ProxyHeaderOption = Annotated[
    str | None,
    typer.Option(
        "--proxy-header", metavar="NAME", help="Header in which a proxy names the client that it has authenticated."
    ),
]
ProxiesOption = Annotated[
    str | None,
    typer.Option(
        "--proxies", metavar="ADDRESSES", help="Addresses of these proxies, comma-separated. Default: this machine."
    ),
]
AllowOriginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="Let pages of this site, such as https://app.example.org, call the HTTP API with a token. Repeatable.",
    ),
]
IssuerOption = Annotated[
    str | None,
    typer.Option(
        "--issuer", metavar="URL", help="Accept access tokens of this authorization server for MCP. Needs --public-url."
    ),
]
PublicUrlOption = Annotated[
    str | None,
    typer.Option("--public-url", metavar="URL", help="Address of this server as clients know it, behind a proxy."),
]
ClientArgument = Annotated[str, typer.Argument(metavar="CLIENT", help="Name of the client; `cli` is the operator.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(window)
    about = "Make, list or revoke tokens for the HTTP API, MCP over HTTP and the window."
    group = typer.Typer(no_args_is_help=True, help=about, rich_markup_mode=None)
    group.command("add")(add)
    group.command("list")(list_tokens)
    group.command("revoke")(revoke)
    app.add_typer(group, name="token")


def window(
    context: typer.Context,
    http: Annotated[
        str | None, typer.Option("--http", metavar="HOST:PORT", help="Address to serve at. Default: only this machine.")
    ] = None,
    read_only: ReadOnlyOption = False,
    proxy_header: ProxyHeaderOption = None,
    proxies: ProxiesOption = None,
    allow_origin: AllowOriginOption = None,
    issuer: IssuerOption = None,
    public_url: PublicUrlOption = None,
) -> None:
    """Serve the window, the HTTP API and MCP for a platform that runs elsewhere, until it is stopped."""
    import asyncio

    from nemuri.client.connection import resolve_addresses
    from nemuri.gateway.gateway_server import serving_gateway
    from nemuri.platform.workers import run_until_stopped

    session = Session.of(context)
    session.set_up_logging("nemuri-window")
    options = web_options(http, read_only, proxy_header, proxies, allow_origin, issuer, public_url)
    settings = resolve_addresses(session.settings())

    async def serve(stop: asyncio.Event) -> None:
        async with serving_gateway(settings, options) as served:
            typer.echo(f"the window is at {served.link}")
            await stop.wait()

    run_until_stopped(serve)


def web_options(
    http: str | None,
    read_only: bool,
    proxy_header: str | None,
    proxies: str | None,
    allow_origin: list[str] | None,
    issuer: str | None,
    public_url: str | None,
) -> "WebOptions":
    """Return the options of the HTTP server. Raise `WrongUse` for an invalid address, origin or URL."""
    from nemuri.web.options import WebOptions

    try:
        return WebOptions.of(
            http,
            read_only=read_only,
            proxy_header=proxy_header,
            proxies=proxies,
            allow_origin=allow_origin or (),
            issuer=issuer,
            public_url=public_url,
        )
    except ValueError as error:
        named = str(error).startswith("--")
        raise WrongUse(f"{error}" if named else f"--http, --proxies or --allow-origin: {error}") from error


def add(
    context: typer.Context,
    client: ClientArgument,
    read_only: Annotated[bool, typer.Option("--read-only", help="The token may change nothing.")] = False,
    nats_url: Annotated[
        str | None,
        typer.Option(
            "--nats-url", metavar="URL", help="NATS address with the client's own user, if clients have accounts."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Make a token for a client and print it. It is shown only once."""
    from nemuri.web.principals import Principal
    from nemuri.web.tokens import TokenError

    session = Session.of(context, json=json)
    domain = session.settings().namespace if nats_url else None
    try:
        token = _tokens(session).issue(Principal(client, read_only, nats_url, domain))
    except TokenError as error:
        raise WrongUse(str(error)) from error
    session.tell({"client_id": client, "token": token}, token)


def list_tokens(context: typer.Context, json: JsonOption = False) -> None:
    """Show the tokens: for whom and since when, not the tokens themselves."""
    from nemuri.terminal.output import say, say_json, table
    from nemuri.web.tokens import TokenError

    session = Session.of(context, json=json)
    try:
        found = _tokens(session).all()
    except TokenError as error:
        raise Failure(str(error)) from error
    if session.json:
        say_json([_known(token) for token in found])
    elif found:
        rows = [[f"{value}" for value in _known(token).values()] for token in found]
        table(("token", "client", "rights", "made"), rows)
    else:
        say("no tokens; `nemuri token add CLIENT` makes one")


def revoke(
    context: typer.Context,
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The beginning of what `token list` shows.")],
    json: JsonOption = False,
) -> None:
    """Revoke a token. Requests with it are refused from now on."""
    from nemuri.web.tokens import TokenError

    session = Session.of(context, json=json)
    try:
        gone = _tokens(session).revoke(token)
    except TokenError as error:
        raise WrongUse(str(error)) from error
    session.tell(_known(gone), f"revoked a token of {gone.principal.client_id}")


def _tokens(session: Session) -> "Tokens":
    from nemuri.web.tokens import Tokens, tokens_directory

    return Tokens(tokens_directory(session.settings()))


def _known(issued: "IssuedToken") -> dict[str, str]:
    rights = "read-only" if issued.principal.read_only else "all of the client"
    made = issued.issued_at.isoformat(timespec="seconds")
    return {"token": issued.digest[:12], "client_id": issued.principal.client_id, "rights": rights, "issued_at": made}
