"""Commands for the platform as a service of the operating system: service install, uninstall and status."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from pathlib import Path

    from nemuri.system_service.definition import ServiceDefinition, ServiceManager
    from nemuri.system_service.installation import Installed

SystemOption = Annotated[
    bool, typer.Option("--system", help="A service of the system, not of the user. Linux only, as root.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    help_ = "Run the platform as a service: a systemd unit on Linux, a launchd agent on macOS."
    group = typer.Typer(no_args_is_help=True, help=help_, rich_markup_mode=None)
    for command in (install, uninstall, status):
        group.command(command.__name__)(command)
    app.add_typer(group, name="service")


def install(
    context: typer.Context,
    system: SystemOption = False,
    window: Annotated[
        bool,
        typer.Option("--window", help="Serve the window, the API and MCP too. Their link is in the service's log."),
    ] = False,
    start: Annotated[bool, typer.Option("--start", help="Enable and start the service too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the service file.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a service file that nemuri did not write.")] = False,
) -> None:
    """Write a service file that runs `nemuri up` for this data directory, and show how to start it."""
    from nemuri.system_service import installation
    from nemuri.terminal.output import say

    manager, definition = _manager(system=system), _definition(context, window=window)
    if dry_run:
        typer.echo(manager.content(definition), nl=False)
        return
    active = installation.is_active(manager)
    if start:
        installation.require_program(manager)
        _require_free(definition.data, active=active)
    done = installation.install(manager, definition, force=force)
    say(f"{manager.path}: {done.change}")
    say(_settings_line(definition, done))
    commands = manager.start_commands(changed=done.change != "nothing changed", active=active)
    if start:
        installation.run_commands(commands)
        say("the service is started; `nemuri service status` shows its state")
        _let_run_without_login(manager)
        return
    listed = [*commands, *manager.without_login]
    say("\n".join(["start it with --start, or with:", *(f"  {shlex.join(command)}" for command in listed)]))


def _let_run_without_login(manager: "ServiceManager") -> None:
    from nemuri.system_service import installation
    from nemuri.system_service.definition import ServiceError

    try:
        installation.run_commands(manager.without_login)
    except ServiceError as error:
        raise Failure(f"{error}; until root runs it for your user, the service ends when you log out") from error


def _settings_line(definition: "ServiceDefinition", done: "Installed") -> str:
    path = definition.environment_file
    if done.carried is None:
        return f"{path}: kept; the service has the settings in it"
    return (
        f"{path}: {', '.join(done.carried) or 'no settings'} of this environment; only you can read it, edit it there"
    )


def uninstall(context: typer.Context, system: SystemOption = False) -> None:
    """Stop the service and remove its file. The data directory and the settings stay."""
    from nemuri.system_service import installation
    from nemuri.terminal.output import say

    Session.of(context)
    manager = _manager(system=system)
    removed = installation.remove(manager, say)
    say(f"{manager.path}: {'removed' if removed else 'nothing changed'}")


def status(context: typer.Context, system: SystemOption = False, json: JsonOption = False) -> None:
    """Show whether the service is installed and runs. Exit code 1 if it does not."""
    from nemuri.system_service import installation
    from nemuri.terminal.output import say, say_json
    from nemuri_infra.embedded.data_directory import Home

    session, manager = Session.of(context, json=json), _manager(system=system)
    data = session.settings().data.expanduser().absolute()
    ours, state, home = installation.is_ours(manager.path), installation.state_of(manager), Home.existing(data)
    holder = home.holder if home else None
    installed = {None: "not installed", True: "installed", False: "not written by nemuri"}[ours]
    if session.json:
        known = {"path": str(manager.path), "installed": bool(ours), "manager": manager.name, "state": state}
        say_json(known | {"data": str(data), "platform": None if holder is None else holder.pid})
    else:
        say(f"service   {manager.path}: {installed}")
        say(f"state     {state} ({manager.name})")
        say(f"platform  {f'no platform runs in {data}' if holder is None else f'runs in {data} ({holder})'}")
    if not ours or not installation.is_active(manager):
        raise Failure(f"the service {'is ' + installed if not ours else 'does not run'}")


def _manager(*, system: bool) -> "ServiceManager":
    import os

    from nemuri.system_service.installation import manager_of

    manager = manager_of(system=system)
    if system and os.geteuid() != 0:
        raise WrongUse("--system needs root; without it the service is one of the user")
    return manager


def _definition(context: typer.Context, *, window: bool) -> "ServiceDefinition":
    from nemuri.platform.program_path import program_words
    from nemuri.system_service.definition import ServiceDefinition

    data = Session.of(context).settings().data.expanduser().absolute()
    return ServiceDefinition(program_words(), data, window)


def _require_free(data: "Path", *, active: bool) -> None:
    """Raise `Failure` if a platform that is not the active service runs in the data directory, so that the service
    could not start.
    """
    from nemuri_infra.embedded.data_directory import Home

    home = Home.existing(data)
    if not active and home is not None and (holder := home.holder) is not None:
        raise Failure(f"a platform already runs in {data} ({holder}); end it with `nemuri down` first")
