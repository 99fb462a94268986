"""The command down."""

from typing import Annotated

import typer

from nemuri.cli.session import Deadline, Session

DEFAULT_SECONDS = 120.0
"""Seconds that the command waits. PostgreSQL alone may take a minute to stop."""


def register(app: typer.Typer) -> None:
    """Add the command of this module to `app`."""
    app.command()(down)


def down(
    context: typer.Context,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="Maximum seconds to wait for its end.")
    ] = DEFAULT_SECONDS,
) -> None:
    """Stop the platform of the data directory, and what a killed one left there. Wait until all has ended."""
    from nemuri.platform.shutdown import stop_platform
    from nemuri.terminal.output import say

    data, limit = Session.of(context).settings().data, Deadline(timeout)
    stopped = stop_platform(data, limit.seconds)
    where, left = data.expanduser().absolute(), ", ".join(stopped.leftovers)
    if stopped.pid is None:
        say(f"the platform in {where} had been killed; ended what it left behind: {left}")
        return
    more = f"; ended what it left behind: {left}" if left else ""
    say(f"the platform in {where} is stopped (process {stopped.pid}){more}")
