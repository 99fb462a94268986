"""Commands that correct memories: edit, unlink, separate."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import Annotated
from uuid import UUID

import typer

from nemuri.cli.id_arguments import id_argument, id_option
from nemuri.cli.session import JsonOption, Session, storable


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    for command in (edit, unlink, separate):
        app.command()(command)


def edit(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The memory to correct.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The corrected text.")],
    json: JsonOption = False,
) -> None:
    """Correct the text of a memory. The former text stays in its history and yields to the new one."""
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    storable(TEXT=text)
    made = session.run(lambda client: client.edit_memory(memory, text))
    if session.json:
        say_json({"memory_id": made, "older": memory})
    else:
        say(str(made))


def unlink(
    context: typer.Context,
    memory: Annotated[UUID, id_argument("memory", "The newer memory.")],
    older: Annotated[UUID, id_argument("memory", "The older memory.", "OLDER")],
    json: JsonOption = False,
) -> None:
    """Remove the link by which a memory contradicts or supersedes an older one."""
    from nemuri.admin.corrections import unlink as take_back
    from nemuri.terminal.output import say, say_json

    session = Session.of(context, json=json)
    session.run(lambda client: take_back(client, memory, older))
    if session.json:
        say_json({"memory_id": memory, "older": older})
    else:
        say(f"{older} is no longer superseded or contradicted by {memory}")


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
        for each in made:
            say(str(each))
