"""Commands for tiered memory: tiers AGENT, with record, recall, consolidate and share."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli import agent_first_group
from nemuri.cli.failures import WrongUse
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, Session, agent_id, storable
from nemuri_contracts.queries import TiersRecallQuery
from nemuri_contracts.tiered import Experience

if TYPE_CHECKING:
    from nemuri_contracts.tiered import Sharing


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    agent_first_group.add(app, "tiers", tiers, (record, recall, consolidate, share))


def tiers(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    json: JsonOption = False,
) -> None:
    """Show an agent's short-term and long-term memory, or run one of the commands below on it."""
    session = Session.of(context, json=json)
    name = agent_id(agent)
    if context.invoked_subcommand is not None:
        context.obj = session
        return
    from nemuri.cli.tiered_lines import show

    view = session.run(lambda client: client.tiers(name))
    session.show(view, lambda: show(view))


@takes(Experience)
def record(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The experience to store.")],
    participants: Annotated[
        list[str] | None, typer.Option("--with", metavar="NAME", help="A participant; repeatable.")
    ] = None,
    importance: Annotated[
        float | None,
        typer.Option(
            "--importance", metavar="NUMBER", help="Importance, 0 to 1. Default: estimated from type and words."
        ),
    ] = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Store an experience in short-term memory."""

    session, agent = agent_first_group.of(context, json=json)
    storable(TEXT=text)
    options |= {"participants": participants or (), "importance": importance}
    memory = session.run(lambda client: client.experience(agent, text, **options))
    session.tell({"memory_id": memory}, f"stored for {agent}: {memory}")


@takes(TiersRecallQuery)
def recall(
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The text to search for.")],
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Show the memories that would be retrieved for a query, and why. Nothing is recorded."""
    from nemuri.cli.tiered_lines import show_recalled

    session, agent = agent_first_group.of(context, json=json)
    found = session.run(lambda client: client.tiers_recall(agent, query, quietly=True, **options))
    session.show(found, lambda: show_recalled(found))


def consolidate(context: typer.Context, json: JsonOption = False) -> None:
    """Consolidate all of short-term memory into long-term memory."""
    from nemuri.admin import tiered
    from nemuri.terminal.output import say, say_json

    session, agent = agent_first_group.of(context, json=json)
    done = session.run(lambda client: tiered.consolidate(client, agent))
    if session.json:
        say_json({"consolidated": done.gone, "short": done.view.short, "long": done.view.long})
    elif done.gone:
        say(f"{done.gone} memories consolidated; {done.view.long} are in long-term memory")
    else:
        say("short-term memory is empty")


def share(
    context: typer.Context,
    memory: Annotated[str, typer.Argument(metavar="MEMORY", help="The memory's id, or a prefix of it.")],
    whom: Annotated[str | None, typer.Option("--with", metavar="AGENT", help="Share with this agent.")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="AGENT", help="A member of the group to share with; repeatable."),
    ] = None,
    everybody: Annotated[bool, typer.Option("--global", help="Share with all agents.")] = False,
    json: JsonOption = False,
) -> None:
    """Share a memory with other agents. It stays unchanged in long-term memory."""
    from nemuri.admin import tiered

    session, agent = agent_first_group.of(context, json=json)
    storable(MEMORY=memory)
    scope, others = _with_whom(whom, group or [], everybody=everybody)
    found = session.run(lambda client: tiered.share(client, agent, memory, scope, others))
    session.tell(found, f"{found.memory_id} is shared with {', '.join(others) or 'all'}")


def _with_whom(whom: str | None, group: list[str], *, everybody: bool) -> "tuple[Sharing, list[str]]":
    if (whom is not None) + bool(group) + everybody != 1:
        raise WrongUse("give one of --with AGENT, --group AGENT … and --global")
    if whom is not None:
        return "bilateral", [agent_id(whom)]
    return ("group", [agent_id(name) for name in dict.fromkeys(group)]) if group else ("global", [])
