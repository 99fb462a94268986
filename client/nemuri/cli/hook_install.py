"""Commands that connect a coding assistant with its memory: hook install, uninstall and doctor."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.hook_options import AgentOption, hook_settings
from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri.hook.assistants import Assistant
    from nemuri_infra.process.hook_settings import HookSettings

KEEP_PARAMETERS = "none"
"""The profile value that leaves the agent's parameters unchanged."""
AssistantOption = Annotated[
    str,
    typer.Option("--assistant", metavar="NAME", help="claude (default), codex, gemini, cursor or opencode."),
]
SettingsOption = Annotated[
    Path | None,
    typer.Option("--settings", metavar="FILE", help="The assistant's settings file. Default: that of the user."),
]


def register(group: typer.Typer) -> None:
    """Add the commands of this module to the group `hook`."""
    for command in (install, uninstall, doctor):
        group.command(command.__name__)(command)


def install(
    context: typer.Context,
    agent: AgentOption = None,
    assistant: AssistantOption = "claude",
    settings: SettingsOption = None,
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
    force: Annotated[
        bool, typer.Option("--force", help="Go on although the assistant's plugin has the same hooks.")
    ] = False,
) -> None:
    """Show the assistant's settings that call the hooks. With --write, add them, start the platform if none runs, and
    prepare the agent.
    """
    from nemuri.hook import settings_file
    from nemuri.terminal.output import say, say_json
    from nemuri_domain.affective.policy import CODING, PROFILES

    session, chosen = Session.of(context), _assistant(assistant)
    if profile not in (None, KEEP_PARAMETERS, *PROFILES):
        raise WrongUse(f"--profile {profile!r:.40} is none of {', '.join((*PROFILES, KEEP_PARAMETERS))}")
    path = settings or chosen.settings
    if not force:
        _require_no_plugin(chosen, path)
    known = session.settings()
    data = known.data if session.data or "data" in known.model_fields_set else None
    made = settings_file.plugin if chosen.shape == "plugin" else settings_file.hooks
    ours = made(agent_id(agent) if agent else None, data, chosen)
    if not write:
        say(ours["source"]) if chosen.shape == "plugin" else say_json(chosen.known | {"hooks": ours})
        return
    before, after = settings_file.planned_content(path, ours, chosen)  # raises an error before anything is changed
    if before != after:
        settings_file.check_writable(path)
    if profile != KEEP_PARAMETERS:
        where = hook_settings(session, agent)
        if _started(where):
            say(f"a platform was started in {where.data}; `nemuri down` stops it")
        say(_prepared(session, where.agent, profile or CODING, replace=profile is not None))
    changed = settings_file.install(path, ours, chosen)
    say(f"{path}: {'hooks added' if changed else 'nothing changed'}")


def uninstall(context: typer.Context, assistant: AssistantOption = "claude", settings: SettingsOption = None) -> None:
    """Remove the hooks from the assistant's settings. What was remembered stays."""
    from nemuri.hook import settings_file
    from nemuri.terminal.output import say

    Session.of(context)
    chosen = _assistant(assistant)
    path = settings or chosen.settings
    changed = settings_file.install(path, {}, chosen)
    say(f"{path}: {'hooks removed' if changed else 'nothing changed'}")


def doctor(
    context: typer.Context,
    agent: AgentOption = None,
    assistant: AssistantOption = "claude",
    settings: SettingsOption = None,
    json: JsonOption = False,
) -> None:
    """Check the hooks: settings, platform, agent, reading model, waiting sessions, and errors of the last day."""
    from nemuri.hook.doctor import check_installation
    from nemuri.terminal.output import say, say_json

    session, chosen = Session.of(context, json=json), _assistant(assistant)
    checks = check_installation(hook_settings(session, agent), chosen, settings or chosen.settings)
    if session.json:
        say_json([check._asdict() for check in checks])
    else:
        for check in checks:
            say(f"{'ok ' if check.well else 'no '} {check.name:9} {check.found}")
    if faults := [check.name for check in checks if not check.well]:
        raise Failure(f"not in order: {', '.join(faults)}")


def _assistant(name: str) -> "Assistant":
    from nemuri.hook.assistants import ASSISTANTS

    if name not in ASSISTANTS:
        raise WrongUse(f"--assistant {name!r:.40} is none of {', '.join(ASSISTANTS)}")
    return ASSISTANTS[name]


def _require_no_plugin(assistant: "Assistant", settings: Path) -> None:
    """Raise `Failure` if the assistant's plugin is enabled."""
    from nemuri.hook.enabled_plugin import enabled_plugin

    if (plugin := enabled_plugin(assistant, settings, Path.cwd())) is not None:
        raise Failure(
            f"the plugin {plugin.name}, enabled in {plugin.path}, already has the hooks, and each turn would be handled"
            " twice; disable the plugin, or use --force"
        )


def _started(where: "HookSettings") -> bool:
    """Start the platform if none runs and hooks may start one, and return when it is ready: True if it was started.

    Raises `Failure` if it does not become ready.
    """
    from nemuri.hook.background import may_start
    from nemuri.hook.wake import PlatformNotStarted, start_platform

    try:
        return may_start(where) and start_platform(where)
    except PlatformNotStarted as error:
        raise Failure(f"{error}; --profile {KEEP_PARAMETERS} writes the settings without a platform") from error


def _prepared(session: Session, agent: str, profile: str, *, replace: bool) -> str:
    """Define the agent on the platform or let it adopt the profile, and return a line that tells the user what was
    done.

    Raises `Failure` if the platform runs elsewhere and cannot be reached, or if hooks may not start one.
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
