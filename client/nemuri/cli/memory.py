"""The command group of one memory: memory [show] MEMORY, memory history MEMORY, and the commands that correct it."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer
from typer.core import TyperGroup

from nemuri.cli import corrections
from nemuri.cli.id_arguments import id_argument
from nemuri.cli.memory_json import flat
from nemuri.cli.session import JsonOption, Session

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.memory_views import MemoryView
    from nemuri_domain.strength.memory_history import HistoryStep

MemoryArgument = Annotated[UUID, id_argument("memory", "The memory's id, or a prefix of it.")]


class _ShowByDefault(TyperGroup):
    """A command group in which `memory MEMORY` means `memory show MEMORY`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments. Without the name of a command, `show` is meant."""
        named = any(argument in self.commands for argument in args)
        asked = not args or "--help" in args
        return super().parse_args(ctx, args if named or asked else ["show", *args])


def register(app: typer.Typer) -> None:
    """Add the group to `app`."""
    group = typer.Typer(cls=_ShowByDefault, no_args_is_help=True, rich_markup_mode=None)
    for command in (show, history, *corrections.COMMANDS):
        group.command()(command)
    app.add_typer(group, name="memory", help="Show or correct one memory: memory MEMORY shows it.")


def show(context: typer.Context, memory: MemoryArgument, json: JsonOption = False) -> None:
    """Show one memory in full. This is the command if none is named."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    found = flat(session.run(lambda client: client.memory(memory)))
    if session.json:
        say_json(found)
        return
    sources: list[dict[str, Any]] = found.pop("sources")
    width = max(map(len, found))
    for name, value in found.items():
        say(f"{name:{width}}  {_shown(value)}")
    for source in sources:
        when = (source["said_at"] or source["created_at"])[:10]
        say(
            f"{'source':{width}}  {source['memory_id']}, {when}, used {source['access_count']} times: "
            f"{source['content']}"
        )


def history(context: typer.Context, memory: MemoryArgument, json: JsonOption = False) -> None:
    """Show every event that changed a memory: when, why, and who asked for it."""
    from nemuri.cli.memory_history_lines import show_history
    from nemuri.terminal.output import say, say_json, short

    async def work(client: "Client") -> "tuple[MemoryView, tuple[HistoryStep, ...]]":
        from nemuri.operations.past_states import steps_of

        known = await client.memory(memory)
        return known, await steps_of(client.log, known.agent_id, memory)

    session = Session.of(context, json=json)
    known, steps = session.run(work)
    if session.json:
        say_json({"memory_id": memory, "agent_id": known.agent_id, "content": known.memory.content, "steps": steps})
    else:
        say(f"{known.agent_id}: {short(known.memory.content)}")
        show_history(steps)


def _shown(value: Any) -> str:
    if isinstance(value, dict) and {"older", "sort", "reason"} <= value.keys():
        where = f" under {value['perspective']}" if value["perspective"] else ""
        why = f" ({value['reason']})" if value["reason"] else ""
        return f"{value['sort']} {value['older']}{where}{why}"
    if isinstance(value, dict):
        return ", ".join(f"{name}: {_shown(element)}" for name, element in value.items()) or "none"
    if isinstance(value, list):
        return ", ".join(map(_shown, value)) or "none"
    return f"{value:.3f}" if isinstance(value, float) else "none" if value is None else str(value)
