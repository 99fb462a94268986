"""Commands for societies: society run, resume, watch, list, delete, and the processes host and world."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri_society.cli import society_experiments, society_processes, society_record, society_study
from nemuri_society.cli.society_options import LimitOption, NameArgument, SecondsOption, society_name, with_log

if TYPE_CHECKING:
    from nemuri_infra.bus.event_log import Log
    from nemuri_infra.runtime.settings import Settings
    from nemuri_society.contracts.society import Society
    from nemuri_society.operations.report import RunReport

PANEL = ("Societies", ("society",))
"""The heading of the command in the help, and its name."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module to `app`."""
    group = typer.Typer(
        help="Run and inspect societies: simulated agents that act and think concurrently.", no_args_is_help=True
    )
    for command in (run, resume, watch, society_processes.host, society_processes.world):
        group.command()(command)
    group.command("list")(list_them)
    group.command("delete")(delete)
    society_record.register(group)
    society_study.register(group)
    society_experiments.register(group)
    minecraft = typer.Typer(help="The Minecraft world: an extra of some 500 MB.", no_args_is_help=True)
    minecraft.callback()(_minecraft)
    minecraft.command()(install)
    group.add_typer(minecraft, name="minecraft")
    app.add_typer(group, name="society")


def run(
    context: typer.Context,
    agents: Annotated[int, typer.Option("--agents", metavar="N", min=1, max=5_000, help="Number of agents.")] = 10,
    seconds: SecondsOption = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="K", min=0, max=2**32 - 1, help="Seed of all random draws.")
    ] = 0,
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", callback=society_name, help="The society's name. Default: a generated one."
        ),
    ] = None,
    world: Annotated[
        str, typer.Option("--world", help="The world: `grid`, or `minecraft` through the bridge.")
    ] = "grid",
    size: Annotated[
        int,
        typer.Option("--size", metavar="BLOCKS", min=64, max=4_096, help="Edge length of the grid world, in blocks."),
    ] = 256,
    towns: Annotated[
        int | None,
        typer.Option(
            "--towns", metavar="N", min=0, max=64, help="Number of towns to start in. Default: one for every 25 agents."
        ),
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", metavar="X", min=0.01, max=100, help="Simulated seconds in one real second.")
    ] = 1.0,
    hosts: Annotated[
        int, typer.Option("--hosts", metavar="N", min=1, max=64, help="Number of agent host processes.")
    ] = 1,
    limit: LimitOption = 500,
    checkpoint_every: Annotated[
        float | None,
        typer.Option(
            "--checkpoint-every",
            metavar="S",
            min=1,
            help="Real seconds between two checkpoints. Default: 300, or 600 above 400 agents.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="MODULE", help="A cognitive module to leave out; repeatable."),
    ] = None,
    plugin: Annotated[
        list[str] | None, typer.Option("--plugin", metavar="NAME", help="A module from another package; repeatable.")
    ] = None,
    slots: Annotated[
        int, typer.Option("--slots", metavar="N", min=1, max=10_000, help="Maximum number of concurrent model calls.")
    ] = 8,
    latency: Annotated[
        float,
        typer.Option(
            "--latency", metavar="S", min=0, max=60, help="Mean response time of the scripted thinker, in seconds."
        ),
    ] = 0.0,
    json: JsonOption = False,
) -> None:
    """Create a society and run it. If no platform runs, it uses a server of its own until it ends."""
    chosen = name or f"society-{seed}"
    society = _society(
        name=chosen,
        seed=seed,
        world=world,
        size=size,
        speed=speed,
        residents=(agents, towns),
        without=tuple(without or ()),
        plugins=tuple(plugin or ()),
        slots=slots,
        hosts=hosts,
        checkpoint_every=checkpoint_every,
        latency=latency,
    )
    _check_modules(society)
    _check_room(society, limit)
    session = Session.of(context, json=json)
    _check_world(society, session)

    async def begun(log: "Log", settings: "Settings") -> "Society":  # noqa: ARG001
        from nemuri_society.operations.lifecycle import create_society

        try:
            await create_society(log, society)
        except FileExistsError as error:
            raise Failure(
                f"{error}; give another --name, or continue it with `nemuri society resume {chosen}`"
            ) from error
        return society

    _lived(session, chosen, begun, seconds, limit, new=True)


def resume(
    context: typer.Context,
    name: NameArgument,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="WHICH",
            help="Start from this checkpoint, or from `newest`. Default: the current state.",
        ),
    ] = None,
    seconds: SecondsOption = None,
    limit: LimitOption = 500,
    json: JsonOption = False,
) -> None:
    """Continue a society from its current state, or from a checkpoint."""

    async def found(log: "Log", settings: "Settings") -> "Society":  # noqa: ARG001
        from nemuri_society.operations.lifecycle import load_society, resume_society

        there = await load_society(log, name)
        _check_modules(there)
        _check_room(there, limit)
        return await resume_society(log, name, checkpoint)

    _lived(Session.of(context, json=json), name, found, seconds, limit)


def watch(
    context: typer.Context,
    name: NameArgument,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.1, help="Duration in real seconds.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Show what the agents of a running society say, and the state of its hosts every second."""
    from nemuri_society.operations.watch import watch_society

    session = Session.of(context, json=json)
    with_log(session, lambda log, _: watch_society(log, name, seconds, json=session.json), start=False)


def list_them(context: typer.Context, json: JsonOption = False) -> None:
    """Show all societies with their checkpoints."""
    from nemuri.terminal.output import say, say_json
    from nemuri_society.operations.lifecycle import list_societies

    session = Session.of(context, json=json)
    there = with_log(session, lambda log, _: list_societies(log), start=True)
    if session.json:
        say_json(there)
        return
    for name, checkpoints in there.items():
        say(f"{name}  {len(checkpoints)} checkpoints{f', the newest {checkpoints[-1]}' if checkpoints else ''}")
    if not there:
        say("there is no society yet; create one with `nemuri society run`")


def delete(context: typer.Context, name: NameArgument) -> None:
    """Delete a society and its checkpoints. The experience events of its agents stay in the log."""
    from nemuri_society.operations.lifecycle import delete_society
    from nemuri_society.operations.minecraft import delete_world

    session = Session.of(context)
    with_log(session, lambda log, _: delete_society(log, name), start=True)
    delete_world(name, session.settings().data)


def _minecraft() -> None:
    """Install what a society in Minecraft needs."""


def install(context: typer.Context) -> None:
    """Install the modules of the Minecraft world into the data directory with npm."""
    from nemuri.terminal.output import say
    from nemuri_society.minecraft.node_modules import install as installing

    say(f"the Minecraft world is installed in {installing(Session.of(context).settings().data)}")


def _society(name: str, seed: int, residents: tuple[int, int | None], **fields: Any) -> "Society":
    from pydantic import ValidationError

    from nemuri_contracts.codec import validation_message
    from nemuri_society.contracts.society import Society
    from nemuri_society.operations.residents import generate_residents as living

    try:
        return Society(name=name, seed=seed, agents=living(name, residents[0], seed, residents[1]), **fields)
    except ValidationError as error:
        raise WrongUse(validation_message(error)) from error


def _check_modules(society: "Society") -> None:
    from nemuri_society.cognition.memory_interface import NoMemories
    from nemuri_society.cognition.module_registry import build_modules
    from nemuri_society.simulation.bootstrap import load_plugins

    try:
        build_modules(NoMemories(), without=society.without, plugins=load_plugins(society.plugins))
    except (ValueError, LookupError) as error:
        raise WrongUse(str(error).strip("'\"")) from error


def _check_room(society: "Society", limit: int) -> None:
    if not society.fits(limit):
        raise WrongUse(
            f"{society.hosts} hosts of {limit} agents do not hold {len(society.agents)}, because agents are placed in "
            "cells of 25; raise --hosts or --limit"
        )


def _check_world(society: "Society", session: Session) -> None:
    if society.world == "minecraft":
        from nemuri_society.operations.minecraft import check_requirements

        try:
            check_requirements(society, session.settings().data)
        except ValueError as error:
            raise WrongUse(str(error)) from error


def _lived(session: Session, name: str, found: Any, seconds: float | None, limit: int, *, new: bool = False) -> None:
    """Run the society that `found` returns until it ends or a stop signal arrives, and print a summary of the run."""
    from nemuri.platform.workers import run_until_stopped
    from nemuri_society.operations import console_output
    from nemuri_society.operations.lifecycle import run_society
    from nemuri_society.operations.nats_server import society_server

    told: list[RunReport] = []

    async def lives(stop: asyncio.Event) -> None:
        async with society_server(session.settings(), start=True, running=name, new=new) as (settings, log):
            society = await found(log, settings)
            tell = console_output.progress_printer(society, quiet=session.json)
            told.append(
                await run_society(log, society, settings, seconds=seconds, limit=limit, stop=stop, on_figures=tell)
            )

    async def work(stop: asyncio.Event) -> None:
        """Run until `stop` is set. The run is not cancelled, so that its summary can still be printed."""
        living = asyncio.ensure_future(lives(stop))
        try:
            await asyncio.shield(living)
        except asyncio.CancelledError:
            if not stop.is_set():
                living.cancel()
            await living

    session.set_up_logging("nemuri-society")
    run_until_stopped(work)
    if told:
        console_output.print_report(told[0], json=session.json)
