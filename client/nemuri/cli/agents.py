"""Commands for agents: agents, agent add, agent keywords."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nemuri.cli.session import JsonOption, Session, agent_id

if TYPE_CHECKING:
    from nemuri.admin.agent_definitions import AddedAgent
    from nemuri.client.client import Client
    from nemuri_contracts.memory_views import AgentView, KeywordsView


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(no_args_is_help=True, help="Define agents.", rich_markup_mode=None)
    group.command("add")(agent_add)
    group.command("keywords")(agent_keywords)
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
        rows = [_agent_row(each) for each in found]
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
    from nemuri.platform.embedder_check import compare_agents
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    definition = read_definition(file)

    async def work(client: "Client") -> "tuple[AddedAgent, list[str]]":
        embedding = (await client.status()).embedding
        compare_agents(await client.agents(), embedding)
        added = await add_agent(client, definition, embedding)
        return added, paces(await client.agents(added.agent_id))

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
    from nemuri.terminal.output import say_json

    session = Session.of(context, json=json)
    name = agent_id(agent)

    async def work(client: "Client") -> "tuple[KeywordsView, bool]":
        found = await client.keywords(name)
        chosen = chosen_keywords(found, without or ())
        return found, adopt and bool(chosen) and await adopt_keywords(client, name, chosen)

    found, adopted = session.run(work)
    if session.json:
        say_json(found.model_dump(mode="json") | {"adopted": adopted})
    else:
        _say_keywords(found, session, adopted=adopted)


def _say_keywords(found: "KeywordsView", session: Session, *, adopted: bool) -> None:
    from nemuri.cli.result_lines import next_command
    from nemuri.terminal.output import say

    for perspective, words in found.proposed.items():
        say(f"{perspective}: {', '.join(f'{each.keyword} ({each.memories})' for each in words)}")
    if not found.proposed:
        say(f"no keywords to propose from {found.memories} memories")
    elif adopted:
        say(f"{found.agent_id}: keywords adopted")
    else:
        say(f"adopt them with `{next_command(session, f'agent keywords {found.agent_id} --adopt')}`")


def _agent_row(agent: "AgentView") -> tuple[object, ...]:
    """Return the agent's row of the table. The name is in parentheses if no task can be sent to the agent."""
    from nemuri.admin.forgetting_speed_text import short_pace
    from nemuri_contracts.agents import ORCHESTRATOR

    names = ", ".join(agent.definition.perspective_names)
    name = f"({agent.agent_id})" if agent.agent_id == ORCHESTRATOR else agent.agent_id
    unused = short_pace(agent.fading)
    return name, agent.definition.role, names, agent.active, agent.archived, agent.sessions_slept, unused
