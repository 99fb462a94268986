"""The command status."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from shutil import disk_usage
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure
from nemuri.cli.session import JsonOption, Session

LOW_DISK_BYTES = 2**30
"""Free bytes on the disk of an embedded server below which `status` warns."""

if TYPE_CHECKING:
    from nemuri.admin.platform_status import PlatformStatus


def register(app: typer.Typer) -> None:
    """Add the command of this module to `app`."""
    app.command()(status)


def status(
    context: typer.Context,
    nats_url: Annotated[
        bool, typer.Option("--nats-url", help="Print only the NATS address with its password, for another program.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show the lag of the views and of every consumer, and the contents of the views."""
    from nemuri.admin.platform_status import platform_status
    from nemuri.terminal.output import say_json

    session = Session.of(context, json=json)
    if nats_url:
        _show_nats_url(session)
        return
    found = session.run(platform_status)
    if session.json:
        say_json(found)
    else:
        _say_status(found, session)
    if found.halted:
        raise Failure(halted_line(found.halted, found.halted_at))
    if found.halted_services:
        halted = ", ".join(f"{name} ({why})" for name, why in found.halted_services.items())
        raise Failure(f"services have halted: {halted}; start the platform again")


def _say_status(found: "PlatformStatus", session: Session) -> None:
    from nemuri.cli.embedder import origin, thresholds_line
    from nemuri.cli.result_lines import next_command
    from nemuri.terminal.output import say
    from nemuri_infra.runtime.storage_limits import warnings

    behind = f", {found.lag} behind" if found.lag else ""
    say(f"bus           {found.bus}")
    say(f"log           {found.log} events")
    say(f"views         at {found.projected}{behind}")
    say(f"tasks         {', '.join(f'{number} {name}' for name, number in found.tasks.items()) or 'none'}")
    for waiting in found.waiting:
        what = "a choice" if waiting.status == "negotiation" else "an answer"
        see = next_command(session, f"result {waiting.task_id}")
        say(f"waiting       for {what} of {waiting.client_id}: `{see}`")
    say(f"agents        {found.agents}")
    kinds = ", ".join(f"{number} {kind}" for kind, number in found.memories_by_kind.items() if number)
    say(f"memories      {kinds or 'none'}")
    say(f"size          {_sizes(found)}")
    say(f"embedder      {found.embedding.model}, {found.embedding.dimension} numbers")
    if found.calibration:
        say(f"thresholds    {thresholds_line(found.calibration)}; {origin(found.calibration)}")
    if found.proposed_principles:
        say(f"principles    {found.proposed_principles} proposed; see `{next_command(session, 'principles')}`")
    if found.dead_letters:
        say(f"dead letters  {found.dead_letters}; see `{next_command(session, 'dead list')}`")
    if found.stopped_webhooks:
        say(f"webhooks      {found.stopped_webhooks} stopped; see `{next_command(session, 'webhook list')}`")
    for name, at in found.consumers.items():
        missing = ", missing" if at.missing else ""
        paused = ", paused by an erasure" if at.paused and not found.incomplete else ""
        say(f"{name:12}  {at.pending} pending, {at.in_work} in work{missing}{paused}")
    for line in (*warnings(found.storage), *_disk(session)):
        say(f"warning       {line}")
    if found.incomplete:
        from nemuri_infra.runtime.consumer_pauses import UNFINISHED

        say(f"incomplete    services are paused: an import or a restore {UNFINISHED}")


def _sizes(found: "PlatformStatus") -> str:
    """Return the sizes on disk of the log, the database, the documents and what else is stored."""
    from rich.filesize import decimal

    rest = sum(size for what, size in found.stream_bytes.items() if what not in ("log", "inputs"))
    sizes = {"log": found.stream_bytes.get("log", 0), "database": found.database_bytes}
    sizes |= {"documents": found.stream_bytes.get("inputs", 0), "other": rest}
    return ", ".join(f"{what} {decimal(size)}" for what, size in sizes.items())


def _disk(session: Session) -> list[str]:
    """Return one warning if the disk of an embedded server has less than `LOW_DISK_BYTES` left; otherwise an empty
    list.

    A server with a full disk accepts no data.
    """
    settings = session.settings()
    store = settings.data.expanduser() / "nats"
    if settings.nats_url is not None or not store.exists() or (free := disk_usage(store).free) >= LOW_DISK_BYTES:
        return []
    return [f"the disk of {store} has {free // 2**20} MB left; nothing is written once it is full"]


def halted_line(why: str, at: int | None) -> str:
    """Return the line that says why the views are halted and what to do."""
    return f"the views are halted: {why}" + (f"; `nemuri park {at} --why TEXT` continues without it" if at else "")


def _show_nats_url(session: Session) -> None:
    from nemuri.client.connection import nats_address

    address = nats_address(session.settings())
    session.tell({"nats_url": address}, address)
