"""The root of the command line: all commands by name."""
# ruff: noqa: FBT001, FBT002 - typer reads options from the parameters

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from nemuri.cli import (
    affective,
    agents,
    backup,
    conversations,
    dead_letters,
    doctor,
    down,
    education,
    embedder,
    evaluation,
    experiments,
    extension_commands,
    forget,
    hook,
    log,
    mcp,
    memories,
    memory,
    moving,
    park_event,
    past_states,
    permissions,
    person,
    platform_commands,
    principles,
    prompts,
    replay,
    scorers,
    service,
    status,
    tasks,
    tiered,
    why,
    window,
)
from nemuri.cli.session import Session
from nemuri_infra.process.hook_settings import default_directory

app = typer.Typer(
    help="Agents that remember by use and forget by sleeping.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)


_DATA = f"The platform's data directory. Default: NEMURI_DATA, else {default_directory()}."


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"nemuri {version('nemuri')}")
        raise typer.Exit


def _directory(name: str) -> Path:
    """Return the directory of an option. An empty name would mean the current directory."""
    if not name.strip():
        raise typer.BadParameter("name a directory")
    return Path(name)


@app.callback()
def root(
    context: typer.Context,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DIR", help=_DATA, show_default=False, parser=_directory)
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as one JSON value.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", help="Write log messages to stderr.")] = False,
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Agents that remember by use and forget by sleeping."""
    context.obj = Session(data, json=json, verbose=verbose)


for _group in (
    tasks, why, agents, conversations, memories, memory, moving, person, principles, past_states, replay, education,
    doctor, hook, affective, tiered, scorers, log, mcp, dead_letters, platform_commands, window, park_event, forget,
    backup, permissions, prompts, experiments, evaluation, down, service, status, embedder,
):  # fmt: skip
    _group.register(app)
for _module in extension_commands.command_modules():
    _module.register(app)
if (_demo := find_spec("nemuri.demo")) is not None and _demo.origin is not None:
    platform_commands.register_demo(app)
