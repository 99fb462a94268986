"""Commands for memories: remember, recall, memories."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import sys
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.memory_json import flat
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, KeyOption, Session, agent_id, storable
from nemuri_contracts.client_events import MemoryContent
from nemuri_contracts.queries import MemoryConditions, ProfileOptions, RecallOptions

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from nemuri.client.client import Client
    from nemuri_contracts.memory_views import MemoryView, ProfileView, RecalledMemory, RecallView

MAX_SHOWN = 10_000
"""Maximum number of memories shown."""

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (remember, recall, profile, memories):
        app.command()(command)


@takes(MemoryContent)
def remember(
    context: typer.Context,
    agent: AgentArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to remember.")],
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="Valid in this project only.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="D", help="Valid in this domain only.")] = None,
    key: KeyOption = None,
    existing: Annotated[
        bool, typer.Option("--existing", help="Refuse an unknown agent. By default it is made, and a line says so.")
    ] = False,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Store one memory for an agent. `nemuri import jsonl` stores those of a file."""
    session = Session.of(context, json=json)
    name = agent_id(agent)
    content = _content(text, options | {"scope": session.scope(project, domain)})
    storable(**{"--key": key})
    memory_id = session.run(lambda client: _remembered(client, name, content, key, create=not existing))
    session.tell({"agent_id": name, "memory_id": memory_id}, str(memory_id))


@takes(RecallOptions)
def recall(
    context: typer.Context,
    agent: AgentArgument,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="The text to search for.")],
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of",
            metavar="PLACE",
            help="What was known then: an event's number, a time, or a time span before now such as 2h.",
        ),
    ] = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Show the memories that would be retrieved for a query. Nothing is recorded."""
    from nemuri.terminal.output import say, say_json, short, table

    session = Session.of(context, json=json)
    name = agent_id(agent)
    if as_of is None:
        found: RecallView = session.run(lambda client: client.recall(name, query, **options))
    else:
        found = session.run(_recalled_then(name, as_of, RecallOptions(query=query, **options), session))
    if session.json:
        kept = [
            {"memory_id": principle.memory_id, **principle.memory.model_dump(mode="json")}
            for principle in found.principles
        ]
        flat = {"ranking": found.ranking, "deep": found.deep, "memories": _recalled(found), "principles": kept}
        say_json(flat | ({"nearest": found.nearest.model_dump(mode="json")} if found.nearest else {}))
        return
    if found.memories:
        columns = ("memory", "status", "score", "relevance", "content")
        numbers = ("score", "relevance")
        table(columns, _recalled_rows(found), numbers=numbers, spare=() if found.deep else ("status",))
    else:
        say("no relevant memory, neither active nor archived")
        if found.nearest:
            say(f"nearest, with a relevance of {found.nearest.relevance:.2f}: {short(found.nearest.memory.content)}")
    for principle in found.principles:
        say(f"always in mind: {short(principle.memory.content)}")


def _recalled_then(
    name: str, as_of: str, asked: RecallOptions, session: Session
) -> "Callable[[Client], Coroutine[Any, Any, RecallView]]":
    from nemuri.operations.log_position_parsing import read_place
    from nemuri.operations.past_recall import recall_as_of

    position = read_place(as_of)

    async def work(client: "Client") -> "RecallView":
        return (await recall_as_of(client.log, session.settings(), name, position, asked)).view

    return work


@takes(ProfileOptions)
def profile(
    context: typer.Context,
    agent: AgentArgument,
    person: Annotated[str, typer.Argument(metavar="PERSON", help="The person's name.")],
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Show what an agent knows of a person now: preferences, facts, plans and events."""
    from nemuri.terminal.output import printable, say, say_json

    session = Session.of(context, json=json)
    name = agent_id(agent)
    storable(PERSON=person)
    found: ProfileView = session.run(lambda client: client.profile(name, person, **options))
    if session.json:
        say_json(found.model_dump(mode="json"))
    elif not found.memories:
        say(f"{name} knows nothing of {person}")
    else:
        for line in found.text.splitlines():
            print(printable(line))
        if found.left_out:
            say(f"{found.left_out} more found no room; --tokens N makes room")


@takes(MemoryConditions)
def memories(context: typer.Context, agent: AgentArgument, json: JsonOption = False, **options: Any) -> None:
    """Show an agent's memories, the strongest or the newest first."""
    from nemuri.terminal.output import say, say_json, short, table

    session = Session.of(context, json=json)
    name = agent_id(agent)
    found = session.run(lambda client: client.memories(name, limit=MAX_SHOWN, **options))
    if session.json:
        say_json([flat(memory) for memory in found])
    elif not found:
        say("there are no such memories")
    else:
        numbers = ("strength", "level", "used", "seen")
        rows = [
            (
                memory.memory_id,
                memory.status,
                f"{memory.strength:.3f}",
                memory.level,
                memory.access_count,
                memory.candidate_count,
                short(_with_mark(memory), 80),
            )
            for memory in found
        ]
        last = "strength" if options.get("status") == "all" else "status"
        spare = ("seen", "used", "level", last)
        table(("memory", "status", *numbers, "content"), rows, numbers=numbers, spare=spare)


def _content(text: str, options: dict[str, Any]) -> MemoryContent:
    from pydantic import ValidationError

    from nemuri_contracts.codec import validation_message

    storable(TEXT=text)
    try:
        return MemoryContent.model_validate(options | {"content": text})
    except ValidationError as error:
        raise WrongUse(validation_message(error)) from error


async def _remembered(client: "Client", agent: str, content: MemoryContent, key: str | None, *, create: bool) -> "UUID":
    """Store a memory, and return its id. With `create`, an unknown agent is made, and a line says so."""
    async with new_agent_told(client, agent, create=create) as new:
        memory_id = await client.remember(agent, **dict(content), key=key, create=create)
        if (known := None if new else (await client.memory(memory_id)).absorbed_by) is not None:
            _note(f"{agent} remembered this already, as {known}, which stands for both now")
        return memory_id


@asynccontextmanager
async def new_agent_told(client: "Client", agent: str, *, create: bool) -> "AsyncIterator[bool]":
    """Say in a line on stderr if an unknown agent was made. Yield whether it is unknown and may be made."""
    new = create and await _is_unknown(client, agent)
    try:
        yield new
    finally:
        if new and not await _is_unknown(client, agent):
            _note(f"{agent} is a new agent with strength memory; --existing forbids this")


def _note(text: str) -> None:
    from nemuri.terminal.output import printable

    print(printable(text), file=sys.stderr)


async def _is_unknown(client: "Client", agent: str) -> bool:
    from nemuri.client.exchange import UnknownIdError

    try:
        await client.agents(agent)
    except UnknownIdError:
        return True
    return False


def _with_mark(view: "MemoryView") -> str:
    """Return the content of a memory, marked if it is pinned or a semantic memory."""
    marks = ("(pinned)" if view.pinned else "", f"({view.experiences.count} experiences)" if view.experiences else "")
    return " ".join((*filter(None, marks), view.memory.content))


def _marked(recalled: "RecalledMemory") -> str:
    """Return the content, marked if another retrieved memory contradicts, supersedes or succeeds it."""
    from nemuri.terminal.standing_marks import standing_mark

    return " ".join(filter(None, (standing_mark(recalled.candidate), recalled.memory.content)))


def _recalled_rows(found: "RecallView") -> list[tuple[object, ...]]:
    """Return the rows of the table of retrieved memories: id, status, score, relevance and content."""
    from nemuri.terminal.output import short

    return [
        (
            memory.candidate.memory_id,
            "archived" if memory.candidate.archived else "active",
            f"{memory.candidate.score:.3f}",
            f"{memory.candidate.relevance:.2f}",
            short(_marked(memory)),
        )
        for memory in found.memories
    ]


def _recalled(found: "RecallView") -> list[dict[str, Any]]:
    from nemuri_contracts.strength import FEATURES

    rows = []
    for memory in found.memories:
        row = memory.candidate.model_dump(mode="json")
        row["features"] = dict(zip(FEATURES, memory.candidate.features, strict=True))
        rows.append(row | memory.memory.model_dump(mode="json"))
    return rows
