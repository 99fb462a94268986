"""Commands for the log: log tail, stats, export, import, archive."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from nemuri.client.client import Client
    from nemuri.operations.log_archiving import ArchivePlan
    from nemuri_contracts.codec import AnyEvent
    from nemuri_infra.bus.log_batch import Batch
    from nemuri_infra.runtime.settings import Settings

    Transfer = Callable[[Settings, Path, Callable[[int, int], None]], Coroutine[Any, Any, int]]

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="The export file.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(no_args_is_help=True, help="Show, export, import or archive the log.", rich_markup_mode=None)
    group.command("tail")(tail)
    group.command("stats")(stats)
    group.command("export")(export_file)
    group.command("import")(import_file)
    group.command("archive")(archive)
    app.add_typer(group, name="log")


def tail(
    context: typer.Context,
    last: Annotated[int, typer.Option("-n", "--last", metavar="N", min=0, help="Number of events.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep showing new events as they arrive.")] = False,
    json: JsonOption = False,
) -> None:
    """Show the newest events."""
    session = Session.of(context, json=json)

    async def work(client: "Client") -> None:
        until = await client.log.last_sequence()
        after = max(0, until - last)
        async for batch in client.log.read(after, None if follow else until, with_parked=True):
            _show(batch, session)

    session.run(work)


def stats(context: typer.Context, json: JsonOption = False) -> None:
    """Show the number of events by kind."""
    from nemuri.admin.log_statistics import log_statistics
    from nemuri.terminal.output import say, say_json, table

    session = Session.of(context, json=json)
    found = session.run(log_statistics)
    if session.json:
        say_json(found)
        return
    say(f"{found.events} events, {found.bytes} bytes")
    if found.archived:
        say(f"{found.archived} of the events are in the archive")
    for name, end in (("first", found.first), ("last", found.last)):
        if end:
            say(f"{name:5}  {end.sequence}  {end.recorded_at.isoformat() if end.recorded_at else None}")
    if found.kinds:
        table(("kind", "events"), sorted(found.kinds.items()), numbers=("events",))


def export_file(context: typer.Context, file: FileArgument, json: JsonOption = False) -> None:
    """Export the whole log to a new file."""
    from nemuri.operations.export_import import export_log

    _run_transfer(context, file, export_log, "exported", json=json)


def import_file(context: typer.Context, file: FileArgument, json: JsonOption = False) -> None:
    """Import the events of a file into an empty log."""
    from nemuri.operations.export_import import import_log

    _run_transfer(context, file, import_log, "imported", json=json)


def archive(
    context: typer.Context,
    before: Annotated[
        str,
        typer.Option("--before", metavar="TIME", help="Archive what is older, such as 90d or 2026-05-31; or an event."),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be archived.")] = False,
    json: JsonOption = False,
) -> None:
    """Move the old part of the log to files, which every command still reads."""
    from nemuri.client.connection import resolve_addresses
    from nemuri.operations.log_archiving import archive_log, archive_plan
    from nemuri.operations.log_position_parsing import read_place

    session, place = Session.of(context, json=json), read_place(before)
    if place.sequence is None and place.time is None:
        raise WrongUse("--before: everything cannot be archived; write a time like 90d or 2026-05-31, or an event")
    if dry_run:
        session.disable_logging()
        plan = asyncio.run(archive_plan(resolve_addresses(session.settings()), place))
        session.tell(
            asdict(plan), "\n".join((f"{plan.events} events up to event {plan.until} would be archived", *_limit(plan)))
        )
        return
    done = session.operate("archiving", lambda settings, show: archive_log(settings, place, show))
    what = f"{done.plan.events} events up to event {done.plan.until} archived in {done.directory}"
    size = f"the stream had {done.bytes_before} bytes and has {done.bytes_after}; the files have {done.archive_bytes}"
    session.tell(asdict(done) | {"directory": str(done.directory)}, "\n".join((what, size, *_limit(done.plan))))


def _limit(plan: "ArchivePlan") -> list[str]:
    return [] if plan.limit is None else [f"events up to {plan.wanted} are old enough, but {plan.limit}"]


def _run_transfer(context: typer.Context, file: Path, operation: "Transfer", done: str, *, json: bool) -> None:

    session = Session.of(context, json=json)
    number = session.operate(done, lambda settings, show: operation(settings, file, show))
    session.tell({"file": file, "events": number}, f"{number} events {done}")


def _show(batch: "Batch", session: Session) -> None:
    for event in batch.events:
        typer.echo(_as_json(event) if session.json else _as_line(event))
    for message in batch.unreadable:
        typer.echo(f"{message.sequence:>8}  unreadable on {message.subject}: {message.reason}", err=True)


def _as_json(event: "AnyEvent") -> str:
    """Return an event as one line of JSON, so that programs can follow the output."""
    import orjson

    known = {"sequence": event.sequence, "recorded_at": event.recorded_at}
    return orjson.dumps(known | event.model_dump(mode="json")).decode()


def _as_line(event: "AnyEvent") -> str:
    whom = [f"agent {event.agent_id}"] if event.agent_id else []
    whom += [f"task {event.thread}"] if event.thread else []
    return f"{event.sequence:>8}  {event.at:%Y-%m-%d %H:%M:%S}  {event.kind:20}  {'  '.join(whom)}".rstrip()
