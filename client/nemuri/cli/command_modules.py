"""An index of the commands, by which a command line imports only the module of its command."""

import json
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import typer

from nemuri.cli import extension_commands

PANELS: Final[Mapping[str, Mapping[str, str]]] = {
    "First steps": {
        "demo": "platform_commands", "up": "platform_commands", "down": "down", "status": "status", "agent": "agents",
        "agents": "agents", "ask": "tasks", "remember": "memories", "recall": "memories",
    },
    "Tasks": {"submit": "tasks", "result": "tasks", "answer": "tasks", "feedback": "tasks", "why": "why"},
    "Memory": {
        "converse": "conversations", "memories": "memories", "memory": "memory", "memo": "doctor",
        "profile": "memories", "person": "person", "import": "import_export", "export": "import_export",
        "principles": "principles", "scorer": "scorers", "affect": "affective", "tiers": "tiered",
        "hook": "hook", "mcp": "mcp",
    },
    "Teaching": {"teach": "education", "courses": "education", "clock": "education"},
    "Looking back": {"state": "past_states", "diff": "past_states", "replay": "replay", "log": "log"},
    "Faces": {"window": "window", "token": "window", "webhook": "webhooks"},
    "Operating": {
        "service": "service", "worker": "platform_commands", "doctor": "doctor", "dead": "dead_letters",
        "park": "park_event", "verify": "platform_commands", "rebuild": "platform_commands",
        "reembed": "platform_commands", "embedder": "embedder", "backup": "backup", "restore": "backup",
        "forget": "forget", "permissions": "permissions", "prompts": "prompts",
    },
    "Experiments": {"experiment": "experiments", "eval": "evaluation"},
}  # fmt: skip
"""The module of each command of the core, in the order of the help, by panel. A module adds all its commands with its
function `register`.
"""
MODULES: Final = tuple(dict.fromkeys(module for panel in PANELS.values() for module in panel.values()))
"""The modules of commands, each once."""
SUMMARIES: Final = Path(__file__).with_name("command_summaries.json")
"""The first sentences of the help of each command of the core, made by `python -m nemuri.cli.man_page`."""
_WITH_VALUE: Final = ("--data",)
"""Options of the program that are followed by a value."""
_HELP: Final = "--help"
_VERSION: Final = "--version"


def register_commands(app: typer.Typer, words: Sequence[str] | None) -> None:
    """Add to `app` what a command line needs: the commands of the module of its command, and none for the version. If
    it names no command of the core, as for the help, it gets those of extensions, and the others by name and summary
    only. With None, all commands are added.
    """
    if words and words[0] == _VERSION:
        return
    name = None if words is None else command_in(words)
    modules = [panel[name] for panel in PANELS.values() if name in panel] if name else []
    for module in MODULES if words is None else modules:
        import_module(f"nemuri.cli.{module}").register(app)
    if words is not None and not modules:
        for command, summary in json.loads(SUMMARIES.read_text(encoding="utf-8")).items():
            app.command(command, help=summary)(_listed)
    if not modules:
        for extension in extension_commands.command_modules():
            extension.register(app)


def command_in(words: Sequence[str]) -> str | None:
    """Return the first word that is neither an option of the program nor its value; None if there is none, or if the
    help of the program is asked for.
    """
    left = iter(words)
    for word in left:
        if word == _HELP:
            return None
        if word in _WITH_VALUE:
            next(left, None)
        elif not word.startswith("-"):
            return word
    return None


def _listed() -> None:
    """Stand for a command that is only listed: a command line that names it gets the command itself."""
