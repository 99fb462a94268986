"""Commands for agents: agents, agent add, agent keywords, agent clone, agent handover."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from nemuri.cli.id_arguments import id_option
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, KeyOption, Session, agent_id, storable
from nemuri_contracts.colleagues import HandoverWish

if TYPE_CHECKING:
    from nemuri.admin.agent_definitions import AddedAgent
    from nemuri.client.client import Client
    from nemuri_contracts.memory_views import AgentView, KeywordsView


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(
        no_args_is_help=True, help="Define and copy agents, and hand over memories.", rich_markup_mode=None
    )
    group.command("add")(agent_add)
    group.command("keywords")(agent_keywords)
    group.command("clone")(agent_clone)
    group.command("handover")(agent_handover)
    app.add_typer(group, name="agent")
    app.command()(agents)


def agents(context: typer.Context, json: JsonOption = False) -> None:
    """Show all agents."""
    from nemuri.admin.forgetting_speed_text import paces
    from nemuri.terminal.output import say, say_json, table

    session = Session.of(context, json=json)
    found: tuple[AgentView, ...] = session.run(lambda client: client.agents(orchestrator=True))
    if session.json:
        say_json(found)
    elif not found:
        say("there are no agents yet; define one with `nemuri agent add FILE.yaml`")
    else:
        columns = ("agent", "role", "perspectives", "active", "archived", "slept", "unused for")
        rows = [_agent_row(agent) for agent in found]
        table(columns, rows, numbers=("active", "archived", "slept"))
        for line in paces(found):
            say(line)


def agent_add(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE.yaml", help="The agent's definition file.")],
    json: JsonOption = False,
) -> None:
    """Define an agent, or change its definition."""
    from nemuri.admin.agent_definitions import add_agent, read_definition
    from nemuri.admin.forgetting_speed_text import paces
    from nemuri.admin.principle_lines import principle_lines
    from nemuri.platform.embedder_check import compare_agents
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    definition = read_definition(file)

    async def work(client: "Client") -> "tuple[AddedAgent, list[str]]":
        embedding = (await client.status()).embedding
        compare_agents(await client.agents(), embedding)
        added = await add_agent(client, definition, embedding)
        told = paces(await client.agents(added.agent_id))
        if definition.definition.memory == "strength":
            told += [line for agent in await client.health(added.agent_id) for line in principle_lines(agent)]
        return added, told

    added, lines = session.run(work)
    if session.json:
        say_json({"agent_id": added.agent_id, "defined": added.defined, "policy_adopted": added.policy_adopted})
    else:
        news = [name for name, new in (("defined", added.defined), ("policy adopted", added.policy_adopted)) if new]
        say(f"{added.agent_id}: {' and '.join(news) or 'nothing changed'}")
        for line in lines:
            say(line)


def agent_keywords(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    adopt: Annotated[bool, typer.Option("--adopt", help="Add the proposed keywords to the definition.")] = False,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="WORD", help="Leave out this keyword; repeatable.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Propose keywords for the perspectives of an agent from its memories; nothing changes without --adopt."""
    from nemuri.admin.agent_keywords import adopt_keywords, chosen_keywords

    session = Session.of(context, json=json)
    name = agent_id(agent)

    async def work(client: "Client") -> "tuple[KeywordsView, bool]":
        found = await client.keywords(name)
        chosen = chosen_keywords(found, without or ())
        return found, adopt and bool(chosen) and await adopt_keywords(client, name, chosen)

    found, adopted = session.run(work)
    session.show(
        found.model_dump(mode="json") | {"adopted": adopted}, lambda: _say_keywords(found, session, adopted=adopted)
    )


def _say_keywords(found: "KeywordsView", session: Session, *, adopted: bool) -> None:
    from nemuri.cli.result_lines import next_command
    from nemuri.terminal.output import say

    for perspective, words in found.proposed.items():
        say(f"{perspective}: {', '.join(f'{word.keyword} ({word.memories})' for word in words)}")
    if not found.proposed:
        say(f"no keywords to propose from {found.memories} memories")
    elif adopted:
        say(f"{found.agent_id}: keywords adopted")
    else:
        say(f"adopt them with `{next_command(session, f'agent keywords {found.agent_id} --adopt')}`")


def agent_clone(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent to copy.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The id of the new agent.")],
    json: JsonOption = False,
) -> None:
    """Copy an agent with its policy and all its memories. From then on the two learn separately."""
    from nemuri.operations.agent_clone import clone_agent

    session = Session.of(context, json=json)
    original, name = agent_id(agent), agent_id(new)
    cloned = session.run(lambda client: clone_agent(client, original, name))
    session.tell(
        asdict(cloned),
        f"{cloned.agent_id}: {cloned.memories} memories of {original} as of {cloned.as_of:%Y-%m-%d %H:%M:%S} UTC",
    )


@takes(HandoverWish)
def agent_handover(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM", help="The agent that passes on memories.")],
    receiver: Annotated[str, typer.Argument(metavar="TO", help="The agent that gets them.")],
    task_id: Annotated[UUID | None, id_option("task", "--task", "Only memories relevant to this task.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be passed on. Nothing changes.")] = False,
    key: KeyOption = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Pass on what another agent needs and does not know yet. By default its role says what it needs."""
    from nemuri.cli.handover_lines import lines
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    taker = agent_id(receiver)
    storable(**{"--key": key})
    options |= {"task_id": task_id, "dry_run": dry_run, "key": key}
    view = session.run(lambda client: client.handover(source, taker, **options))
    if session.json:
        say_json(view)
    else:
        for line in lines(view, dry_run=dry_run):
            say(line)


def _agent_row(agent: "AgentView") -> tuple[object, ...]:
    """Return the agent's row of the table. The name is in parentheses if no task can be sent to the agent."""
    from nemuri.admin.forgetting_speed_text import short_pace
    from nemuri_contracts.agents import ORCHESTRATOR

    names = ", ".join(agent.definition.perspective_names)
    name = f"({agent.agent_id})" if agent.agent_id == ORCHESTRATOR else agent.agent_id
    unused = short_pace(agent.fading)
    return name, agent.definition.role, names, agent.active, agent.archived, agent.sessions_slept, unused
