"""Commands for societies: society run, check, resume, watch, list, delete, and the processes host and world."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from contextlib import suppress
from typing import Annotated

import typer

from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli import (
    society_experiments,
    society_processes,
    society_record,
    society_run,
    society_steering,
    society_study,
)
from nemuri_society.cli.society_options import NameArgument, with_log

PANEL = ("Societies", ("society",))
"""The heading of the command in the help, and its name."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(
        help="Run and inspect societies: simulated agents that act and think concurrently.", no_args_is_help=True
    )
    society_run.register(group)
    for command in (watch, society_processes.host, society_processes.world):
        group.command()(command)
    group.command("list")(list_them)
    group.command("delete")(delete)
    society_record.register(group)
    society_study.register(group)
    society_steering.register(group)
    society_experiments.register(group)
    minecraft = typer.Typer(help="The Minecraft world: an extra of some 500 MB.", no_args_is_help=True)
    minecraft.callback()(_minecraft)
    minecraft.command()(install)
    group.add_typer(minecraft, name="minecraft")
    app.add_typer(group, name="society")


def watch(
    context: typer.Context,
    name: NameArgument,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.1, help="Duration in real seconds.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what the agents of a running society say, and the state of its hosts every second."""
    from nemuri_society.operations.watch import watch_society

    session = Session.of(context, json=json)
    with_log(session, lambda log, _: watch_society(log, name, seconds, json=session.json), start=False)


def list_them(context: typer.Context, json: JsonOption = False) -> None:
    """Show all societies with their checkpoints."""
    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.lifecycle import list_societies

    session = Session.of(context, json=json)
    there = with_log(session, lambda log, _: list_societies(log), start=True)
    if session.json:
        say_json(there)
        return
    for name, checkpoints in there.items():
        say(f"{name}  {len(checkpoints)} checkpoints{f', the newest {checkpoints[-1]}' if checkpoints else ''}")
    if not there:
        say("there is no society yet; create one with `nemuri society run`")


def delete(context: typer.Context, name: NameArgument) -> None:
    """Delete a society and its checkpoints. The experience events of its agents stay in the log."""
    from nemuri_society.operations.lifecycle import delete_society
    from nemuri_society.simulation.worlds import UnknownWorldError, world_class

    session = Session.of(context)
    society = with_log(session, lambda log, _: delete_society(log, name), start=True)
    with suppress(UnknownWorldError):  # The package of its world is no longer installed.
        world_class(society.world).discard(name, session.settings().data)


def _minecraft() -> None:
    """Install what a society in Minecraft needs."""


def install(context: typer.Context) -> None:
    """Install the modules of the Minecraft world into the data directory with npm."""
    from nemuri.terminal.output import say
    from nemuri_society.minecraft.node_modules import install as installing

    say(f"the Minecraft world is installed in {installing(Session.of(context).settings().data)}")
