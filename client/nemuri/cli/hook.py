"""Commands for a coding assistant: hook prompt, session-end, flush, import, install."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_infra.process.hook_settings import Whereabouts

KEPT = "none"
"""The profile of an agent that stays as it is."""
AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="Whose memory; by default NEMURI_HOOK_AGENT, or `assistant`."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    help_ = "Be the memory of a coding assistant, by its hooks."
    group = typer.Typer(no_args_is_help=True, help=help_, rich_markup_mode=None)
    group.command("prompt")(prompt)
    group.command("session-end")(session_end)
    group.command("flush")(flush)
    group.command("import")(import_)
    group.command("install")(install)
    app.add_typer(group, name="hook")


def prompt(agent: AgentOption = None) -> None:  # noqa: ARG001 - read by the way of hooks
    """Print what comes to mind for a prompt, given as the assistant does, on standard input; never fails."""
    _as_hook()


def session_end(agent: AgentOption = None) -> None:  # noqa: ARG001 - read by the way of hooks
    """Remember a session that has ended, or keep it until a platform runs; never fails."""
    _as_hook()


def flush(context: typer.Context, agent: AgentOption = None, json: JsonOption = False) -> None:
    """Hand over the sessions that were kept while no platform ran."""
    from nemuri.hook import session_upload, spool
    from nemuri.terminal.screen import say, say_json

    session = Session.of(context, json=json)
    where = _whereabouts(session, agent)
    became = session_upload.flush(where)
    if session.json:
        waiting = len(spool.waiting(where.data))
        say_json({"sessions": became.sessions, "turns": became.turns, "waiting": waiting, "why": became.troubles})
    else:
        say(f"handed over {became.turns} turns of {became.sessions} sessions{_too_large(became.too_large)}")
    if became.troubles:
        raise Failure("; ".join(became.troubles))


def import_(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Transcripts, or directories of them.")],
    agent: AgentOption = None,
    json: JsonOption = False,
) -> None:
    """Take in transcripts (*.jsonl); taken in again, they come to the same memories."""
    from nemuri.hook import transcript_import
    from nemuri.terminal.screen import say, say_json

    session = Session.of(context, json=json)
    became = transcript_import.take_in(paths, _whereabouts(session, agent))
    skipped = {why: number for why, number in sorted(became.skipped.items()) if number}
    if session.json:
        told = {"transcripts": became.transcripts, "sessions": became.offered.sessions, "turns": became.offered.turns}
        say_json(told | {"too_large": became.offered.too_large, "skipped": skipped})
        return
    offered = became.offered
    say(f"handed over {offered.turns} turns of {became.transcripts} transcripts{_too_large(offered.too_large)}")
    if skipped:
        reasons = (f"{number} {why}".replace("_", " ") for why, number in skipped.items())
        say(f"lines skipped: {', '.join(reasons)}")


def install(
    context: typer.Context,
    agent: AgentOption = None,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="By default ~/.claude/settings.json.")
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", metavar="PROFILE", help="How the agent forgets: coding (default), document, or none: as it is."
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Add it to the file, keep what is there, and set the agent's profile.")
    ] = False,
) -> None:
    """Show the settings by which a coding assistant calls the hooks; with --write add them and prepare the agent."""
    from nemuri.hook import settings_file
    from nemuri.terminal.screen import say, say_json
    from nemuri_domain.affective.policy_profiles import CODING, PROFILES

    session = Session.of(context)
    if profile not in (None, KEPT, *PROFILES):
        raise WrongUse(f"--profile {profile!r:.40} is none of {', '.join((*PROFILES, KEPT))}")
    chosen = session.settings()
    data = chosen.data if session.data or "data" in chosen.model_fields_set else None
    ours = settings_file.hooks(agent_id(agent) if agent else None, data)
    if not write:
        say_json({"hooks": ours})
        return
    path = settings or settings_file.settings_home()
    settings_file.wanted(path, ours)  # before anything is changed
    if profile != KEPT:
        say(_prepared(session, _whereabouts(session, agent).agent, profile or CODING, replace=profile is not None))
    changed = settings_file.install(path, ours)
    say(f"{path}: {'the hooks are there now' if changed else 'nothing new'}")


def _prepared(session: Session, agent: str, profile: str, *, replace: bool) -> str:
    """Prepare the agent on the platform, and return the line that says so."""
    from nemuri.admin import affective
    from nemuri.client.exchange import NotConnectedError
    from nemuri.platform.embedders import embedding_in_force

    async def work(client: "Client") -> affective.Prepared:
        embedding = await embedding_in_force(session.settings())
        return await affective.prepare(client, agent, profile, embedding, replace=replace)

    try:
        done = session.run(work)
    except NotConnectedError as error:
        raise Failure(f"{error}; --profile {KEPT} writes the settings without a platform") from error
    if done.defined:
        return f"{agent}: defined, with the profile {profile}"
    if done.own:
        return f"{agent}: keeps the parameters that were chosen for it; --profile {profile} replaces them"
    force = "from the next night on" if done.later else "now"
    return f"{agent}: profile {profile}, {f'in force {force}' if done.adopted else 'nothing new'}"


def _as_hook() -> None:
    from nemuri.hook.entry import run

    raise typer.Exit(run(sys.argv[1:]))


def _whereabouts(session: Session, agent: str | None) -> "Whereabouts":
    from nemuri_infra.process.hook_settings import Whereabouts

    session.settings()  # complains of wrong settings as all commands do
    return Whereabouts(str(session.data) if session.data else None, agent_id(agent) if agent else None)


def _too_large(number: int) -> str:
    return f", {number} were too large for the NATS server" if number else ""
