"""Commands for the record of a society: society export, story, report."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli.society_options import AgentArgument, NameArgument, with_log


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the society commands."""
    for command in (export, story, report):
        group.command()(command)


def export(
    context: typer.Context,
    name: NameArgument,
    to: Annotated[Path, typer.Option("--to", metavar="FILE", help="New file: .jsonl, or .parquet (extra `tables`).")],
    places: Annotated[
        bool, typer.Option("--places/--no-places", help="Include the samples of where the agents were.")
    ] = True,
    json: JsonOption = False,
) -> None:
    """Write the record of a society into a file, with a manifest of its runs beside it."""
    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.export import ExportError, check_target, export_record

    session = Session.of(context, json=json)
    try:
        check_target(to)
    except ExportError as error:
        raise WrongUse(str(error)) from error
    done = with_log(session, lambda log, _: export_record(log, name, to, places=places), start=True)
    if session.json:
        say_json({"events": done.events, "missed": done.missed, "file": str(to), "manifest": str(done.manifest)})
        return
    say(f"{done.events:,} events are in {to}, the manifest of the runs is in {done.manifest}")
    if done.missed:
        say(f"{done.missed:,} events could not be recorded, because the server did not answer for long")


def story(context: typer.Context, name: NameArgument, agent: AgentArgument) -> None:
    """Tell the history of one agent as text, hour by hour."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.story import agent_story

    say(with_log(Session.of(context), lambda log, _: agent_story(log, name, agent), start=True))


def report(
    context: typer.Context,
    name: NameArgument,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="The HTML file. Default: NAME.html in this directory.")
    ] = None,
) -> None:
    """Write a report of a society as one HTML file: intervals, decisions, speech, feelings, roles, items, costs."""
    from nemuri.terminal.output import say
    from nemuri_society.operations.html_report import report_page, write_page

    file = to or Path(f"{name}.html")
    if not file.absolute().parent.is_dir() or file.is_dir():
        raise WrongUse(f"{file} is no file in an existing directory")
    page = with_log(Session.of(context), lambda log, _: report_page(log, name), start=True)
    try:
        write_page(file, page)
    except OSError as error:
        raise Failure(f"{file} cannot be written: {error.strerror or error}") from error
    say(f"the report is in {file}")
