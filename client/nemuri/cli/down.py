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
    """Stop the platform that runs in the data directory, and wait until it has ended."""
    from nemuri.platform.shutdown import stop_platform
    from nemuri.terminal.output import say

    data, limit = Session.of(context).settings().data, Deadline(timeout)
    pid = stop_platform(data, limit.seconds)
    say(f"the platform in {data.expanduser().absolute()} is stopped (process {pid})")
