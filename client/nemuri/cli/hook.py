"""Commands for the memory of a coding assistant: its hooks, and hook flush, import, pause, resume, wake."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli import hook_install
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.hook_options import AgentOption, hook_settings
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from datetime import datetime

HOOKS = {
    "session-start": "Print what matters of the project at the start of a session. This command never fails.",
    "prompt": "Print the memories retrieved for the prompt on standard input. This command never fails.",
    "stop": "Hand on the turns of a session after a reply. This command never fails.",
    "turn": "Hand on the turn on standard input, of an assistant without a transcript. This command never fails.",
    "pre-compact": "Hand on the turns of a session before it is compacted. This command never fails.",
    "session-end": "Hand on the turns of a session that has ended. This command never fails.",
}


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    help_ = "Give a coding assistant a memory through its hooks."
    group = typer.Typer(no_args_is_help=True, help=help_, rich_markup_mode=None)
    for name, text in HOOKS.items():
        group.command(name, help=text)(_hook)
    hook_install.register(group)
    for command in (flush, pause, resume):
        group.command(command.__name__)(command)
    group.command("import")(import_)
    group.command(hidden=True)(wake)
    app.add_typer(group, name="hook")


def _hook(
    agent: AgentOption = None,  # noqa: ARG001 - read by the way of hooks
    assistant: hook_install.AssistantOption = "claude",  # noqa: ARG001
) -> None:
    from nemuri.hook.entry import run

    raise typer.Exit(run(sys.argv[1:]))


def flush(context: typer.Context, agent: AgentOption = None, json: JsonOption = False) -> None:
    """Upload the sessions that were stored locally while no platform ran."""
    from nemuri.hook import session_upload, spool
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    where = hook_settings(session, agent)
    became = session_upload.flush(where)
    if session.json:
        waiting = len(spool.waiting(where.data))
        say_json({"sessions": became.sessions, "turns": became.turns, "waiting": waiting, "why": became.troubles})
    else:
        say(f"uploaded {became.turns} turns of {became.sessions} sessions{_too_large(became.too_large)}")
    if became.troubles:
        raise Failure("; ".join(became.troubles))


def import_(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Transcript files, or directories of them.")],
    agent: AgentOption = None,
    json: JsonOption = False,
) -> None:
    """Import transcripts (*.jsonl). A repeated import creates no new memories."""
    from nemuri.hook import transcript_import
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    became = transcript_import.import_transcripts(paths, hook_settings(session, agent))
    skipped = {why: number for why, number in sorted(became.skipped.items()) if number}
    if session.json:
        told = {"transcripts": became.transcripts, "sessions": became.offered.sessions, "turns": became.offered.turns}
        say_json(told | {"too_large": became.offered.too_large, "skipped": skipped})
        return
    offered = became.offered
    say(f"uploaded {offered.turns} turns of {became.transcripts} transcripts{_too_large(offered.too_large)}")
    if skipped:
        reasons = (f"{number} {why}".replace("_", " ") for why, number in skipped.items())
        say(f"lines skipped: {', '.join(reasons)}")


def pause(
    context: typer.Context,
    hours: Annotated[
        float | None, typer.Option("--hours", metavar="NUMBER", help="End the pause after so many hours.")
    ] = None,
) -> None:
    """Pause the memory: hooks neither recall nor remember, until `hook resume`."""
    from datetime import UTC, datetime, timedelta

    from nemuri.hook.pause import pause as begin
    from nemuri.terminal.output import say

    if hours is not None and not 0 < hours <= MAX_HOURS:
        raise WrongUse(f"--hours {hours:g} is not a number above 0 and up to {MAX_HOURS}")
    until = None if hours is None else datetime.now(UTC) + timedelta(hours=hours)
    begin(hook_settings(Session.of(context), None).data, until)
    say(f"paused {_until(until)}")


MAX_HOURS = 10_000


def resume(context: typer.Context) -> None:
    """End a pause. What was said in it stays forgotten."""
    from nemuri.hook.pause import resume as end
    from nemuri.terminal.output import say

    ended = end(hook_settings(Session.of(context), None).data)
    say("the memory goes on" if ended else "the memory was not paused")


def wake(context: typer.Context, agent: AgentOption = None) -> None:
    """Start the platform if none runs, prepare the agent, and hand on what earlier sessions left behind."""
    from nemuri.hook.background import only_one
    from nemuri.hook.wake import wake_up

    session = Session.of(context)
    where = hook_settings(session, agent)
    with only_one(where.data) as alone:
        if alone:
            wake_up(session.settings(), where)


def _until(end: "datetime | None") -> str:
    return "until `nemuri hook resume`" if end is None else f"until {end.astimezone():%Y-%m-%d %H:%M}"


def _too_large(number: int) -> str:
    return f", {number} were too large for the NATS server" if number else ""
