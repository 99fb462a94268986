"""Commands for operators: up, worker, rebuild, verify, reembed, demo."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri.cli.status import halted_line
from nemuri.cli.window import (
    AllowOriginOption,
    IssuerOption,
    ProxiesOption,
    ProxyHeaderOption,
    PublicUrlOption,
    ReadOnlyOption,
    web_options,
)

if TYPE_CHECKING:
    import asyncio

    from nemuri.gateway.platform_gateway import PlatformGateway
    from nemuri.platform.platform import Started
    from nemuri.platform.start_check import StartProblems
    from nemuri.web.options import WebOptions
    from nemuri_infra.runtime.settings import Settings


SHOWN_SEQUENCES = 10
"""Maximum number of damaged messages of a copy that are named."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (up, worker, rebuild, verify, reembed, demo):
        app.command()(command)


HttpOption = Annotated[
    str | None,
    typer.Option(
        "--http",
        metavar="HOST:PORT",
        help="Serve /health, /ready and /metrics at this address; port 0 takes any free port.",
    ),
]


def up(
    context: typer.Context,
    processes: Annotated[bool, typer.Option("--processes", help="Run every service in its own process.")] = False,
    window: Annotated[bool, typer.Option("--window/--no-window", help="Serve the window, the API and MCP.")] = True,
    http: Annotated[
        str | None,
        typer.Option(
            "--http",
            metavar="HOST:PORT",
            help="Serve the window, the HTTP API, MCP, health and metrics at this address, not only on this machine.",
        ),
    ] = None,
    read_only: ReadOnlyOption = False,
    proxy_header: ProxyHeaderOption = None,
    proxies: ProxiesOption = None,
    allow_origin: AllowOriginOption = None,
    issuer: IssuerOption = None,
    public_url: PublicUrlOption = None,
    env_file: Annotated[
        Path | None,
        typer.Option("--env-file", metavar="FILE", help="Set the variables of this file: NAME=VALUE lines."),
    ] = None,
) -> None:
    """Run the platform until it is stopped."""
    from nemuri.platform.platform import no_company, run_platform
    from nemuri.platform.workers import run_until_stopped

    if env_file is not None:
        _load(env_file)
    session = Session.of(context)
    session.set_up_logging("nemuri")
    settings = with_http(session.settings(), http)
    options = web_options(settings.http, read_only, proxy_header, proxies, allow_origin, issuer, public_url)
    gateway = _gateway(options) if window else None

    def ready(started: "Started") -> None:
        _tell_start(settings, started)
        if gateway is not None and gateway.served is not None:
            typer.echo(f"the window is at {gateway.served.link}")
            if settings.http is not None:
                typer.echo(f"nemuri serves health and metrics at {gateway.served.url}")

    probed = _probes_beside_gateway(settings, processes=processes) if gateway else settings
    beside = gateway.beside if gateway else no_company
    run_until_stopped(lambda stop: run_platform(probed, processes=processes, stop=stop, ready=ready, beside=beside))


def _load(path: Path) -> None:
    """Set the environment variables of a file. Raise `WrongUse` if it cannot be read."""
    from nemuri_infra.process.environment_file import EnvironmentFileBroken, load_environment

    try:
        load_environment(path)
    except OSError as error:
        raise WrongUse(f"--env-file: {path} cannot be read: {error.strerror}") from error
    except EnvironmentFileBroken as error:
        raise WrongUse(f"--env-file: {error}") from error


def _gateway(options: "WebOptions") -> "PlatformGateway":
    """Return the gateway. Without a window its libraries are not imported."""
    from nemuri.gateway.platform_gateway import PlatformGateway

    return PlatformGateway(options)


def _probes_beside_gateway(settings: "Settings", *, processes: bool) -> "Settings":
    """Return settings whose address for probes is not the gateway's: the next ports for processes, otherwise none,
    because the gateway answers for this process.
    """
    from nemuri.web.http_server import nth_address

    address = nth_address(settings.http, 1) if settings.http and processes else None
    return settings.model_copy(update={"http": address})


def _tell_start(settings: "Settings", started: "Started") -> None:
    """Print how to use the platform that has just started, or what has halted, and start what only tells something in
    the background.
    """
    from threading import Thread

    from nemuri.hook.session_upload import catch_up

    path = settings.data.expanduser().absolute()
    ask, trouble = f"nemuri --data {shlex.quote(str(path))} ask TEXT", "; ".join(_trouble(started.problems))
    use = f"but is not ready: {trouble}" if trouble else f"try `{ask}`"
    typer.echo(f"nemuri runs in {path} (process {started.addresses.pid}); {use}; stop it with Ctrl-C")
    for name, url in started.http.items():
        typer.echo(f"{name} serves health and metrics at {url}")
    Thread(target=catch_up, args=[str(path)], daemon=True).start()
    Thread(target=_tell_agents, args=[settings], daemon=True).start()


def _trouble(found: "StartProblems") -> "Iterator[str]":
    """Yield a line for everything that has halted."""
    if found.halted:
        yield halted_line(found.halted, found.halted_at)
    yield from (f"the service {name} has halted: {why}" for name, why in found.services.items())


def _tell_agents(settings: "Settings") -> None:
    """Print the forgetting speed of each agent, and which agents still recall by words. Print nothing if the platform
    does not answer.
    """
    import asyncio

    from nemuri.cli.agent_lines import lines_of
    from nemuri.client.exchange import ClientError

    try:
        for line in asyncio.run(lines_of(settings)):
            typer.echo(line)
    except (ClientError, OSError):
        return


def worker(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The service.")],
    count: Annotated[int, typer.Option("--count", metavar="N", min=1, max=256, help="Number of processes.")] = 1,
    http: HttpOption = None,
    parent: Annotated[int | None, typer.Option("--parent", hidden=True)] = None,
    ready: Annotated[Path | None, typer.Option("--ready", hidden=True)] = None,
) -> None:
    """Run additional workers of one service of a running platform."""
    from nemuri.client.connection import resolve_addresses
    from nemuri.platform.workers import KILL_SECONDS, SHUTDOWN_SECONDS, run_until_stopped, work, work_in_copies
    from nemuri_services.service_registry import SERVICES

    session = Session.of(context)
    session.set_up_logging(f"nemuri-{name}")
    if name not in SERVICES:
        raise WrongUse(f"there is no service {name!r}; there are {', '.join(SERVICES)}")
    settings = resolve_addresses(with_http(session.settings(), http))
    if count == 1:
        one = partial(work, settings, name, parent=parent, ready=ready, said=typer.echo)
        run_until_stopped(lambda stop: one(stop=stop), within=SHUTDOWN_SECONDS)
    else:
        run_until_stopped(lambda stop: work_in_copies(settings, name, count, stop=stop), within=KILL_SECONDS)


def rebuild(
    context: typer.Context,
    from_start: Annotated[
        bool, typer.Option("--from-start", help="Read the whole log and use no snapshot, if the views are wrong.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Rebuild the views from the newest snapshot and the log."""
    from nemuri.operations.views import rebuild as operation

    session = Session.of(context, json=json)
    found = session.operate("rebuilding", partial(operation, from_start=from_start))
    session.tell({"sequence": found.sequence}, f"rebuilt from the log, up to event {found.sequence}")


def verify(
    context: typer.Context,
    replicas: Annotated[
        bool, typer.Option("--replicas", help="Compare the copies of the log that a cluster keeps instead.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Compare every row of every view with the log."""
    from nemuri.operations.views import verify as operation
    from nemuri.terminal.output import say, say_json, short

    session = Session.of(context, json=json)
    if replicas:
        _verify_replicas(session)
        return
    found = session.operate("verifying", operation)
    if session.json:
        known = {"rows": found.rows, "sequence": found.sequence, "differences": found.differences}
        say_json(known | {"halted": found.halted, "halted_at": found.halted_at})
    else:
        for difference in found.differences:
            say(short(difference, 400))
        say(f"{len(found.differences)} differences in {found.rows} rows, up to event {found.sequence}")
    if found.halted:
        raise Failure(halted_line(found.halted, found.halted_at))
    if found.differences:
        raise Failure(
            f"the views differ from the log in {len(found.differences)} values; run `nemuri rebuild --from-start`"
        )


def _verify_replicas(session: Session) -> None:
    """Print for each stream how its copies differ. Raise `Failure` if they do."""
    from nemuri.operations.views import verify_replicas
    from nemuri.terminal.output import say, say_json

    found = session.operate("reading every copy", verify_replicas)
    if session.json:
        say_json(
            [
                {"stream": replicas.stream, "messages": replicas.messages, "damaged": replicas.damaged}
                for replicas in found
            ]
        )
    damaged = [
        (replicas.stream, server, places) for replicas in found for server, places in replicas.damaged.items() if places
    ]
    if not session.json:
        for replicas in found:
            number = len(replicas.damaged)
            copies = "1 copy" if number == 1 else f"{number} copies"
            say(f"{replicas.stream}: {copies} of {replicas.messages} messages")
        for stream, server, places in damaged:
            some = ", ".join(map(str, places[:SHOWN_SEQUENCES])) + (" …" if len(places) > SHOWN_SEQUENCES else "")
            say(f"{stream}: {server} lacks, or has otherwise, {len(places)} messages: {some}")
    if damaged:
        names = ", ".join(dict.fromkeys(server for _, server, _ in damaged))
        raise Failure(f"{names} must be filled anew from the other servers (docs/how-to/replicas.md)")


def reembed(context: typer.Context, json: JsonOption = False) -> None:
    """Compute a vector of the configured embedder for every memory, then switch agent by agent."""
    from nemuri.operations.reembed import reembed as operation

    session = Session.of(context, json=json)
    found = session.operate("embedding", operation)
    session.tell(
        {"agents": found.agents, "memories": found.memories},
        f"{found.memories} memories embedded, {found.agents} agents switched",
    )


def demo(
    context: typer.Context,
    running: Annotated[
        bool, typer.Option("--running", help="Use the platform that is running; it must have no agents.")
    ] = False,
) -> None:
    """Run the demo: agents learn from real text, in a data directory of its own."""
    from nemuri.demo import run
    from nemuri.platform.workers import run_until_stopped
    from nemuri.terminal.output import console

    session = Session.of(context)
    session.disable_logging()
    codes: list[int] = []
    kept = running or session.data is not None

    async def play(_: "asyncio.Event") -> None:
        codes.append(await run(session.settings(), console(), data=session.data, running=running))

    run_until_stopped(play)
    if not codes:
        raise Failure("the demo was stopped" if kept else "the demo was stopped; its data are removed")
    if codes[0]:
        raise Failure("the views differ from the log; see the lines above", codes[0])


def with_http(settings: "Settings", http: str | None) -> "Settings":
    """Return the settings with the address of `--http`, if given. Raise `WrongUse` for an invalid address."""
    from nemuri.web.http_server import parse_address

    told = settings if http is None else settings.model_copy(update={"http": http})
    try:
        if told.http is not None:
            parse_address(told.http)
    except ValueError as error:
        raise WrongUse(f"{'NEMURI_HTTP' if http is None else '--http'}: {error}") from error
    return told
