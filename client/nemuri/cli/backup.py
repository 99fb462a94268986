"""Commands for backups: backup, restore."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import JsonOption, Session


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (backup, restore):
        app.command()(command)


def backup(
    context: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new directory.")],
    json: JsonOption = False,
) -> None:
    """Write a backup of the log and its stores into a new directory. The platform keeps running."""
    from nemuri.operations.backup import backup as operation
    from nemuri.operations.erasure_ledger import ledger_path

    session = Session.of(context, json=json)
    made = session.operate("backing up", lambda settings, show: operation(settings, directory, show))
    session.tell(
        made, f"{made.events} events up to {made.sequence} backed up; keep {ledger_path(session.settings())} with it"
    )


def restore(
    context: typer.Context,
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A directory written by `nemuri backup`.", show_default=False)
    ] = None,
    erasures: Annotated[
        Path | None, typer.Option("--erasures", metavar="FILE", help="A ledger of erasures since the backup.")
    ] = None,
    give_up: Annotated[
        bool,
        typer.Option(
            "--give-up", help="Accept an interrupted restore as it is, and let the services process its events."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Restore a backup into an empty platform, without what was erased since. Repeat it to continue after an
    interruption.
    """
    from nemuri.client.connection import resolve_addresses
    from nemuri.operations.backup import restore as operation
    from nemuri.operations.export_import import give_up as giving_up
    from nemuri.operations.webhook_backup import WEBHOOKS
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    if (directory is None) != give_up or (give_up and erasures is not None):
        raise WrongUse("give either the directory of a backup or --give-up")
    if directory is None:
        session.disable_logging()
        asyncio.run(giving_up(resolve_addresses(session.settings())))
        say("the services now process the restored events; the backup is not restored completely")
        return
    done = session.operate(
        "restoring", lambda settings, show: operation(settings, directory, erasures=erasures, on_progress=show)
    )
    if session.json:
        named = {part.title: part.kept for part in done.parts}
        without = [name for part in done.parts for name in part.left_out]
        counts = {"events": done.events, "left_out": done.left_out, "erasures": done.erasures}
        say_json(counts | named | {"without": without})
        return
    say(f"{done.events} events restored, {done.left_out} left out because they were erased since")
    for part in done.parts:
        if part.kept:
            paused = ", paused until `nemuri webhook resume`" if part.title == WEBHOOKS else ""
            say(f"{part.title} restored{paused}: {', '.join(part.kept)}")
        if part.left_out:
            say(f"{part.title} left out, because their states may contain erased content: {', '.join(part.left_out)}")
    if done.erasures is None:
        say("no ledger of erasures was found: everything erased after the backup is back; see --erasures")
