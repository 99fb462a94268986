"""Command groups whose first argument is an agent: affect AGENT …, tiers AGENT …."""

from collections.abc import Callable, Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from nemuri.cli.session import Session, agent_id


class _AgentFirst(TyperGroup):
    """A command group `GROUP AGENT [COMMAND]`. Options after the agent belong to the command, if there is one."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Options may follow the agent only if no command is named.

        If a command is named, the options after the agent are left to the command.
        """
        ctx.allow_interspersed_args = not any(argument in self.commands for argument in args[1:])
        return super().parse_args(ctx, args)


def add(app: typer.Typer, name: str, overview: Callable[..., None], commands: Sequence[Callable[..., None]]) -> None:
    """Add a group: `overview` takes the agent and runs if no command is given; `commands` are the group's commands."""
    group = typer.Typer(
        cls=_AgentFirst, invoke_without_command=True, rich_markup_mode=None, subcommand_metavar="[COMMAND]"
    )
    group.callback()(overview)
    for command in commands:
        group.command(command.__name__.rstrip("_"))(command)
    app.add_typer(group, name=name)


def of(context: typer.Context, *, json: bool) -> tuple[Session, str]:
    """Return the session of a command in a group, and the id of the agent that was named before the command.

    Raises `WrongUse` if the id is invalid.
    """
    assert context.parent is not None  # noqa: S101 - these commands are nowhere else
    return Session.of(context, json=json), agent_id(context.parent.params["agent"])
