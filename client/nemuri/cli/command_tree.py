"""The tree of commands: options that every command accepts, and the order of commands in the help."""

import copy
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import typer

from nemuri.cli import extension_commands
from nemuri.cli.failures import USAGE_ERRORS
from nemuri.cli.session import Session

GLOBAL_OPTIONS: Final = ("data", "verbose")
"""Options of the program that are also accepted after a command's name."""
PANELS: Final = {
    "First steps": ("demo", "up", "down", "status", "agent", "agents", "ask", "remember", "recall"),
    "Tasks": ("submit", "result", "answer", "feedback", "why"),
    "Memory": (
        "converse", "memories", "memory", "memo", "profile", "person", "import", "export", "principles", "scorer",
        "affect", "tiers", "hook", "mcp",
    ),
    "Teaching": ("teach", "courses", "clock"),
    "Looking back": ("state", "diff", "replay", "log"),
    "Faces": ("window", "token", "webhook"),
    "Operating": (
        "service", "worker", "doctor", "dead", "park", "verify", "rebuild", "reembed", "embedder", "backup", "restore",
        "forget", "permissions", "prompts",
    ),
    "Experiments": ("experiment", "eval"),
}  # fmt: skip
"""The commands of the core in the order of the help, by panel."""


def panels() -> dict[str, tuple[str, ...]]:
    """Return the commands in the order of the help, those of extensions last, by panel."""
    return PANELS | dict(module.PANEL for module in extension_commands.command_modules())


def build_program(app: typer.Typer) -> Any:
    """Return the program to run: its commands grouped by panel in the help, each with the options `GLOBAL_OPTIONS`."""
    root = typer.main.get_command(app)
    shared = [param for param in root.params if param.name in GLOBAL_OPTIONS]
    known: dict[str, Any] = getattr(root, "commands")  # noqa: B009 - the library types it as a command alone
    order = PANELS if known.keys() <= set(chain.from_iterable(PANELS.values())) else panels()
    headings = {name: heading for heading, names in order.items() for name in names}
    for name, command in known.items():
        command.rich_help_panel = headings.get(name)
    known.update({name: known.pop(name) for name in headings if name in known})
    for command in _tree(root):
        command.rich_markup_mode = "rich"
        command.parse_args = _named(command.parse_args)
        if command is not root:
            taken = {name for param in command.params for name in param.opts}
            command.params += [_after_the_name(param) for param in shared if taken.isdisjoint(param.opts)]
    return root


def _named(parse: Callable[[Any, list[str]], Any]) -> Callable[[Any, list[str]], Any]:
    """Return `parse`, extended to set the command's context on usage errors. click raises some of them without it."""

    def parsed(context: Any, words: list[str]) -> Any:
        try:
            return parse(context, words)
        except USAGE_ERRORS as error:
            if getattr(error, "ctx", None) is None:
                setattr(error, "ctx", context)  # noqa: B010 - the library types it as an exception alone
            raise

    return parsed


def _tree(command: Any) -> Iterator[Any]:
    yield command
    for subcommand in getattr(command, "commands", {}).values():
        yield from _tree(subcommand)


def _after_the_name(option: Any) -> Any:
    """Return a copy of a global option that is accepted after a command's name. Its value replaces the session's value.

    The option is read before the command's own arguments, because completing a short id needs the platform.
    """
    own = copy.copy(option)
    own.expose_value, own.is_eager, own.callback = False, True, _tell
    return own


def _tell(context: typer.Context, option: Any, value: Any) -> Any:
    if value:
        context.obj = replace(Session.of(context), **{option.name: value})
    return value
