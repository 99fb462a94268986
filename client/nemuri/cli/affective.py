"""Commands for affective memory: affect AGENT, with memory, protect, unprotect, rescope, delete, recall and config."""
# ruff: noqa: FBT002 - typer reads options from the parameters

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli import affective_memories, agent_first_group
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.operation_options import takes
from nemuri.cli.session import JsonOption, Session, agent_id, storable
from nemuri_contracts.queries import AffectRecallQuery

if TYPE_CHECKING:
    from nemuri.client.client import Client
    from nemuri_contracts.affective_views import AffectMemoryView, AffectView, TurnView

MemoryArgument = Annotated[
    str, typer.Argument(metavar="MEMORY", help="The memory's label, such as mem_20260120_001, or a prefix of its id.")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    commands = (*affective_memories.COMMANDS, memory, show, protect, unprotect, rescope, delete, recall, config)
    agent_first_group.add(app, "affect", affect, commands)


def affect(
    context: typer.Context,
    agent: Annotated[str, typer.Argument(metavar="AGENT", help="The agent's id.")],
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw the overview into an .svg or .png file.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show an agent's affective memory, or run one of the commands below on it."""
    session = Session.of(context, json=json)
    name = agent_id(agent)
    if context.invoked_subcommand is not None:
        if plot is not None:
            raise WrongUse("--plot belongs to the overview; omit the command")
        context.obj = session
        return
    if plot is not None:
        _check(plot)
    view: AffectView = session.run(lambda client: client.affect(name))
    if plot is not None:
        _draw(view, plot)
    _tell(session, view, plot)


def _tell(session: Session, view: "AffectView", plot: Path | None) -> None:
    from nemuri.cli import affective_lines
    from nemuri.terminal.output import say, say_json

    if session.json:
        drawn = {} if plot is None else {"plot": str(plot)}
        say_json(view.model_dump(mode="json") | {"costs": affective_lines.cost_json(view)} | drawn)
        return
    affective_lines.show(view)
    if plot is not None:
        say(f"\n{plot}")


def _check(plot: Path) -> None:
    """Raise `WrongUse` or `Failure` if the plot cannot be drawn, before the platform is asked."""
    from nemuri.terminal import plot_style
    from nemuri.terminal.affective_plots import FORMATS

    if plot.suffix.lower() not in FORMATS:
        raise WrongUse(f"--plot: name the file .svg or .png, not {plot.name!r}")
    if not plot.absolute().parent.is_dir():
        raise WrongUse(f"--plot: there is no directory {plot.absolute().parent}")
    try:
        plot_style.require()
    except plot_style.MatplotlibMissing as error:
        raise Failure(str(error)) from error


def _draw(view: "AffectView", plot: Path) -> None:
    from nemuri.terminal.affective_plots import draw

    try:
        draw(view, plot)
    except OSError as error:
        raise Failure(f"the plot cannot be written to {plot}: {error.strerror}") from error


def memory(
    context: typer.Context,
    name: MemoryArgument,
    verbatim: Annotated[
        bool, typer.Option("--verbatim", help="Show the turn word for word, whatever the memory still has of it.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Show one memory in full, or the conversation turn it was made from."""
    from nemuri.cli.affective_lines import show_memory, show_turn
    from nemuri.terminal.output import say_json

    session, agent = agent_first_group.of(context, json=json)
    storable(MEMORY=name)
    if verbatim:
        turn: TurnView = session.run(lambda client: client.affect_turn(agent, name))
        if session.json:
            say_json(turn)
        else:
            show_turn(turn)
        return
    found: AffectMemoryView = session.run(lambda client: client.affect_memory(agent, name))
    session.show(found, lambda: show_memory(found))


def show(context: typer.Context, name: MemoryArgument, json: JsonOption = False) -> None:
    """Show one memory in full, as `memory` does."""
    memory(context, name, verbatim=False, json=json)


def protect(context: typer.Context, memory: MemoryArgument, json: JsonOption = False) -> None:
    """Protect a memory from forgetting."""
    _change(context, memory, protected=True, json=json)


def unprotect(context: typer.Context, memory: MemoryArgument, json: JsonOption = False) -> None:
    """Remove the protection of a memory. A memory that waits for protection can then take its place."""
    _change(context, memory, protected=False, json=json)


def _change(context: typer.Context, memory: str, *, protected: bool, json: bool) -> None:
    from nemuri.admin import affective
    from nemuri.terminal.output import say, say_json

    session, agent = agent_first_group.of(context, json=json)
    storable(MEMORY=memory)
    found, changed = session.run(lambda client: affective.protect(client, agent, memory, protected=protected))
    if session.json:
        say_json({"memory_id": found.memory_id, "label": found.label, "protected": protected, "changed": changed})
        return
    say(f"{found.label} is {'protected' if protected else 'not protected'}{'' if changed else ' already'}")


def rescope(
    context: typer.Context,
    memory: MemoryArgument,
    about_me: Annotated[
        bool | None,
        typer.Option("--about-me/--not-about-me", help="It says something lasting about the user, or nothing at all."),
    ] = None,
    project: Annotated[
        str | None, typer.Option("--project", metavar="PROJECT", help="Project to which it belongs; see `projects`.")
    ] = None,
    here: Annotated[bool, typer.Option("--here", help="It belongs to the project of the working directory.")] = False,
    only_asked: Annotated[
        bool | None,
        typer.Option("--only-asked/--unasked", help="Never show it at the start of a session, or show it again."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Say where a memory matters: everywhere, in one project, or only when a prompt asks for it."""
    from nemuri.admin import affective
    from nemuri.cli.affective_lines import show_scope
    from nemuri.hook.project import project_of

    session, agent = agent_first_group.of(context, json=json)
    storable(MEMORY=memory)
    if here:
        if project is not None:
            raise WrongUse("--here names the project already; leave out --project")
        if (project := project_of(str(Path.cwd()))) is None:
            raise WrongUse("--here: the working directory belongs to no project; give --project")
    if project is not None:
        storable(PROJECT=project)
    found, changed = session.run(
        lambda client: affective.rescope(
            client, agent, memory, about_user=about_me, project=project, only_asked=only_asked
        )
    )
    session.show(found, lambda: show_scope(found, changed=changed))


def delete(
    context: typer.Context,
    memory: MemoryArgument,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be erased, and why.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    json: JsonOption = False,
) -> None:
    """Erase a memory permanently, as `nemuri forget --memory` does."""
    from nemuri.cli.forget import erase
    from nemuri_infra.projections.erasure_lineage import Thing

    session, agent = agent_first_group.of(context, json=json)
    storable(MEMORY=memory)
    found: AffectMemoryView = session.run(lambda client: client.affect_memory(agent, memory))
    erase(session, Thing("memory", found.memory_id), dry_run=dry_run, yes=yes)


@takes(AffectRecallQuery, without=["session", "context"])
def recall(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text to retrieve memories for.")],
    project: Annotated[
        str | None,
        typer.Option(
            "--project",
            metavar="PROJECT",
            help="Project of the text; see `projects`. Default: NEMURI_PROJECT, else that of the working directory.",
        ),
    ] = None,
    all_projects: Annotated[
        bool, typer.Option("--all-projects", help="Search in the memories of all projects.")
    ] = False,
    json: JsonOption = False,
    **options: Any,
) -> None:
    """Show the memories that would be retrieved for a text in a project, and why. Nothing is recorded.

    They are memories of the project, about the user, and from outside of every project.
    """
    from nemuri.cli.affective_lines import show_recalled
    from nemuri.hook.project import project_here

    session, agent = agent_first_group.of(context, json=json)
    storable(TEXT=text, **{"--project": project})
    if project is not None and all_projects:
        raise WrongUse("--project and --all-projects contradict each other; give one of them")
    asked = None if all_projects else project_here(project or session.settings().project)
    found = session.run(lambda client: client.affect_recall(agent, text, project=asked, quietly=True, **options))
    session.show(found, lambda: show_recalled(found, asked))


def config(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Parameters as YAML or JSON. Without it, the present ones are shown."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show the parameters in force, or adopt those of a file. Parameters missing from the file get their defaults: save
    the present ones, change them, and adopt that file.
    """
    session, agent = agent_first_group.of(context, json=json)
    if file is None:
        _show_parameters(session, session.run(lambda client: client.affect(agent)))
    else:
        _adopt(session, agent, file)


def _show_parameters(session: Session, view: "AffectView") -> None:
    from nemuri.terminal.output import say, say_json
    from nemuri_domain.affective.policy import AffectPolicy

    force = AffectPolicy.of(view.parameters).model_dump(mode="json")
    if session.json:
        say_json(force)
        return
    import yaml

    say(yaml.safe_dump(force, sort_keys=False, allow_unicode=True).rstrip())
    if view.coming is not None:
        coming = AffectPolicy.of(view.coming).differing
        flow = yaml.safe_dump(coming, sort_keys=False, default_flow_style=True, width=10_000).strip()
        say(f"# from the next nightly job on, differing from the defaults: {flow}")


def _adopt(session: Session, agent: str, file: Path) -> None:
    from nemuri.admin import affective
    from nemuri.terminal.output import say, say_json

    policy, elsewhere = affective.read_parameters(file)

    async def work(client: "Client") -> "tuple[AffectView, bool, AffectView]":
        before = await client.affect(agent)
        return before, await affective.adopt(client, agent, policy), await client.affect(agent)

    before, adopted, view = session.run(work)
    if session.json:
        told: dict[str, Any] = {"agent_id": agent, "adopted": adopted, "parameters": policy.differing}
        say_json(told | {"passed_over": elsewhere})
        return
    if elsewhere:
        say(f"{', '.join(elsewhere)}: ignored, because these are settings of the platform for all agents")
    force = "now" if view.coming is None else "from the next nightly job on"
    say(f"{agent}: {f'adopted, in force {force}' if adopted else 'nothing changed'}")
    if adopted and (reset := affective.back_to_defaults(before, policy)):
        say(f"back to their defaults, because {file} does not name them: {', '.join(reset)}")
