"""The command `park`, which makes the projections skip an event that they cannot fold."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from typing import Annotated

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import JsonOption, Session, storable


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(park)


def park(
    context: typer.Context,
    sequence: Annotated[
        int, typer.Argument(metavar="SEQUENCE", min=1, help="The event's sequence, as `status` shows it.")
    ],
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="The reason, which is stored in the log.")],
    folded: Annotated[
        bool,
        typer.Option(
            "--folded", help="Park an event that the views have folded already. The views are rebuilt without it."
        ),
    ] = False,
    json: JsonOption = False,
) -> None:
    """Make the views skip an event that they cannot fold, permanently, and continue after it."""
    from nemuri.client.connection import resolve_addresses
    from nemuri.operations.park_event import park as operation
    from nemuri.terminal.output import say, say_json
    from nemuri_contracts.parked_events import WHY_LIMIT

    session = Session.of(context, json=json)
    storable(**{"--why": why})
    if not why.strip() or len(why) > WHY_LIMIT:
        raise WrongUse(f"--why takes 1 to {WHY_LIMIT:,} characters")
    session.disable_logging()
    done = asyncio.run(operation(resolve_addresses(session.settings()), sequence, why, folded=folded))
    if session.json:
        say_json({"sequence": sequence, "kind": done.event.parked_kind, "projected": done.projected})
        return
    say(f"event {sequence} ({done.event.parked_kind or 'no event'}) is parked; the views are at {done.projected}")
    if done.erases:
        say("the event was an erasure that is not carried out now; run `nemuri forget` again")
