"""Commands for principles: principles, and principles adopt, add, reject, retire."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from nemuri.cli.failures import Failure
from nemuri.cli.session import JsonOption, Session, agent_id, storable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nemuri.client.client import Client
    from nemuri_contracts.principles import PrincipleRecord

PrincipleArgument = Annotated[str, typer.Argument(metavar="PRINCIPLE", help="The principle's id, or a prefix of it.")]


def register(app: typer.Typer) -> None:
    """Add the group to `app`."""
    group = typer.Typer(invoke_without_command=True, rich_markup_mode=None, subcommand_metavar="[COMMAND]")
    group.callback()(principles)
    for command in (adopt, add, reject, retire):
        group.command()(command)
    app.add_typer(group, name="principles")


def principles(context: typer.Context, json: JsonOption = False) -> None:
    """Show the principles that were proposed from repeated corrections, and those that persons decided on."""
    from nemuri.terminal.output import say, say_json, table

    if context.invoked_subcommand is not None:
        return
    session = Session.of(context, json=json)
    found = session.run(lambda client: client.principles())
    rows = [
        (principle.principle_id, name, principle.standing, principle.text)
        for name, some in found.items()
        for principle in some
    ]
    if session.json:
        say_json(
            [
                {"agent_id": name, **principle.model_dump(mode="json")}
                for name, some in found.items()
                for principle in some
            ]
        )
    elif rows:
        table(("principle", "holds for", "standing", "text"), rows)
    else:
        say("no principle was proposed or decided; definitions of agents list their own")


def adopt(
    context: typer.Context,
    principle: PrincipleArgument,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Other words for the principle.")] = None,
    json: JsonOption = False,
) -> None:
    """Adopt a proposed principle. It is part of every later prompt."""
    storable(**{"--text": text})

    async def work(client: "Client", name: str, known: UUID) -> None:
        await client.adopt_principle(name, known, text=text)

    _decided(context, principle, "adopted", work, json=json)


def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The principle.")],
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="AGENT", help="Only for this agent. Default: for all agents.")
    ] = None,
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="Valid in this project only.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="D", help="Valid in this domain only.")] = None,
    json: JsonOption = False,
) -> None:
    """Adopt a principle in your own words, for all agents or for one."""
    from nemuri_contracts.agents import ORGANISATION

    session = Session.of(context, json=json)
    storable(TEXT=text)
    name, scope = ORGANISATION if agent is None else agent_id(agent), session.scope(project, domain)
    made = session.run(lambda client: client.adopt_principle(name, text=text, scope=scope))
    session.tell({"principle_id": made, "agent_id": name}, str(made))


def reject(context: typer.Context, principle: PrincipleArgument, json: JsonOption = False) -> None:
    """Reject a proposed principle. It is not proposed again from the same corrections."""
    _decided(
        context, principle, "rejected", lambda client, name, known: client.reject_principle(name, known), json=json
    )


def retire(context: typer.Context, principle: PrincipleArgument, json: JsonOption = False) -> None:
    """Retire an adopted principle. It stays as an ordinary memory."""
    _decided(context, principle, "retired", lambda client, name, known: client.retire_principle(name, known), json=json)


def _decided(
    context: typer.Context,
    principle: str,
    done: str,
    work: "Callable[[Client, str, UUID], Awaitable[None]]",
    *,
    json: bool,
) -> None:
    """Find a principle by the prefix of its id, and carry out a decision on it."""

    async def decide(client: "Client") -> "tuple[str, PrincipleRecord]":
        known = [(name, principle) for name, some in (await client.principles()).items() for principle in some]
        found = [
            (name, candidate)
            for name, candidate in known
            if str(candidate.principle_id).startswith(principle.casefold())
        ]
        if len(found) != 1:
            many = "several principles begin" if found else "no principle begins"
            raise Failure(f"{many} with {principle!r:.80}; `nemuri principles` lists them")
        await work(client, found[0][0], found[0][1].principle_id)
        return found[0]

    session = Session.of(context, json=json)
    name, known = session.run(decide)
    session.tell({"principle_id": known.principle_id, "agent_id": name}, f"{known.principle_id} is {done} for {name}")
