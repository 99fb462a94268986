"""The tree of commands: options that every command accepts, and the order of commands in the help."""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, groupby
from typing import Any, Final

import typer

from nemuri.cli import extension_commands
from nemuri.cli.command_modules import PANELS
from nemuri.cli.failures import USAGE_ERRORS
from nemuri.cli.session import Session

GLOBAL_OPTIONS: Final = ("data", "verbose")
"""Options of the program that are also accepted after a command's name."""


def panels() -> dict[str, tuple[str, ...]]:
    """Return the commands in the order of the help, those of extensions last, by panel."""
    core = {heading: tuple(modules) for heading, modules in PANELS.items()}
    return core | dict(module.PANEL for module in extension_commands.command_modules())


def build_program(app: typer.Typer) -> Any:
    """Return the program to run: its commands grouped by panel in the help, each with the options `GLOBAL_OPTIONS`."""
    root = typer.main.get_command(app)
    shared = [param for param in root.params if param.name in GLOBAL_OPTIONS]
    known: dict[str, Any] = getattr(root, "commands")  # noqa: B009 - the library types it as a command alone
    order = PANELS if known.keys() <= set(chain.from_iterable(PANELS.values())) else panels()
    headings = {name: heading for heading, names in order.items() for name in names}
    known.update({name: known.pop(name) for name in headings if name in known})
    for command in _tree(root):
        command.rich_markup_mode = None  # importing rich would take a third of the time of a help
        if hasattr(command, "format_commands"):
            command.format_commands = _with_whole_summaries(command, headings if command is root else {})
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


def _with_whole_summaries(group: Any, headings: Mapping[str, str]) -> Callable[[Any, Any], None]:
    """Return a function that lists the commands of `group` in its help, by heading, with whole summaries. The library
    cuts them at the width of the terminal.
    """

    def write(_: Any, formatter: Any) -> None:
        rows = {name: summary_of(command) for name, command in group.commands.items() if not command.hidden}
        for heading, names in groupby(rows, key=lambda name: headings.get(name, "Commands")):
            with formatter.section(heading):
                formatter.write_dl([(name, rows[name]) for name in names])

    return write


def summary_of(command: Any) -> str:
    """Return the first paragraph of a command's help, in one line."""
    return " ".join(command.help.split("\n\n")[0].split())


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
