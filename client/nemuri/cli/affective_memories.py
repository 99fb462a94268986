"""Commands on many affective memories: affect AGENT list, search, remember, projects, merge and shown."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

import typer

from nemuri.cli import agent_first_group
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, storable
from nemuri_contracts.queries import AffectListQuery

if TYPE_CHECKING:
    from nemuri_contracts.affective_views import AffectPageView

ArchiveOption = Annotated[bool, typer.Option("--archive", help="The archive instead of the active memories.")]
OlderOption = Annotated[
    str | None, typer.Option("--older-than", metavar="ID", help="Continue after the page that ended with this id.")
]


@takes(AffectListQuery, without=["containing", "archived"])
def list_(
    context: typer.Context,
    archive: ArchiveOption = False,
    older_than: OlderOption = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """List memories, newest first."""
    _show_page(context, older_than, json=json, archived=archive, **options)


@takes(AffectListQuery, without=["containing", "archived", "protected"])
def search(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Words that a memory contains, or what it is about.")],
    archive: ArchiveOption = False,
    older_than: OlderOption = None,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """List the memories that contain every word of a text, newest first, then those that are about the same."""
    storable(TEXT=text)
    _show_page(context, older_than, json=json, containing=text, archived=archive, **options)


def remember(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is to be remembered.")],
    project: Annotated[
        str | None, typer.Option("--project", metavar="PROJECT", help="Project to which it belongs.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Remember a text and protect it from forgetting, as if the user had asked for it in a session."""
    from nemuri.admin import affective_memories
    from nemuri.terminal.output import say, say_json

    session, agent = agent_first_group.of(context, json=json)
    storable(TEXT=text)
    found, view = session.run(lambda client: affective_memories.remember(client, agent, text, project))
    if session.json:
        say_json(found)
    else:
        full = view.protected >= view.limit and found.protection != "protected"
        say(f"{found.label}: remembered, {'but it waits for protection' if full else 'and protected'}")


def projects(context: typer.Context, json: JsonOption = False) -> None:
    """Show the projects with memories."""
    from nemuri.terminal.output import say, say_json, table

    session, agent = agent_first_group.of(context, json=json)
    found = session.run(lambda client: client.affect(agent)).projects
    if session.json:
        say_json(list(found))
    elif found:
        table(
            ("memories", "project"),
            [(project.memories, project.project or "-") for project in found],
            numbers=("memories",),
        )
    else:
        say("no memories")


def merge(
    context: typer.Context,
    project: Annotated[str, typer.Argument(metavar="PROJECT", help="Project whose memories move.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="Project to which they belong from now on.")],
) -> None:
    """Let the memories of a project belong to another one, or rename a project."""
    from nemuri.admin import affective_memories
    from nemuri.terminal.output import say

    session, agent = agent_first_group.of(context, json=False)
    storable(PROJECT=project, INTO=into)
    moved = session.run(lambda client: affective_memories.merge_project(client, agent, project, into))
    say(f"{project}: {f'belongs to {into}' if moved else 'nothing changed'}")


def shown(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Maximum number of entries.")] = 20,
    json: JsonOption = False,
) -> None:
    """Show which memories were handed to an assistant and when, newest first."""
    from nemuri.admin import affective_memories
    from nemuri.terminal.output import say, say_json, table

    session, agent = agent_first_group.of(context, json=json)
    found = session.run(lambda client: affective_memories.shown_context(client, agent, limit))
    if session.json:
        say_json(found)
    elif found:
        rows = [
            (
                f"{shown_context.at:%Y-%m-%d %H:%M:%S}",
                shown_context.occasion,
                shown_context.characters,
                shown_context.session or "-",
                ", ".join(shown_context.labels),
            )
            for shown_context in found
        ]
        table(("time (UTC)", "occasion", "characters", "session", "memories"), rows, numbers=("characters",))
    else:
        say("nothing was shown")


COMMANDS = (list_, search, remember, projects, merge, shown)


def _show_page(context: typer.Context, older_than: str | None, *, json: bool, **wanted: Any) -> None:
    """Ask for the page of memories older than the memory with this id, and print it."""
    from nemuri.cli.affective_lines import show_page
    from nemuri.cli.failures import WrongUse

    session, agent = agent_first_group.of(context, json=json)
    try:
        last = UUID(older_than) if older_than else None
    except ValueError as error:
        raise WrongUse(f"--older-than {older_than!r:.60} is not the id of a memory") from error
    page: AffectPageView = session.run(lambda client: client.affect_memories(agent, older_than=last, **wanted))
    session.show(page, lambda: show_page(page))
