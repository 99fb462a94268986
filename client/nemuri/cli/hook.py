"""Commands that a coding assistant calls: hook prompt, session-end, flush, import, install."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_infra.process.hook_settings import HookSettings

KEEP_PARAMETERS = "none"
"""The profile value that leaves the agent's parameters unchanged."""
AgentOption = Annotated[
    str | None,
    typer.Option("--agent", metavar="AGENT", help="The agent's id. Default: NEMURI_HOOK_AGENT, else `assistant`."),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    help_ = "Give a coding assistant a memory through its hooks."
    group = typer.Typer(no_args_is_help=True, help=help_, rich_markup_mode=None)
    group.command("prompt")(prompt)
    group.command("session-end")(session_end)
    group.command("flush")(flush)
    group.command("import")(import_)
    group.command("install")(install)
    app.add_typer(group, name="hook")


def prompt(agent: AgentOption = None) -> None:  # noqa: ARG001 - read by the way of hooks
    """Print the memories retrieved for the prompt on standard input. This command never fails."""
    _as_hook()


def session_end(agent: AgentOption = None) -> None:  # noqa: ARG001 - read by the way of hooks
    """Upload a session that has ended, or store it locally until a platform runs. This command never fails."""
    _as_hook()


def flush(context: typer.Context, agent: AgentOption = None, json: JsonOption = False) -> None:
    """Upload the sessions that were stored locally while no platform ran."""
    from nemuri.hook import session_upload, spool
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    where = _hook_settings(session, agent)
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
    became = transcript_import.import_transcripts(paths, _hook_settings(session, agent))
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


def install(
    context: typer.Context,
    agent: AgentOption = None,
    settings: Annotated[
        Path | None,
        typer.Option(
            "--settings", metavar="FILE", help="The assistant's settings file. Default: ~/.claude/settings.json."
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Forgetting profile: coding (default), document, or none to keep the present parameters.",
        ),
    ] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Add the hooks to the settings file, keep its other content, and set the agent's profile."
        ),
    ] = False,
) -> None:
    """Show the assistant's settings that call the hooks. With --write, add them and prepare the agent."""
    from nemuri.hook import settings_file
    from nemuri.terminal.output import say, say_json
    from nemuri_domain.affective.policy import CODING, PROFILES

    session = Session.of(context)
    if profile not in (None, KEEP_PARAMETERS, *PROFILES):
        raise WrongUse(f"--profile {profile!r:.40} is none of {', '.join((*PROFILES, KEEP_PARAMETERS))}")
    chosen = session.settings()
    data = chosen.data if session.data or "data" in chosen.model_fields_set else None
    ours = settings_file.hooks(agent_id(agent) if agent else None, data)
    if not write:
        say_json({"hooks": ours})
        return
    path = settings or settings_file.settings_path()
    settings_file.planned_content(path, ours)  # raises an error before anything is changed
    if profile != KEEP_PARAMETERS:
        say(_prepared(session, _hook_settings(session, agent).agent, profile or CODING, replace=profile is not None))
    changed = settings_file.install(path, ours)
    say(f"{path}: {'hooks added' if changed else 'nothing changed'}")


def _prepared(session: Session, agent: str, profile: str, *, replace: bool) -> str:
    """Define the agent on the platform or let it adopt the profile, and return a line that tells the user what was
    done.

    Raises `Failure` if no platform runs.
    """
    from nemuri.admin import affective
    from nemuri.client.exchange import NotConnectedError

    async def work(client: "Client") -> affective.PreparedAgent:
        embedding = (await client.status()).embedding
        return await affective.prepare(client, agent, profile, embedding, replace=replace)

    try:
        done = session.run(work)
    except NotConnectedError as error:
        raise Failure(f"{error}; --profile {KEEP_PARAMETERS} writes the settings without a platform") from error
    if done.defined:
        return f"{agent}: defined, with the profile {profile}"
    if done.own:
        return f"{agent}: keeps its own parameters; --profile {profile} replaces them"
    force = "from the next nightly job on" if done.later else "now"
    return f"{agent}: profile {profile}, {f'in force {force}' if done.adopted else 'nothing changed'}"


def _as_hook() -> None:
    from nemuri.hook.entry import run

    raise typer.Exit(run(sys.argv[1:]))


def _hook_settings(session: Session, agent: str | None) -> "HookSettings":
    from nemuri_infra.process.hook_settings import HookSettings

    session.settings()  # reports wrong settings as all commands do
    return HookSettings(str(session.data) if session.data else None, agent_id(agent) if agent else None)


def _too_large(number: int) -> str:
    return f", {number} were too large for the NATS server" if number else ""
