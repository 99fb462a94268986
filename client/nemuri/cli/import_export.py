"""Commands for moving in and out: import, export."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from nemuri.cli.failures import Failure
from nemuri.cli.memories import new_agent_told
from nemuri.cli.session import JsonOption, Session, agent_id, person_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from nemuri.client.client import Client
    from nemuri.moving.file_import import FileContents, ImportOptions, ImportReport
    from nemuri_contracts.memory_views import AgentView, MemoryView

MAX_EXPORTED = 100_000_000
"""Maximum number of memories that an export reads."""
FormatName = Literal[
    "mem0", "zep", "letta", "langgraph", "claude-mem", "chatgpt", "basic-memory", "claude-md", "jsonl", "markdown"
]
"""The names of `nemuri.moving.registry.FORMATS`."""
AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command("import")(import_file)
    app.command("export")(export)


def import_file(
    context: typer.Context,
    source: Annotated[FormatName, typer.Argument(metavar="FORMAT", help="The product that wrote the file.")],
    agent: AgentArgument,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file, or the directory of notes.")],
    person: Annotated[
        str | None,
        typer.Option("--person", metavar="NAME", help="Person to whom everything belongs that names no person."),
    ] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="Valid in this project only.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="D", help="Valid in this domain only.")] = None,
    max_calls: Annotated[
        int | None,
        typer.Option(
            "--max-calls",
            metavar="N",
            min=1,
            max=1_000_000,
            help="Maximum number of calls of the light model. The same command goes on with what is left.",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would be imported.")] = False,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Do not wait until conversations are read.")] = False,
    existing: Annotated[
        bool, typer.Option("--existing", help="Refuse an unknown agent. By default it is made.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Import memories and conversations from a file of another product. What was imported before is not imported
    again.
    """
    from nemuri.files.documents import InputError
    from nemuri.moving.file_import import ImportOptions, read_file
    from nemuri.terminal.output import printable, progress

    session, name = Session.of(context, json=json), agent_id(agent)
    options = ImportOptions(
        person=None if person is None else person_name(person),
        scope=session.scope(project, domain),
        create=not existing,
        max_calls=max_calls,
        dry_run=dry_run,
        wait=not no_wait,
    )
    try:
        contents = read_file(source, file, options)
    except InputError as error:
        raise Failure(str(error)) from error
    with progress("importing") as show:
        report = session.run(lambda client: _imported(client, name, source, contents, options, show))
    session.show(_told(report, name, dry_run=dry_run), lambda: _show(report, dry_run=dry_run))
    for location, reason in report.refused.items():
        print(printable(f"{location} is refused: {reason}"), file=sys.stderr)
    if report.refused:
        many, verb = len(contents.memories), "is" if len(report.refused) == 1 else "are"
        raise Failure(f"{len(report.refused)} of {many} memories {verb} refused; all others are stored")


def export(
    context: typer.Context,
    agent: AgentArgument,
    form: Annotated[
        Literal["jsonl", "markdown"], typer.Option("--format", help="JSON lines, or Markdown for people to read.")
    ] = "jsonl",
    person: Annotated[
        str | None, typer.Option("--person", metavar="NAME", help="Only memories that belong to this person.")
    ] = None,
) -> None:
    """Write an agent's memories, with strength memory, to the standard output. `nemuri import` reads both formats."""
    from nemuri.moving.agent_export import export_lines, written

    session, name = Session.of(context), agent_id(agent)
    owner = None if person is None else person_name(person)

    async def read(client: "Client") -> "tuple[AgentView, tuple[MemoryView, ...]]":
        [view] = await client.agents(name)
        return view, await client.memories(name, limit=MAX_EXPORTED, status="all", person=owner)

    for line in written(form, name, export_lines(*session.run(read))):
        sys.stdout.buffer.write(line)


async def _imported(
    client: "Client",
    agent: str,
    source: str,
    contents: "FileContents",
    options: "ImportOptions",
    on_progress: "Callable[[int, int], None]",
) -> "ImportReport":
    """Import what was read from a file. Tell first how many calls of the light model its conversations need."""
    from dataclasses import replace

    from nemuri.moving.file_import import import_contents

    if contents.conversations and not options.dry_run:
        plan = await import_contents(client, agent, source, contents, replace(options, dry_run=True))
        if plan.calls > 1:
            print(f"at most {plan.calls} calls of the light model", file=sys.stderr)
    async with new_agent_told(client, agent, create=options.create and not options.dry_run):
        return await import_contents(client, agent, source, contents, options, on_progress)


def _told(report: "ImportReport", agent: str, *, dry_run: bool) -> dict[str, object]:
    """Return a report as a JSON object."""
    done = report.memories
    return {
        "agent_id": agent,
        "dry_run": dry_run,
        "new": len(done.new),
        "changed": len(done.changed),
        "known": len(done.known),
        "erased": len(done.erased),
        "refused": report.refused,
        "conversations": len(report.conversations),
        "new_turns": sum(learned.new_turns for learned in report.conversations),
        "left_turns": sum(learned.left_turns for learned in report.conversations),
        "facts": sum(len(learned.facts) for learned in report.conversations),
        "calls": report.calls,
        "left_out": report.left_out,
    }


def _show(report: "ImportReport", *, dry_run: bool) -> None:
    """Print a report: memories, conversations, and a line for each reason why something was left out."""
    from nemuri.moving.file_import import counted
    from nemuri.terminal.output import say

    done, talks = report.memories, report.conversations
    erased = f", {len(done.erased)} erased since" if done.erased else ""
    say(f"memories: {len(done.new)} new, {len(done.changed)} changed, {len(done.known)} known{erased}")
    if talks:
        new, left = (sum(getattr(learned, name) for learned in talks) for name in ("new_turns", "left_turns"))
        facts = sum(len(learned.facts) for learned in talks)
        what = (
            f"{left} new turns, at most {report.calls} calls of the light model"
            if dry_run
            else (f"{new} new turns, {facts} facts" + (f", {left} turns left for another call" if left else ""))
        )
        say(f"conversations: {len(talks)}, {what}")
    for line in counted(report.left_out):
        say(f"left out: {line}")
    if dry_run:
        say("nothing is imported")
