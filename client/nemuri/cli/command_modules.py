"""An index of the modules of commands, by which a command line imports only the module of its command."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Final

import typer

from nemuri.cli import extension_commands

MODULES: Final[Mapping[str, tuple[str, ...]]] = {
    "affective": ("affect",),
    "agents": ("agents", "agent"),
    "backup": ("backup", "restore"),
    "conversations": ("converse",),
    "dead_letters": ("dead",),
    "doctor": ("doctor", "memo"),
    "down": ("down",),
    "education": ("teach", "courses", "clock"),
    "embedder": ("embedder",),
    "evaluation": ("eval",),
    "experiments": ("experiment",),
    "forget": ("forget",),
    "hook": ("hook",),
    "log": ("log",),
    "mcp": ("mcp",),
    "memories": ("remember", "recall", "profile", "memories"),
    "memory": ("memory",),
    "import_export": ("import", "export"),
    "park_event": ("park",),
    "past_states": ("state", "diff"),
    "permissions": ("permissions",),
    "person": ("person",),
    "platform_commands": ("up", "worker", "rebuild", "verify", "reembed", "demo"),
    "principles": ("principles",),
    "prompts": ("prompts",),
    "replay": ("replay",),
    "scorers": ("scorer",),
    "service": ("service",),
    "status": ("status",),
    "tasks": ("ask", "submit", "result", "answer", "feedback"),
    "tiered": ("tiers",),
    "webhooks": ("webhook",),
    "why": ("why",),
    "window": ("window", "token"),
}
"""The commands of each module of this package. A module adds them all with its function `register`."""
_WITH_VALUE: Final = ("--data",)
"""Options of the program that are followed by a value."""


def register_commands(app: typer.Typer, words: Sequence[str]) -> None:
    """Add to `app` the commands that a command line needs: those of the module of its command, or all if it names no
    command of the core, as for the help.
    """
    name = command_in(words)
    needed = next(([module] for module, names in MODULES.items() if name in names), None)
    for module in needed or MODULES:
        import_module(f"nemuri.cli.{module}").register(app)
    if needed is None:
        for extension in extension_commands.command_modules():
            extension.register(app)


def command_in(words: Sequence[str]) -> str | None:
    """Return the first word that is neither an option of the program nor its value; None if there is none."""
    left = iter(words)
    for word in left:
        if word in _WITH_VALUE:
            next(left, None)
        elif not word.startswith("-"):
            return word
    return None
