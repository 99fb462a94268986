"""The command that erases: forget."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
import sys
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session, agent_id, person_name

if TYPE_CHECKING:
    from nemuri.cli.session import Operation
    from nemuri.operations.erasure import Forgotten
    from nemuri_infra.projections.erasure_lineage import LineageResult, Thing

MAX_LISTED = 20
"""Maximum number of items listed before an erasure. Further items are only counted."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    app.command()(forget)


def forget(
    context: typer.Context,
    memory: Annotated[UUID | None, typer.Option("--memory", metavar="MEMORY", help="The memory to erase.")] = None,
    task: Annotated[UUID | None, typer.Option("--task", metavar="TASK", help="The task to erase.")] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="AGENT", help="The agent to erase.")] = None,
    person: Annotated[
        str | None, typer.Option("--person", metavar="NAME", help="The person of whom everything is erased.")
    ] = None,
    due: Annotated[bool, typer.Option("--due", help="Erase affective memories that have expired.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Complete interrupted erasures, and search all stores again.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be erased, and why.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: JsonOption = False,
) -> None:
    """Erase a memory, a task, an agent or a person with everything derived: from the log, the views and every file."""
    from nemuri.operations import erasure

    session = Session.of(context, json=json)
    if sum(option is not None for option in (memory, task, agent, person)) + resume + due != 1:
        raise WrongUse("give exactly one of --memory, --task, --agent, --person, --due and --resume")
    if (resume or due) and (dry_run or yes):
        raise WrongUse("--due and --resume take no other option")
    if due:
        _report(session, erasure.erase_expired, nothing="nothing is due")
    elif resume:
        _report(session, erasure.resume, nothing="nothing to complete: every erasure is complete")
    else:
        erase(session, _thing(memory, task, agent, person), dry_run=dry_run, yes=yes)


def erase(session: Session, thing: "Thing", *, dry_run: bool, yes: bool) -> None:
    """Erase an item and everything derived from it, once the user has confirmed. `yes` skips the question.

    With `dry_run`, only list the items that would be erased, with reasons.
    """
    from nemuri.client.connection import resolve_addresses
    from nemuri.operations import erasure
    from nemuri.terminal.output import say_json

    session.disable_logging()
    found = asyncio.run(erasure.lineage(resolve_addresses(session.settings()), [thing]))
    if not dry_run:
        _confirm(found, thing, sure=yes)
        _report(session, lambda settings, show: erasure.forget(settings, [thing], show))
    elif session.json:
        say_json(
            [
                {"sort": erased_thing.sort, "name": erased_thing.name, "why": why}
                for erased_thing, why in found.reasons.items()
            ]
        )
    else:
        _show(found)


def _thing(memory: UUID | None, task: UUID | None, agent: str | None, person: str | None) -> "Thing":
    from nemuri_infra.projections.erasure_lineage import Thing

    if person is not None:
        return Thing("person", person_name(person))
    if agent is not None:
        return Thing("agent", agent_id(agent))
    return Thing("memory", memory) if memory is not None else Thing("task", task or UUID(int=0))


def _confirm(found: "LineageResult", thing: "Thing", *, sure: bool) -> None:
    """Raise `Failure` unless the user has given `--yes` (`sure`) or confirms at the prompt."""
    if sure:
        return
    if not sys.stdin.isatty():
        raise Failure(
            f"erasing cannot be undone: check with --dry-run, then add --yes to erase {thing.sort} {thing.name}"
        )
    _show(found)
    if not typer.confirm("Erase this permanently?"):
        raise Failure("nothing was erased")


def _show(found: "LineageResult") -> None:
    from nemuri.terminal.output import say, short

    for thing, why in list(found.reasons.items())[:MAX_LISTED]:
        say(short(f"{thing.sort:7} {thing.name}  {why}", 160))
    if len(found.reasons) > MAX_LISTED:
        say(f"and {len(found.reasons) - MAX_LISTED} more")


def _report(session: Session, operation: "Operation[Forgotten]", nothing: str | None = None) -> None:
    """Run an erasure and print the numbers of deleted items, or the text `nothing` if nothing was deleted.

    Raises `Failure` if erased bytes may remain on disk.
    """
    from nemuri.terminal.output import say, say_json

    done = session.operate("erasing", operation)
    if session.json:
        say_json({"events": done.events, "letters": done.letters, "blobs": done.blobs, "left": done.remaining_notes})
    elif done.is_empty and nothing:
        say(nothing)
    else:
        say(f"{done.events} events, {done.letters} dead letters and {done.blobs} inputs deleted")
    if done.remaining_notes:
        raise Failure(f"erased, but {'; '.join(done.remaining_notes)}")
