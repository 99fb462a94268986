"""Commands that correct memories: edit, pin, unpin, rescope, confirm, unrelate, separate, split."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from nemuri.cli.failures import WrongUse
from nemuri.cli.id_arguments import id_argument, id_option
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, Session, storable
from nemuri_contracts.client_events import Correction

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.client_events import Scope
    from nemuri_contracts.memory_views import MemoryView


@takes(Correction)
def edit(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The memory to correct.")],
    content: Annotated[str, typer.Argument(metavar="TEXT", help="The corrected text.")],
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Correct the text of a memory. The former text stays in its history and yields to the new one."""

    session = Session.of(context, json=json)
    made = session.run(lambda client: client.edit_memory(memory, content, **options))
    session.tell({"memory_id": made, "older": memory}, str(made))


def pin(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The memory to keep.")],
    json: JsonOption = False,
) -> None:
    """Keep a memory from being archived, however weak it is. Its place in the ranking does not change."""
    _changed(context, memory, "pinned", lambda client: client.pin_memory(memory), json=json)


def unpin(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The pinned memory.")],
    json: JsonOption = False,
) -> None:
    """End the pin of a memory. It fades as before and may be archived."""
    _changed(context, memory, "unpinned", lambda client: client.pin_memory(memory, pinned=False), json=json)


def rescope(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The memory.")],
    project: Annotated[str | None, typer.Option("--project", metavar="P", help="Valid in this project only.")] = None,
    domain: Annotated[str | None, typer.Option("--domain", metavar="D", help="Valid in this domain only.")] = None,
    universal: Annotated[bool, typer.Option("--universal", help="Valid everywhere.")] = False,
    json: JsonOption = False,
) -> None:
    """Change where a memory is valid: in one project, in one domain, or everywhere."""
    if sum((project is not None, domain is not None, universal)) != 1:
        raise WrongUse("give exactly one of --project P, --domain D and --universal")
    storable(**{"--project": project, "--domain": domain})
    scope = _scope(project, domain)
    where = "everywhere" if scope.name is None else f"in {scope.level} {scope.name}"
    _changed(context, memory, f"valid {where}", lambda client: client.rescope_memory(memory, scope), json=json)


def confirm(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The inference.")],
    json: JsonOption = False,
) -> None:
    """Confirm what an agent inferred. The memory gains the strength that it lacked."""
    _changed(context, memory, "confirmed", lambda client: client.confirm_memory(memory), json=json)


def _scope(project: str | None, domain: str | None) -> "Scope":
    from pydantic import ValidationError

    from nemuri_contracts.client_events import Scope
    from nemuri_contracts.codec import validation_message

    level = "project" if project is not None else "universal" if domain is None else "domain"
    try:
        return Scope.model_validate({"level": level, "name": domain if project is None else project})
    except ValidationError as error:
        raise WrongUse(validation_message(error)) from error


def _changed(
    context: typer.Context, memory: UUID, done: str, work: "Callable[[Client], Awaitable[None]]", *, json: bool
) -> None:
    """Change a memory, and say what was done, or show the changed memory as JSON."""
    from nemuri.cli.memory_json import flat

    async def change(client: "Client") -> "MemoryView":
        await work(client)
        return await client.memory(memory)

    session = Session.of(context, json=json)
    view = session.run(change)
    session.tell(flat(view), f"{memory} is {done}")


def unrelate(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The newer memory.")],
    older: Annotated[UUID, id_argument("memory", "The older memory.", "OLDER")],
    json: JsonOption = False,
) -> None:
    """Withdraw the relation by which a memory supersedes, contradicts, refines or repeats an older one."""
    _changed(context, memory, f"unrelated to {older}", lambda client: client.unrelate_memory(memory, older), json=json)


def separate(
    context: typer.Context,
    task: Annotated[UUID, id_argument("task", "The task that the learnings came from.")],
    memory: Annotated[
        UUID | None, id_option("memory", "--memory", "Only learnings that were merged into this memory.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Turn learnings that were wrongly merged as repetitions into memories of their own."""
    from nemuri.admin.corrections import separate as take_back
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    made = session.run(lambda client: take_back(client, task, memory))
    if session.json:
        say_json({"task_id": task, "memory_ids": made})
    else:
        for event in made:
            say(str(event))


def split(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The semantic memory to split.")],
    json: JsonOption = False,
) -> None:
    """Split a semantic memory into the memories that a sleep made it of."""
    from nemuri.admin.corrections import split as take_back
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    sources = session.run(lambda client: take_back(client, memory))
    if session.json:
        say_json({"memory_id": memory, "sources": sources})
    else:
        for source in sources:
            say(str(source))


COMMANDS = (edit, pin, unpin, rescope, confirm, unrelate, separate, split)
"""The commands of this module, in the order of the help."""
