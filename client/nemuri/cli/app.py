"""The root of the command line: all commands by name."""
# ruff: noqa: FBT001, FBT002 - typer reads options from the parameters

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nemuri.cli.command_modules import register_commands
from nemuri.cli.session import Session
from nemuri_infra.process.hook_settings import default_directory

_DATA = f"The platform's data directory. Default: NEMURI_DATA, else {default_directory()}."


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nemuri {version('nemuri')}")
        raise typer.Exit


def _directory(name: str) -> Path:
    """Return the directory of an option. An empty name would mean the current directory."""
    if not name.strip():
        raise typer.BadParameter("name a directory")
    return Path(name)


def root(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help=_DATA, show_default=False, parser=_directory)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON value.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Write log messages to stderr.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Agents that remember by use and forget by sleeping."""
    context.obj = Session(data, json=json, verbose=verbose)


def program(words: Sequence[str] | None = None) -> typer.Typer:
    """Return the program for a command line, given by the words after its name: with the command that they name, or
    with a list of all commands if they name none of the core. With None it has all commands.
    """
    app = typer.Typer(
        help="Agents that remember by use and forget by sleeping.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(root)
    register_commands(app, words)
    return app
