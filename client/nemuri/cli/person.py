"""The command group of persons: person export NAME."""

import sys
from typing import Annotated

import orjson
import typer

from nemuri.cli.session import Session, person_name


def register(app: typer.Typer) -> None:
    """Add the group to `app`."""
    group = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
    group.command()(export)
    group.callback()(_group)
    app.add_typer(group, name="person", help="Export what belongs to a person; `forget --person` erases it.")


def _group() -> None:
    """Keep `export` the name of a command, although it is the only one."""


def export(
    context: typer.Context, person: Annotated[str, typer.Argument(metavar="NAME", help="The person's name.")]
) -> None:
    """Write everything that belongs to a person, in all agents, as JSON lines: memories, tasks and conversations."""
    from nemuri.operations.person_export import person_lines

    session, name = Session.of(context), person_name(person)
    for line in session.operate("reading", lambda settings, _: person_lines(settings, name)):
        sys.stdout.buffer.write(orjson.dumps(line) + b"\n")
