"""Societies: society run|resume|watch|list|delete, and the processes of one, host and world."""
# ruff: noqa: FBT002 - typer reads options from the parameters

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nemuri.cli import society_experiments, society_processes
from nemuri.cli.failures import Failure, WrongUse
from nemuri.cli.session import JsonOption, Session
from nemuri.cli.society_options import LimitOption, NameArgument, SecondsOption, society_name

if TYPE_CHECKING:
    from nemuri.society.report import Lived
    from nemuri_contracts.society import Society
    from nemuri_infra.bus.event_log import Log
    from nemuri_infra.runtime.settings import Settings


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(help="Societies of agents that think at several speeds at once.", no_args_is_help=True)
    for command in (run, resume, watch, society_processes.host, society_processes.world):
        group.command()(command)
    group.command("list")(list_them)
    group.command("delete")(delete)
    society_experiments.register(group)
    minecraft = typer.Typer(help="The Minecraft world: an extra of some 500 MB.", no_args_is_help=True)
    minecraft.callback()(_minecraft)
    minecraft.command()(install)
    group.add_typer(minecraft, name="minecraft")
    app.add_typer(group, name="society")


def run(
    context: typer.Context,
    agents: Annotated[int, typer.Option("--agents", metavar="N", min=1, max=5_000, help="How many agents.")] = 10,
    seconds: SecondsOption = None,
    seed: Annotated[int, typer.Option("--seed", metavar="K", min=0, max=2**32 - 1, help="What chance follows.")] = 0,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", callback=society_name, help="Else one is made up.")
    ] = None,
    world: Annotated[str, typer.Option("--world", help="`grid`, or `minecraft` by the bridge.")] = "grid",
    size: Annotated[int, typer.Option("--size", metavar="BLOCKS", min=64, max=4_096, help="The grid's edge.")] = 256,
    towns: Annotated[
        int | None, typer.Option("--towns", metavar="N", min=0, max=64, help="Towns to begin in; else one for 25.")
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", metavar="X", min=0.01, max=100, help="Its seconds in one of the wall's.")
    ] = 1.0,
    hosts: Annotated[int, typer.Option("--hosts", metavar="N", min=1, max=64, help="Processes for agents.")] = 1,
    limit: LimitOption = 500,
    checkpoint_every: Annotated[
        float | None,
        typer.Option("--checkpoint-every", metavar="S", min=1, help="Of the wall's clock; else 300, 600 above 400."),
    ] = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", metavar="MODULE", help="A module to go without; repeat it.")
    ] = None,
    plugin: Annotated[
        list[str] | None, typer.Option("--plugin", metavar="NAME", help="A module of another package; repeat it.")
    ] = None,
    slots: Annotated[
        int, typer.Option("--slots", metavar="N", min=1, max=10_000, help="Questions to models at once.")
    ] = 8,
    latency: Annotated[
        float, typer.Option("--latency", metavar="S", min=0, max=60, help="Mean of the scripted thinker's seconds.")
    ] = 0.0,
    json: JsonOption = False,
) -> None:
    """Begin a society and run it; where no platform runs, on a server of its own for as long as it lasts."""
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
        from nemuri.society.run import begin

        try:
            await begin(log, society)
        except FileExistsError as error:
            raise Failure(f"{error}; give another --name, or go on with `nemuri society resume {chosen}`") from error
        return society

    _lived(session, chosen, begun, seconds, limit, new=True)


def resume(
    context: typer.Context,
    name: NameArgument,
    checkpoint: Annotated[
        str | None,
        typer.Option("--checkpoint", metavar="WHICH", help="Go back to this one first, or to `newest`."),
    ] = None,
    seconds: SecondsOption = None,
    limit: LimitOption = 500,
    json: JsonOption = False,
) -> None:
    """Go on with a society where it stands, or where it stood at a checkpoint."""

    async def found(log: "Log", settings: "Settings") -> "Society":  # noqa: ARG001
        from nemuri.society.run import going_on, laid_down

        there = await laid_down(log, name)
        _check_modules(there)
        _check_room(there, limit)
        return await going_on(log, name, checkpoint)

    _lived(Session.of(context, json=json), name, found, seconds, limit)


def watch(
    context: typer.Context,
    name: NameArgument,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", min=0.1, help="Of the wall's clock.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Watch a society that runs: who says what, and every second how its hosts are."""
    from nemuri.society.watch import watching

    session = Session.of(context, json=json)
    _with_log(session, lambda log, _: watching(log, name, seconds, json=session.json), start=False)


def list_them(context: typer.Context, json: JsonOption = False) -> None:
    """The societies that there are, with their checkpoints."""
    from nemuri.society.run import with_checkpoints
    from nemuri.terminal.screen import say, say_json

    session = Session.of(context, json=json)
    there = _with_log(session, lambda log, _: with_checkpoints(log), start=True)
    if session.json:
        say_json(there)
        return
    for name, checkpoints in there.items():
        say(f"{name}  {len(checkpoints)} checkpoints{f', the newest {checkpoints[-1]}' if checkpoints else ''}")
    if not there:
        say("there is no society yet; begin one with `nemuri society run`")


def delete(context: typer.Context, name: NameArgument) -> None:
    """Take a society away with its checkpoints; what its agents lived through stays on the log."""
    from nemuri.society.minecraft import take_away
    from nemuri.society.run import end_of

    session = Session.of(context)
    _with_log(session, lambda log, _: end_of(log, name), start=True)
    take_away(name, session.settings().data)


def _minecraft() -> None:
    """What is to be there before a society can live in Minecraft."""


def install(context: typer.Context) -> None:
    """Install the modules of the Minecraft world into the data directory, with npm."""
    from nemuri.terminal.screen import say
    from nemuri_infra.minecraft.node_modules import install as installing

    say(f"the Minecraft world is in {installing(Session.of(context).settings().data)}")


def _society(name: str, seed: int, residents: tuple[int, int | None], **fields: Any) -> "Society":
    from pydantic import ValidationError

    from nemuri.society.residents import residents as living
    from nemuri_contracts.codec import complaint
    from nemuri_contracts.society import Society

    try:
        return Society(name=name, seed=seed, agents=living(name, residents[0], seed, residents[1]), **fields)
    except ValidationError as error:
        raise WrongUse(complaint(error)) from error


def _check_modules(society: "Society") -> None:
    from nemuri_domain.cognition.memory_interface import NoMemories
    from nemuri_domain.cognition.module_registry import build_modules
    from nemuri_services.simulation.processes import plugins

    try:
        build_modules(NoMemories(), without=society.without, plugins=plugins(society.plugins))
    except (ValueError, LookupError) as error:
        raise WrongUse(str(error).strip("'\"")) from error


def _check_room(society: "Society", limit: int) -> None:
    if not society.fits(limit):
        raise WrongUse(
            f"{society.hosts} hosts of {limit} agents do not hold {len(society.agents)}, who stay together in cells of "
            "25; raise --hosts or --limit"
        )


def _check_world(society: "Society", session: Session) -> None:
    if society.world == "minecraft":
        from nemuri.society.minecraft import check

        try:
            check(society, session.settings().data)
        except ValueError as error:
            raise WrongUse(str(error)) from error


def _lived(session: Session, name: str, found: Any, seconds: float | None, limit: int, *, new: bool = False) -> None:
    """Run a society and tell what it did."""
    from nemuri.platform.workers import run_until_stopped
    from nemuri.society import lines
    from nemuri.society.nats_server import reached
    from nemuri.society.run import live

    told: list[Lived] = []

    async def lives(stop: asyncio.Event) -> None:
        async with reached(session.settings(), start=True, lives=name, new=new) as (settings, log):
            society = await found(log, settings)
            tell = lines.progress(society, quiet=session.json)
            told.append(await live(log, society, settings, seconds=seconds, limit=limit, stop=stop, tell=tell))

    async def work(stop: asyncio.Event) -> None:
        """Whoever ends it is told what it did until then: it is not cancelled, but sees that it is to end."""
        living = asyncio.ensure_future(lives(stop))
        try:
            await asyncio.shield(living)
        except asyncio.CancelledError:
            if not stop.is_set():
                living.cancel()
            await living

    session.loudly("nemuri-society")
    run_until_stopped(work)
    if told:
        lines.show(told[0], json=session.json)


def _with_log(session: Session, work: Any, *, start: bool) -> Any:
    from nemuri.society.nats_server import reached

    async def main() -> Any:
        async with reached(session.settings(), start=start) as (settings, log):
            return await work(log, settings)

    session.quieten()
    return asyncio.run(main())
