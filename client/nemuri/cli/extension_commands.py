"""Commands of extensions, and the errors that end them."""

from collections.abc import Iterator
from typing import Protocol

import typer

from nemuri_infra.process.extensions import parts


class CommandModule(Protocol):
    """A module of commands. It is imported with every command line, so it imports what it needs when a command runs."""

    @property
    def PANEL(self) -> tuple[str, tuple[str, ...]]:  # noqa: N802 - a constant of the module
        """Return the heading of the commands in the help, and their names in order."""
        ...

    def register(self, app: typer.Typer) -> None:
        """Add the commands to the command line."""
        ...


def command_modules() -> Iterator[CommandModule]:
    """Yield the modules of commands of all extensions."""
    yield from parts("commands")


def failures() -> tuple[type[Exception], ...]:
    """Return the exception types of all extensions that end a command with one line."""
    return tuple(kind for kinds in parts("failures") for kind in kinds)
